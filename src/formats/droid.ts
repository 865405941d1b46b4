import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { blocksOf } from './anthropic-blocks.js';
import { replyBlocks, userBlockTurns } from './content-blocks.js';
import { isDroidStreamLine, readDroidStream } from './droid-stream.js';
import { objectAt, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { userSpans } from './injected-text.js';
import { lastChain } from './record-chain.js';
import { SessionRun } from './session-run.js';
import { asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const droid: FormatAdapter = {
  name: 'droid',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Factory Droid: the session store and the JSON stream of `droid exec`',
    recognised_by: 'a session_start line; or tool_call and completion lines of a stream with a session id',
    scores: 'none',
    executions: 'error flag of a result where recorded, exit code where the stream has one',
    reasoning: 'thinking blocks',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'messages on branches that were left (flag branches_left_out)',
      'the system prompt and the tool definitions are not recorded',
      'arguments are objects: the text that the model wrote is not recorded',
      'titles, owners, todo states, token counts and durations',
      'of a stream: partial texts (deltas) where the whole follows, and the final text where it repeats the last message',
      'pictures become placeholders',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const lines = sniff.lines.filter(isObject);
  if (lines.some((line) => line['type'] === 'session_start' && typeof line['id'] === 'string')) {
    return { confidence: 'certain', reason: 'a session_start line', unit: 'lines' };
  }
  if (lines.some(isDroidStreamLine)) {
    return { confidence: 'certain', reason: 'calls and results of a droid stream', unit: 'lines' };
  }
  if (lines.some(isStoredMessage)) {
    return { confidence: 'likely', reason: 'message lines that hold a message', unit: 'lines' };
  }
  return null;
}

function isStoredMessage(line: JsonObject): boolean {
  const message = line['message'];
  return (
    line['type'] === 'message' && hasKeys(line, 'parentId') && isObject(message) && hasKeys(message, 'role')
  );
}

/** A stored session begins with its start; each event of a stream names its session. */
function sessionOf(record: unknown): SessionMark | null {
  if (!isObject(record)) return null;
  if (record['type'] === 'session_start') return { opens: true, session: asString(record['id']) };
  const once = isStoredMessage(record) ? asString(record['id']) : null;
  const opens = record['type'] === 'system' && record['subtype'] === 'init';
  return { opens, once, session: asId(record['session_id']) ?? asId(record['sessionId']) };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const records = (Array.isArray(input) ? input : [input]).map((value, index) =>
    objectOf(value, `line ${index + 1}`),
  );
  const stored = records.some((record) => record['type'] === 'session_start' || isStoredMessage(record));
  return [stored ? readStore(records, context) : readDroidStream(records, context)];
}

function readStore(records: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const start = records.find((record) => record['type'] === 'session_start') ?? {};
  const messages = records.flatMap((record, index) =>
    record['type'] === 'message' ? [{ record, path: `line ${index + 1}` }] : [],
  );
  const session = asString(start['id']);
  const chain = lastChain(
    messages.map(({ record }) => ({
      id: asString(record['id']),
      parent: asString(record['parentId']),
      message: true,
    })),
  );
  const run = new SessionRun();
  if (!chain.readable && messages.length > 1) run.flag('record_tree_unreadable');
  if (chain.left_out > 0) run.flag('branches_left_out');
  if (chain.gap) run.flag('chain_gap');
  if (records.some((record) => asString(record['type'])?.startsWith('compaction') ?? false)) {
    run.flag('compaction_not_followed');
  }
  for (const index of chain.indices) {
    const message = messages[index];
    if (message !== undefined) readMessage(run, message.record, message.path);
  }
  requireModelTurns(run.turns);
  const parent = asString(start['parent']) ?? asString(start['callingSessionId']);
  if (parent !== null) run.flag('subagent');
  return run.finish(context, {
    session_id: session,
    parent_session: parent,
    scaffold: 'droid',
    model: settingsModel(context) ?? asString(start['model']),
  });
}

function readMessage(run: SessionRun, record: JsonObject, path: string): void {
  const message = objectAt(record, 'message', path);
  if (message === null) throw wrongType(`${path}.message`, 'an object', null);
  const role = requiredString(message, 'role', `${path}.message`);
  const blocksPath = `${path}.message.content`;
  const blocks = blocksOf(message['content'], blocksPath);
  const timestamp = stringAt(record, 'timestamp', path);
  if (role === 'assistant') {
    const { spans, flags } = replyBlocks(blocks, blocksPath);
    run.flag(...flags);
    run.push(makeTurn('assistant', spans, { timestamp }));
    return;
  }
  if (role !== 'user' && role !== 'system') {
    throw wrongType(`${path}.message.role`, `a known role (not "${role}")`, role);
  }
  const textSpans =
    role === 'user' ? userSpans : (text: string) => [contentSpan('prompt', 'environment', text)];
  const turns = userBlockTurns(blocks, { path: blocksPath, timestamp, textSpans: (text) => textSpans(text) });
  for (const { turn, outcome } of turns) run.push(turn.role === 'user' ? { ...turn, role } : turn, outcome);
}

/** The model stands in a settings file beside the session, named after it. */
function settingsModel(context: ReadContext): string | null {
  const own = context.place.path.slice(context.place.path.lastIndexOf('/') + 1).replace(/\.jsonl$/, '');
  const name = `${own}.settings.json`;
  if (!context.siblings.names.includes(name)) return null;
  try {
    const settings: unknown = JSON.parse(context.siblings.readText(name, 'settings') ?? '');
    return isObject(settings) ? asString(settings['model']) : null;
  } catch {
    return null;
  }
}
