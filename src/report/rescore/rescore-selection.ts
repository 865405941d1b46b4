import type { TaskRecord } from '../../grading/task-record.js';
import type { CorpusScores } from '../../selection/corpus-scores.js';
import type { SelectionRule } from '../../selection/decision.js';
import type { SelectionOptions } from '../../selection/options.js';
import { selectPrefixes } from '../../selection/select.js';
import { restoredTrajectory } from './restored-trajectory.js';
import type { StoredRun } from './stored-run.js';

/** Rules that scores decide; `whole` is decided by how a run ended, which no threshold changes. */
export const SCORED_RULES = ['initial', 'best'] as const satisfies readonly SelectionRule[];
export type ScoredRule = (typeof SCORED_RULES)[number];

export interface SelectionRules {
  readonly options: SelectionOptions;
  readonly task: TaskRecord | null;
  readonly scores: CorpusScores;
  /** whether the feedback gives the order in which the scores of its scale were observed */
  readonly order_known: boolean;
}

export interface RescoredPrefix {
  readonly trajectory_id: string;
  readonly rule: ScoredRule;
  /** turn of the anchor; null where the rule keeps nothing */
  readonly old_anchor: number | null;
  readonly new_anchor: number | null;
  /** false where the tables alone do not give the stored selection: the new one is not known then */
  readonly reproducible: boolean;
  /** the sentence with the numbers that decide now */
  readonly detail: string;
}

/** Reasons by which a trajectory was left out before or after its scores were looked at. */
const OUTSIDE_SELECTION: ReadonlySet<string> = new Set(['no_trained_tokens']);

/**
 * What each scored rule keeps of a run under other rules. The run is restored from the tables; where it does not give
 * the stored anchors under the planned rules, or the order of its scores is not known, the answer is marked as not
 * reproducible. Empty for trajectories on which selection did not decide: duplicates, rejects, what caps and
 * decontamination left out.
 */
export function rescoreSelection(
  run: StoredRun,
  planned: SelectionRules,
  asked: SelectionRules,
): RescoredPrefix[] {
  const { trajectory } = run;
  if (trajectory === null || (trajectory.decision !== 'kept' && trajectory.decision !== 'filtered'))
    return [];
  const rules = SCORED_RULES.filter((rule) => planned.options.rules.includes(rule));
  if (rules.length === 0) return [];
  const before = anchorsOf(run, planned);
  if (trajectory.decision === 'filtered' && leftOutElsewhere(before, trajectory.reason)) return [];
  const after = anchorsOf(run, asked);
  return rules.map((rule) => {
    const stored = run.prefixes.find((prefix) => prefix.rules.includes(rule))?.anchor_turn ?? null;
    const isOrderKnown = planned.order_known && asked.order_known;
    const reproducible = isOrderKnown && before.get(rule)?.turn === stored;
    const now = after.get(rule) ?? NOTHING;
    return {
      trajectory_id: trajectory.trajectory_id,
      rule,
      old_anchor: stored,
      new_anchor: reproducible ? now.turn : null,
      reproducible,
      detail: now.detail,
    };
  });
}

interface RuleAnchor {
  readonly turn: number | null;
  readonly reason: string;
  readonly detail: string;
}

const NOTHING: RuleAnchor = { turn: null, reason: 'no_rule', detail: 'the rule is off' };

function anchorsOf(
  run: StoredRun,
  { options, task, scores }: SelectionRules,
): Map<SelectionRule, RuleAnchor> {
  // where a prefix ends after its anchor is decided by texts, the anchor is not
  const scored = {
    ...options,
    rules: SCORED_RULES.filter((rule) => options.rules.includes(rule)),
    tail: 'feedback' as const,
  };
  const { outcomes } = selectPrefixes(restoredTrajectory(run), task, scored, scores);
  return new Map(
    outcomes.map(({ rule, anchor_turn: turn, reason, detail }) => [rule, { turn, reason, detail }]),
  );
}

/** Whether something else than the scores filtered it: the rules alone would have kept it or give another reason. */
function leftOutElsewhere(before: ReadonlyMap<SelectionRule, RuleAnchor>, reason: string | null): boolean {
  if (reason === null || OUTSIDE_SELECTION.has(reason)) return true;
  const reasons = [...before.values()].map((anchor) => anchor.reason);
  return reasons.includes('kept');
}
