import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { type ChatBlock, type ChatSession, chatSessions } from './aider-chat.js';
import { replySpans } from './aider-reasoning.js';
import { wrongType } from './fields.js';
import { actionSpans, type CallMark } from './inline-calls.js';
import { SessionRun } from './session-run.js';
import { requireModelTurns } from './shell-executions.js';

/** An edit that aider applies: the name of the call, since the text has none. */
const EDIT = 'edit';

const EDIT_LINE = /^(?:<{5,9} (SEARCH|ORIGINAL)|>{5,9} (?:REPLACE|UPDATED))[^\n]*$/gm;

/** Commands to aider; others open a prompt in a mode (/ask, /code, /architect). */
const COMMAND = /^(?:\/(?!(?:ask|code|architect|context)\b)[a-z-]+\b|!)/;

/** Commands whose output can come into the chat. */
const SHOWS_OUTPUT = /^(?:\/(?:run|test|lint|web|git|commit)\b|!)/;

/** The scaffold that speaks through aider to run experiments, which has results beside its chat. */
const AI_SCIENTIST = /--out_dir=run_i/;

export const aiderMarkdown: FormatAdapter = {
  name: 'aider-markdown',
  version: '1',
  unit: 'text',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Chat history of aider (markdown), also as published transcripts',
    recognised_by:
      'the header `# aider chat started at`, or `#### ` lines of a human and `> ` lines of the console',
    scores: 'none',
    executions:
      'none: aider runs nothing that the model calls; edit blocks are calls without a recorded outcome',
    reasoning: 'where the API sent it beside the reply, in tags of aider; think tags in text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt, files in the chat, model and how a reply ended are not recorded',
      'console lines are kept where the model was shown their like: between two replies and after /run and its kin',
      'the other console lines, and the text around published transcripts',
      'lines of a reply that look like a human or the console are told by fences and line ends (flag ambiguous_lines)',
      'blank lines around a reply',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.json !== undefined || sniff.lines.length > 0) return null;
  const { head } = sniff;
  const header = /^# aider chat started at /m.test(head);
  const voices = /^#### \S/m.test(head) && /^> /m.test(head);
  if (!header && !voices) return null;
  const reason = header ? 'the header of an aider chat' : 'lines of a human and of the console';
  return { confidence: header && !AI_SCIENTIST.test(head) ? 'certain' : 'likely', reason };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (typeof input !== 'string') throw wrongType('chat', 'a text', input);
  const sessions = chatSessions(input);
  const runs = sessions
    .filter((session) => session.blocks.some(({ voice }) => voice === 'reply'))
    .map((session) => readSession(session, context));
  requireModelTurns(runs.flatMap((run) => run.turns));
  return runs;
}

function readSession(session: ChatSession, context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  run.flag('system_prompt_absent');
  if (session.ambiguous) run.flag('ambiguous_lines');
  session.blocks.forEach((block, index) => {
    if (block.voice === 'console' && !isShown(session.blocks, index)) run.flag('console_left_out');
    else run.push(blockTurn(block));
  });
  const last = run.turns.findLast((turn) => turn.role === 'assistant' || isPrompt(turn));
  return run.finish(context, {
    session_id: session.started,
    scaffold: 'aider',
    termination: last?.role === 'assistant' ? 'submitted' : 'cut',
  });
}

/** The turn of a block, for readers of chats that hold more than aider does. */
export function blockTurn(block: ChatBlock): Turn {
  if (block.voice === 'reply') {
    return makeTurn(
      'assistant',
      replySpans(block.text, (text) => actionSpans(text, editMarks(text))),
    );
  }
  const command = block.voice === 'human' && COMMAND.test(block.text);
  const kind = block.voice === 'human' && !command ? 'prompt' : 'observation';
  const flags = block.voice === 'console' ? ['console'] : command ? ['command'] : [];
  return makeTurn('user', [contentSpan(kind, 'environment', block.text)], { flags });
}

/** Edit blocks of a reply; one that is not closed before the next, or at all, is malformed. */
function editMarks(text: string): CallMark[] {
  const marks: CallMark[] = [];
  let start: number | null = null;
  for (const match of text.matchAll(EDIT_LINE)) {
    const opens = match[1] !== undefined;
    if (start !== null && opens) marks.push({ start, end: match.index, call: null });
    if (start !== null && !opens) {
      const end = match.index + match[0].length;
      marks.push({ start, end, call: { name: EDIT, arguments: text.slice(start, end) } });
    }
    start = opens ? match.index : null;
  }
  if (start !== null) marks.push({ start, end: text.length, call: null });
  return marks;
}

function isShown(blocks: readonly ChatBlock[], index: number): boolean {
  const before = blocks[index - 1];
  const after = blocks[index + 1];
  if (before?.voice === 'human') return SHOWS_OUTPUT.test(before.text);
  return before?.voice === 'reply' && after?.voice === 'reply';
}

function isPrompt(turn: Turn): boolean {
  return turn.spans.some((span) => span.kind === 'prompt');
}
