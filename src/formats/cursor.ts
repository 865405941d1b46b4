import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { blocksOf } from './anthropic-blocks.js';
import { replyBlocks, userBlockTurns } from './content-blocks.js';
import { isCursorStream, readCursorStream } from './cursor-stream.js';
import { objectOf, requiredString, wrongType } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { wrappedSpans } from './injected-text.js';
import { actionSpans } from './inline-calls.js';
import { SessionRun } from './session-run.js';
import { asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

/** What the transcript writes in the place of reasoning that it hides. */
const REDACTED = '[REDACTED]';

/** Transcripts of sub-agents lie in a folder of the session that started them. */
const SUBAGENT_PATH = /(?:^|\/)([^/]+)\/subagents\/[^/]+\.jsonl$/;

const ROLES: Readonly<Record<string, 'user' | 'assistant' | 'system'>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  model: 'assistant',
  system: 'system',
};

export const cursor: FormatAdapter = {
  name: 'cursor',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Cursor agent transcripts (JSON lines), and what its agent prints with --output-format stream-json',
    recognised_by:
      'lines that hold nothing but a role and a message with content; a stream with records of type tool_call',
    scores: 'none',
    executions: 'calls and, where written, their results; is_error where present, exit codes in the stream',
    reasoning: 'thinking blocks; "[REDACTED]" stands for hidden reasoning and is not trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'session id, model, time, system prompt and tool definitions are not recorded',
      'calls have no ids: the n-th result after a reply answers its n-th call',
      'arguments are objects: the text that the model wrote is not recorded',
      'newer transcripts leave out tool results; the stream holds them as data, not as the model saw them',
      'pictures become placeholders',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isCursorStream(sniff.lines)) {
    return { confidence: 'certain', reason: 'the stream of a Cursor agent', unit: 'lines' };
  }
  if (!sniff.lines.some(isTranscriptLine)) return null;
  return { confidence: 'certain', reason: 'lines with a role and a message', unit: 'lines' };
}

function isTranscriptLine(line: unknown): boolean {
  if (!hasKeys(line, 'role', 'message') || hasKeys(line, 'type') || hasKeys(line, 'uuid')) return false;
  return typeof line['role'] === 'string' && isObject(line['message']);
}

/** Each event of a stream names its session; lines of a transcript do not. */
function sessionOf(record: unknown): SessionMark | null {
  if (!isObject(record)) return null;
  return { opens: record['subtype'] === 'init', session: asString(record['session_id']) };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const lines = (Array.isArray(input) ? input : [input]).map((value, index) =>
    objectOf(value, `line ${index + 1}`),
  );
  if (isCursorStream(lines)) {
    const streamed = readCursorStream(lines, context);
    requireModelTurns(streamed.turns);
    return [streamed];
  }
  const run = new SessionRun();
  lines.forEach((line, index) => {
    readLine(run, line, `line ${index + 1}`);
  });
  requireModelTurns(run.turns);
  const parent = SUBAGENT_PATH.exec(context.place.path)?.[1] ?? null;
  if (parent !== null) run.flag('subagent');
  return [run.finish(context, { scaffold: 'cursor', parent_session: parent })];
}

function readLine(run: SessionRun, line: JsonObject, path: string): void {
  if (!hasKeys(line, 'role')) {
    // Marks of turns and status lines carry no message.
    if (hasKeys(line, 'message')) throw wrongType(`${path}.role`, 'a string', line['role']);
    return;
  }
  const logged = requiredString(line, 'role', path);
  const role = Object.hasOwn(ROLES, logged) ? ROLES[logged] : undefined;
  if (role === undefined) throw wrongType(`${path}.role`, `a known role (not "${logged}")`, logged);
  const content = objectOf(line['message'], `${path}.message`)['content'];
  const blocksPath = `${path}.message.content`;
  const blocks = blocksOf(content, blocksPath);
  if (role === 'assistant') {
    const { spans, flags } = replyBlocks(blocks, blocksPath, replyText);
    if (spans.some((span) => span.text.includes(REDACTED))) run.flag('reasoning_hidden');
    run.flag(...flags);
    run.push(makeTurn('assistant', spans));
    return;
  }
  const textSpans =
    role === 'user'
      ? (text: string) => wrappedSpans(text, 'user_query')
      : (text: string) => [contentSpan('prompt', 'environment', text)];
  for (const { turn, outcome } of userBlockTurns(blocks, { path: blocksPath, timestamp: null, textSpans })) {
    run.push(turn.role === 'user' ? { ...turn, role } : turn, outcome);
  }
}

/** Reply text, with the marks of hidden reasoning cut out as nobody's words. */
function replyText(text: string): Span[] {
  const spans: Span[] = [];
  text.split(REDACTED).forEach((piece, index) => {
    if (index > 0) spans.push(contentSpan('text', 'environment', REDACTED));
    if (piece !== '') spans.push(...actionSpans(piece, []));
  });
  return spans;
}
