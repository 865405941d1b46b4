import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { listOf, objectOf, stringAt } from './fields.js';
import { isContents, pushContents } from './gemini-contents.js';
import { type GeminiJournal, geminiJournal, type JournalMessage } from './gemini-journal.js';
import { JournalReader } from './gemini-session.js';
import { isGeminiStreamLine, readGeminiStream } from './gemini-stream.js';
import type { SessionMark } from './glued-sessions.js';
import { SessionRun } from './session-run.js';
import { asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

/** Sub-agents lie in a folder named by the session that started them. */
const SUBAGENT_PATH = /(?:^|\/)chats\/([^/]+)\/[^/]+\.jsonl$/;

export const geminiCli: FormatAdapter = {
  name: 'gemini-cli',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Gemini CLI: session files, one JSON up to 0.39 and JSON lines from 0.40, bare contents lists and checkpoints of chats, and --output-format stream-json',
    recognised_by:
      'sessionId and projectHash with messages or as a first line; a list of role model|user with parts, alone or as history; lines of type init and tool_use with tool_id',
    scores: 'none',
    executions: 'status of each call; exit code of a shell command where the result text has one',
    reasoning: 'summaries of thoughts, which is all that the API sends, never trained (reasoning_summary)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the raw thoughts: a session holds summaries of them, kept as environment text (flag reasoning_summary)',
      'the system prompt and the tool definitions are not recorded',
      'arguments are objects: the text that the model wrote is not recorded',
      'what the terminal showed: info, warning and error records, display texts, summaries, token counts',
      'messages that a rewind took back, and earlier states of a message that was written again',
      'results that a history which was written again has shortened: they are shown whole (flag context_edited)',
      'pictures and files become placeholders',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const { json, lines } = sniff;
  if (hasKeys(json, 'sessionId', 'projectHash') && Array.isArray(json['messages'])) {
    return { confidence: 'certain', reason: 'sessionId, projectHash and messages', unit: 'document' };
  }
  if (lines.some((line) => hasKeys(line, 'sessionId', 'projectHash') && !hasKeys(line, 'parentUuid'))) {
    return { confidence: 'certain', reason: 'a line with sessionId and projectHash', unit: 'lines' };
  }
  if (lines.some(isGeminiStreamLine)) {
    return { confidence: 'certain', reason: 'the stream of Gemini CLI', unit: 'lines' };
  }
  if (contentsOf(json) !== null) {
    return { confidence: 'certain', reason: 'a list of model and user parts', unit: 'document' };
  }
  return null;
}

/** Contents as a bare list, or as the history of a checkpoint (`/chat save`). */
function contentsOf(value: unknown): readonly JsonObject[] | null {
  const list = hasKeys(value, 'history') ? value['history'] : value;
  return isContents(list) ? list : null;
}

/** The head of a session file, or of a stream, names its session; a stream ends with a result. */
function sessionOf(record: unknown): SessionMark | null {
  if (!isObject(record)) return null;
  const { type } = record as { type?: unknown };
  const head = type === undefined && hasKeys(record, 'sessionId', 'projectHash');
  if (head) return { opens: true, session: asString(record['sessionId']) };
  if (type === 'init') return { opens: true, session: asString(record['session_id']) };
  return null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const contents = contentsOf(input);
  if (contents !== null) return [readContents(contents, context)];
  if (Array.isArray(input) && input.some(isGeminiStreamLine)) {
    const records = input.map((value, index) => objectOf(value, `line ${index + 1}`));
    const streamed = readGeminiStream(records, context);
    requireModelTurns(streamed.turns);
    return [streamed];
  }
  const journal = Array.isArray(input) ? geminiJournal(input) : documentJournal(objectOf(input, 'document'));
  const { session } = journal;
  if (journal.steps.length === 0) throw new RejectError('no_turns', 'a session without messages');
  const reader = new JournalReader(journal);
  const { run } = reader;
  for (const step of journal.steps) reader.take(step);
  requireModelTurns(run.turns);
  const subagent = session['kind'] === 'subagent';
  if (subagent) run.flag('subagent');
  return [
    run.finish(context, {
      session_id: stringAt(session, 'sessionId', ''),
      parent_session: subagent ? (SUBAGENT_PATH.exec(context.place.path)?.[1] ?? null) : null,
      scaffold: 'gemini-cli',
      model: reader.model,
    }),
  ];
}

/** A session file of one document: all its messages, as they stand. */
function documentJournal(session: JsonObject): GeminiJournal {
  const history = listOf(session['messages'], 'messages').map((value, index): JournalMessage => {
    const path = `messages[${index}]`;
    return { id: path, fields: objectOf(value, path), path };
  });
  return { session, messages: new Map(), steps: history.length === 0 ? [] : [{ history, opens: true }] };
}

/** What the CLI writes for the model behind its opening context, and behind the summary of a compaction. */
const WRITTEN_REPLY = /^Got it\. Thanks for the (?:additional )?context!$/;

/** What the API itself was given: contents with parts, raw thoughts included. */
function readContents(contents: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  pushContents(run, contents, { path: '', written: WRITTEN_REPLY });
  requireModelTurns(run.turns);
  return run.finish(context, { scaffold: 'gemini-cli' });
}
