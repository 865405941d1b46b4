import type { RejectCode } from '../logs/reject.js';
import type { Sniff } from './adapter.js';
import { asArray, hasKeys, isObject, type JsonObject } from './shape.js';

/** A kind of file that is known by its content and not read: a log without an adapter, or no log at all. */
export interface UnreadKind {
  /** what it looks like, as it stands after "looks like" */
  readonly title: string;
  readonly code: RejectCode;
}

interface UnreadRule extends UnreadKind {
  matches(sniff: Sniff): boolean;
}

/** The first kind whose rule matches, or null. */
export function unreadKind(sniff: Sniff): UnreadKind | null {
  return RULES.find((rule) => rule.matches(sniff)) ?? null;
}

const noLog = (title: string, matches: UnreadRule['matches']): UnreadRule => ({
  title: `${title}, which holds no trajectory`,
  code: 'not_a_trajectory',
  matches,
});

/** A rule over a file that is one JSON object. */
const document =
  (test: (value: JsonObject) => boolean) =>
  (sniff: Sniff): boolean =>
    isObject(sniff.json) && test(sniff.json);

/** A rule over a JSON array: some item passes. */
const someItem =
  (test: (item: JsonObject) => boolean) =>
  (sniff: Sniff): boolean =>
    asArray(sniff.json).some((item) => isObject(item) && test(item));

/** A rule over JSON lines: some of the first records pass. */
const someLine =
  (test: (line: JsonObject) => boolean) =>
  (sniff: Sniff): boolean =>
    sniff.lines.some((line) => isObject(line) && test(line));

const keys = (...names: string[]) => document((value) => hasKeys(value, ...names));

/** In order: what is told by a rarer mark stands first. */
const RULES: readonly UnreadRule[] = [
  noLog('the tree drawing of an AI-Scientist v2 run', keys('edges', 'layout', 'plan', 'code', 'analysis')),
  noLog(
    'the progress of an AI-Scientist v2 stage',
    keys('stage', 'total_nodes', 'buggy_nodes', 'best_metric'),
  ),
  noLog('the token use of an AI-Scientist v2 run', document(isTokenUse)),
  noLog('a Jupyter notebook', keys('nbformat', 'cells')),
  noLog('an MLR-Bench review', keys('Soundness', 'OverallAssessment')),

  noLog(
    'a list of prompts of Gemini CLI',
    someItem((item) => hasKeys(item, 'sessionId', 'messageId', 'message') && item['type'] === 'user'),
  ),
  noLog(
    'the state of an OpenHands conversation',
    document(
      (value) =>
        hasKeys(value, 'id', 'agent') &&
        (hasKeys(value, 'execution_status') || hasKeys(value, 'agent_status')),
    ),
  ),
  noLog(
    'the result of a Claude Code run without its messages',
    document((value) => value['type'] === 'result' && hasKeys(value, 'num_turns', 'session_id')),
  ),
  noLog(
    'the last reply of a Gemini CLI run without its calls and turns',
    document((value) => hasKeys(value, 'response', 'stats') && hasKeys(value['stats'], 'models', 'tools')),
  ),
  noLog(
    "a piece of opencode's file storage (`opencode export` writes a session whole)",
    document((value) => isStoragePiece(value)),
  ),
  noLog('a Terminal-Bench result', keys('is_resolved', 'parser_results')),
  noLog(
    'a Terminal-Bench result',
    document((value) => asArray(value['results']).some((trial) => hasKeys(trial, 'is_resolved'))),
  ),
  noLog(
    'an asciinema recording',
    someLine((line) => line['version'] === 2 && hasKeys(line, 'width')),
  ),

  noLog('prose of Gemini CLI without its calls and turns', isGluedProse),

  // Decoded texts in which replies and feedback run on: at most a template that is not named parts them.
  noLog(
    'a rollout dump of verl, prompt and response as two texts without borders of turns',
    someLine((line) => hasTexts(line, 'input', 'output') && hasKeys(line, 'score', 'step')),
  ),
  noLog(
    'an evaluation dump of SkyRL, prompt and response as two texts of a template that is not named',
    someLine((line) => hasTexts(line, 'input_prompt', 'output_response') && hasKeys(line, 'env_class')),
  ),
];

/**
 * The text log of Gemini CLI glues what the model said between calls, sentence to sentence without a blank. Neither
 * calls, results nor borders of turns can be told from it.
 */
function isGluedProse(sniff: Sniff): boolean {
  if (sniff.json !== undefined || sniff.lines.length > 0) return false;
  const glued = sniff.head.match(/[.:!?)`](?:I'll|I'm|I've|I will|I'd|I |Okay|Now|Let me|Next|The )/g) ?? [];
  return glued.length >= 5;
}

/** opencode kept a file for each session, message and part before it had a database. */
function isStoragePiece(value: JsonObject): boolean {
  const session = hasKeys(value, 'id', 'projectID', 'directory', 'time');
  const part = hasKeys(value, 'id', 'sessionID', 'messageID', 'type');
  return session || part || (hasKeys(value, 'id', 'sessionID', 'role') && !hasKeys(value, 'content'));
}

function hasTexts(line: JsonObject, ...names: readonly string[]): boolean {
  return names.every((name) => typeof line[name] === 'string');
}

/** One object a model, each with tokens and cost. */
function isTokenUse(value: JsonObject): boolean {
  const entries = Object.values(value);
  return entries.length > 0 && entries.every((entry) => hasKeys(entry, 'tokens', 'cost (USD)'));
}
