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

const log = (title: string, matches: UnreadRule['matches']): UnreadRule => ({
  title: `${title}, which is not read yet`,
  code: 'unknown_format',
  matches,
});

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

const text =
  (pattern: RegExp) =>
  (sniff: Sniff): boolean =>
    sniff.json === undefined && sniff.lines.length === 0 && pattern.test(sniff.head);

const keys = (...names: string[]) => document((value) => hasKeys(value, ...names));
const lineKeys = (...names: string[]) => someLine((line) => hasKeys(line, ...names));

/** In order: what is told by a rarer mark stands first. */
const RULES: readonly UnreadRule[] = [
  {
    title: 'a zip archive that is no Inspect log',
    code: 'binary_file',
    matches: (sniff) => sniff.members !== undefined,
  },
  noLog('the tree drawing of an AI-Scientist v2 run', keys('edges', 'layout', 'plan', 'code', 'analysis')),
  noLog(
    'the progress of an AI-Scientist v2 stage',
    keys('stage', 'total_nodes', 'buggy_nodes', 'best_metric'),
  ),
  noLog('the token use of an AI-Scientist v2 run', document(isTokenUse)),
  noLog('a Jupyter notebook', keys('nbformat', 'cells')),
  log('a Langfuse trace', keys('trace', 'observations')),
  log('a LangSmith batch', keys('post', 'patch')),
  noLog('an MLE-bench grading report', keys('competition_reports')),
  noLog('an MLE-bench grade of one submission', keys('competition_id', 'valid_submission')),
  log('a ToolBench search tree', keys('tree', 'answer_generation')),
  log('a Who&When transcript', keys('history', 'mistake_agent')),
  log('a LiteLLM completion log', keys('messages', 'response', 'latency_sec')),
  noLog('a SWE-bench evaluation report', keys('resolved', 'tests_status')),
  noLog('a SWE-bench evaluation report', document(isNestedSweReport)),
  noLog('a SWE-bench run report', keys('ids_resolved', 'ids_unresolved')),
  noLog('an MLR-Bench review', keys('Soundness', 'OverallAssessment')),
  noLog('an AI-Scientist result file', document(isFinalInfo)),

  log(
    'a Reflexion run',
    someItem((item) => hasKeys(item, 'name', 'memory', 'is_success')),
  ),

  log('LiteLLM completion logs', lineKeys('messages', 'response', 'latency_sec')),
  noLog(
    'a list of prompts of Gemini CLI',
    someItem((item) => hasKeys(item, 'sessionId', 'messageId', 'message') && item['type'] === 'user'),
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
  noLog('an autoresearch table', text(/^commit\t[^\n]*\bstatus\tdescription/)),
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

/** Official SWE-bench keys the report by instance. */
function isNestedSweReport(value: JsonObject): boolean {
  const entries = Object.values(value);
  return entries.length > 0 && entries.every((entry) => hasKeys(entry, 'resolved', 'tests_status'));
}

/** One object a model, each with tokens and cost. */
function isTokenUse(value: JsonObject): boolean {
  const entries = Object.values(value);
  return entries.length > 0 && entries.every((entry) => hasKeys(entry, 'tokens', 'cost (USD)'));
}

/** One object a data set, each with means over seeds. */
function isFinalInfo(value: JsonObject): boolean {
  const entries = Object.values(value);
  return entries.length > 0 && entries.every((entry) => hasKeys(entry, 'means') && isObject(entry['means']));
}
