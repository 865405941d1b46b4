import type { RejectCode } from '../logs/reject.js';
import type { Sniff } from './adapter.js';
import { asArray, asString, hasKeys, isObject, type JsonObject } from './shape.js';

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
const typeStartsWith = (value: JsonObject, prefix: string): boolean =>
  asString(value['type'])?.startsWith(prefix) ?? false;

/** Human lines and tool lines of an aider chat without its header; two tests, since one pattern would backtrack. */
const asks = text(/^#### \S/m);
const answers = text(/^> /m);

/** In order: what is told by a rarer mark stands first. */
const RULES: readonly UnreadRule[] = [
  noLog('the tree drawing of an AI-Scientist v2 run', keys('edges', 'layout', 'plan', 'code', 'analysis')),
  noLog(
    'the progress of an AI-Scientist v2 stage',
    keys('stage', 'total_nodes', 'buggy_nodes', 'best_metric'),
  ),
  noLog('the token use of an AI-Scientist v2 run', document(isTokenUse)),
  log('an aira-dojo search', keys('nodes', 'solution', 'config')),
  log('a SUPER notebook', keys('nbformat', 'cells')),
  log('an Inspect log', keys('eval', 'plan', 'status')),
  log('a Langfuse trace', keys('trace', 'observations')),
  log('a LangSmith batch', keys('post', 'patch')),
  noLog('an MLE-bench grading report', keys('competition_reports')),
  noLog('an MLE-bench grade of one submission', keys('competition_id', 'valid_submission')),
  log('a TapeAgents tape', keys('metadata', 'context', 'steps')),
  log('a ToolBench search tree', keys('tree', 'answer_generation')),
  log('a Who&When transcript', keys('history', 'mistake_agent')),
  log('a LiteLLM completion log', keys('messages', 'response', 'latency_sec')),
  log('a Gemini CLI session', keys('sessionId', 'projectHash', 'messages')),
  log('a Hermes session', keys('session_id', 'platform', 'messages')),
  noLog('a SWE-bench evaluation report', keys('resolved', 'tests_status')),
  noLog('a SWE-bench evaluation report', document(isNestedSweReport)),
  noLog('a SWE-bench run report', keys('ids_resolved', 'ids_unresolved')),
  noLog('SUPER metrics', keys('submitted', 'output_match', 'entrypoint')),
  noLog('an MLR-Bench review', keys('Soundness', 'OverallAssessment')),
  noLog('the description of a Claude Code sub-agent', keys('agentType', 'description')),
  noLog('an AI-Scientist result file', document(isFinalInfo)),

  log(
    'tau-bench results',
    someItem((item) => hasKeys(item, 'task_id', 'reward', 'traj')),
  ),
  log(
    'a Claude Code session in its old JSON',
    someItem((item) => item['type'] === 'message' && hasKeys(item, 'role', 'usage')),
  ),
  log(
    'a Claude Code JSON stream',
    someItem((item) => item['type'] === 'system' && item['subtype'] === 'init'),
  ),
  log(
    'a Cline conversation',
    someItem((item) => hasKeys(item, 'role', 'modelInfo')),
  ),
  log(
    'an opencode database table',
    someItem((item) => hasKeys(item, 'session_id', 'data') || hasKeys(item, 'project_id', 'slug')),
  ),
  log(
    'a Reflexion run',
    someItem((item) => hasKeys(item, 'name', 'memory', 'is_success')),
  ),
  log(
    'ShareGPT conversations',
    someItem((item) => asArray(item['conversations']).some((turn) => isObject(turn))),
  ),
  log(
    'SWE-agent rows of a data set',
    someItem((item) => hasKeys(item, 'trajectory', 'exit_status')),
  ),
  {
    title: 'a JSON array of rows with messages: write one row a line to have it read',
    code: 'unknown_format',
    matches: someItem((item) => Array.isArray(item['messages'])),
  },

  log(
    'a Qwen Code session',
    someLine((line) => hasKeys(line, 'parentUuid') && isObject(line['message']) && hasParts(line['message'])),
  ),
  log('a Claude Code session', lineKeys('parentUuid', 'sessionId')),
  log(
    'a Claude Code session',
    someLine((line) => line['type'] === 'summary' && hasKeys(line, 'leafUuid')),
  ),
  log('a Claude Code session', lineKeys('type', 'sessionId', 'uuid')),
  log('a Codex rollout', lineKeys('type', 'payload', 'timestamp')),
  log('a Codex session of another version', lineKeys('created_at', 'type', 'function')),
  log(
    'a Pi or OpenClaw session',
    someLine((line) => line['type'] === 'session' && hasKeys(line, 'cwd')),
  ),
  log('a Kimi session', lineKeys('type', 'protocol_version')),
  log(
    'a Copilot session',
    someLine((line) => typeStartsWith(line, 'session.') && hasKeys(line, 'data')),
  ),
  log('a Gemini CLI session', lineKeys('sessionId', 'projectHash')),
  log('LiteLLM completion logs', lineKeys('messages', 'response', 'latency_sec')),
  log('an Antigravity session', lineKeys('step_index', 'source')),
  log(
    'a Droid session',
    someLine((line) => line['type'] === 'session_start'),
  ),
  log('a Droid stream', lineKeys('toolCallId')),
  log(
    'OpenHands events',
    someLine((line) => asString(line['kind'])?.endsWith('Event') ?? false),
  ),
  noLog('TapeAgents training samples (token rows without turns)', lineKeys('input_ids', 'logprobs')),
  log('an aira-dojo checkpoint', lineKeys('operators_used')),
  log(
    'a Grok session',
    someLine((line) => hasKeys(line, 'synthetic_reason') || hasKeys(line, 'prompt_index')),
  ),
  log(
    'a Cursor session',
    someLine((line) => hasKeys(line, 'role') && isObject(line['message'])),
  ),
  noLog(
    'an asciinema recording',
    someLine((line) => line['version'] === 2 && hasKeys(line, 'width')),
  ),

  log('an aider chat', text(/^# aider chat started at /m)),
  log('an aider chat', (sniff) => asks(sniff) && answers(sniff)),
  log('a Codex text log', text(/^\[\d{4}-\d\d-\d\d[^\]]*\] OpenAI Codex v/)),
  noLog('an autoresearch table', text(/^commit\t[^\n]*\bstatus\tdescription/)),
];

function hasParts(message: JsonObject): boolean {
  return Array.isArray(message['parts']);
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
