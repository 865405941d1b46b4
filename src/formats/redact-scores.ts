import { RejectError } from '../logs/reject.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { ScoreRule } from './adapter.js';

/** What stands in the place of a score. */
export const REDACTED = '[redacted]';

/** Flags of a run whose feedback was redacted. */
export const REDACTION_FLAGS = {
  scores_redacted: 'scores on hidden labels were taken out of the feedback',
  policy_dropped_redaction: 'recorded token ids were dropped, for they still spell the redacted scores',
} as const satisfies Record<string, string>;
type RedactionFlag = keyof typeof REDACTION_FLAGS;

type Redaction = (text: string) => string;

const NUMBER = String.raw`-?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|NaN|Infinity)`;

const DOJO_EVALUATION = '=== Submission Evaluation ===';
const DOJO_SCORES = new RegExp(`((?:Raw|Position) Score: )${NUMBER}`, 'g');
const DOJO_POSITION = /(Leaderboard: Position )\d+/g;
const SANDMLE_DETAILS = new RegExp(String.raw`("(?:score_primary|threshold_\w+)[^"]*":\s*)${NUMBER}`, 'g');
const MLGYM_EVALUATION = /(Evaluation Score: )([^\n]*)/g;

/** How each format shows scores on hidden labels in its feedback; the text around them stays. */
const BY_FORMAT: Readonly<Record<string, Redaction>> = {
  // what the program printed stands before the evaluation and may imitate it
  'mle-dojo': after('last', DOJO_EVALUATION, (text) =>
    text.replace(DOJO_SCORES, `$1${REDACTED}`).replace(DOJO_POSITION, `$1${REDACTED}`),
  ),
  'rllm-episode': after('first', 'Details: ', (text) => text.replace(SANDMLE_DETAILS, `$1"${REDACTED}"`)),
  mlgym: (text) =>
    text.replace(
      MLGYM_EVALUATION,
      (_all, head: string, scores: string) => head + scores.replace(new RegExp(NUMBER, 'g'), REDACTED),
    ),
};

function after(which: 'first' | 'last', mark: string, redact: Redaction): Redaction {
  return (text) => {
    const at = which === 'first' ? text.indexOf(mark) : text.lastIndexOf(mark);
    return at === -1 ? text : text.slice(0, at) + redact(text.slice(at));
  };
}

/** The redaction of a format, or of chats whose scoring calls are answered with JSON under a key. */
function redactionOf(format: string, rule: ScoreRule | null): Redaction | null {
  if (rule !== null && rule.scale === 'test') {
    const key = JSON.stringify(rule.key).replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const pattern = new RegExp(String.raw`(${key}\s*:\s*)${NUMBER}`, 'g');
    return (text) => text.replace(pattern, `$1"${REDACTED}"`);
  }
  return Object.hasOwn(BY_FORMAT, format) ? (BY_FORMAT[format] ?? null) : null;
}

/**
 * A run without the scores on hidden labels that its feedback shows: they are replaced in observation spans of the
 * environment. What the model wrote of them is its own text and stays; so do the scores of the submissions, which
 * grade the run. The identity of the run stays that of the logged text.
 *
 * @throws RejectError exposes_test_score where the format's way to show scores is not known, or a score that was shown
 *   is not found
 */
export function redactScores(trajectory: Trajectory, rule: ScoreRule | null): Trajectory {
  if (!trajectory.feedback_exposes_test_score) return trajectory;
  const { format } = trajectory.source;
  const redact = redactionOf(format, rule);
  if (redact === null) {
    throw new RejectError(
      'exposes_test_score',
      `how ${format} shows scores is not known, so none can be redacted`,
    );
  }
  const turns = trajectory.turns.map((turn) => redactedTurn(turn, redact));
  for (const { scale, score, observed_turn: shown } of trajectory.submissions) {
    if (scale !== 'test' || score === null || shown === null) continue;
    if (turns[shown] === trajectory.turns[shown]) {
      throw new RejectError(
        'exposes_test_score',
        `the score shown in turn ${shown} is not found to be redacted`,
      );
    }
  }
  if (turns.every((turn, index) => turn === trajectory.turns[index])) return trajectory;
  const hadPolicy = turns.some((turn) => turn.policy !== null);
  const flags: RedactionFlag[] = hadPolicy
    ? ['scores_redacted', 'policy_dropped_redaction']
    : ['scores_redacted'];
  return {
    ...trajectory,
    turns: hadPolicy ? turns.map((turn) => ({ ...turn, policy: null })) : turns,
    flags: [...trajectory.flags, ...flags],
  };
}

/** The turn itself where nothing in it is redacted. */
function redactedTurn(turn: Turn, redact: Redaction): Turn {
  let changed = false;
  const spans = turn.spans.map((span) => {
    if (span.origin !== 'environment' || span.kind !== 'observation') return span;
    const text = redact(span.text);
    if (text === span.text) return span;
    changed = true;
    return { ...span, text };
  });
  return changed ? { ...turn, spans } : turn;
}
