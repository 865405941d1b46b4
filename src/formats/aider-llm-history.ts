import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Role } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { blockTurn } from './aider-markdown.js';
import { wrongType } from './fields.js';
import { type CallChain, callChains, type LoggedCall } from './generation-chains.js';
import { plainLineEnds } from './line-ends.js';
import { inherited, SessionRun } from './session-run.js';
import { asString, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const aiderLlmHistory: FormatAdapter = {
  name: 'aider-llm-history',
  version: '1',
  unit: 'text',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'What aider sent to its model and got back (--llm-history-file)',
    recognised_by: 'a line TO LLM with a time above a rule and lines that open with the name of a role',
    scores: 'none',
    executions: 'none: aider runs nothing that the model calls; edit blocks are calls without an outcome',
    reasoning: 'in tags of aider; think tags in text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the line end behind the last line of a message; other ends of lines are plain ones',
      'model, function calls, and how a reply ended: one that was interrupted looks whole',
      'messages without any text; pictures are their addresses',
      'a context that repeats the last one only in part is a run of its own, its earlier replies history (copied_context)',
    ],
  },
  detect,
  read,
};

const OPENING = /^TO LLM \d{4}-\d\d-\d\dT[\d:.]+\r?\n-{7}\r?\n(?:SYSTEM|USER) /m;
const HEAD = /^(TO LLM|LLM RESPONSE) (\d{4}-\d\d-\d\dT[\d:.]+)$/;
const RULE = '-------';
const SAID = /^(SYSTEM|DEVELOPER|USER|ASSISTANT|TOOL|FUNCTION) (.*)$/;
const ROLES: Readonly<Record<string, Role>> = {
  SYSTEM: 'system',
  DEVELOPER: 'system',
  USER: 'user',
  ASSISTANT: 'assistant',
  TOOL: 'tool',
  FUNCTION: 'tool',
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.json !== undefined || sniff.lines.length > 0 || !OPENING.test(sniff.head)) return null;
  return { confidence: 'certain', reason: 'what aider sent to its model' };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (typeof input !== 'string') throw wrongType('history', 'a text', input);
  const calls = loggedCalls(plainLineEnds(input)).filter(({ reply }) => reply.length > 0);
  const runs = callChains(calls).map((chain) => readChain(chain, context));
  requireModelTurns(runs.flatMap((run) => run.turns));
  return runs;
}

/** Every line of a text opens with its role, so that a head or a rule is no part of one. */
function loggedCalls(text: string): LoggedCall[] {
  const calls: { input: JsonObject[]; reply: JsonObject[]; started_at: string | null }[] = [];
  let open: JsonObject[] = [];
  let message: { role: string; lines: string[] } | null = null;
  const close = (): void => {
    if (message !== null) open.push({ role: ROLES[message.role], content: message.lines.join('\n') });
    message = null;
  };
  for (const line of text.split('\n')) {
    const head = HEAD.exec(line);
    if (head !== null || line === RULE) close();
    if (head?.[1] === 'TO LLM') {
      open = [];
      calls.push({ input: open, reply: [], started_at: head[2] ?? null });
    } else if (head !== null) open = calls.at(-1)?.reply ?? [];
    const [, role = '', said = ''] = SAID.exec(line) ?? [];
    if (role === '') continue;
    if (message !== null && message.role !== role) close();
    message ??= { role, lines: [] };
    message.lines.push(said);
  }
  close();
  return calls.map((call) => ({ ...call, tools: [], model: null }));
}

function readChain({ calls }: CallChain, context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  const written = new Map(calls.map((call) => [call.input.length, call]));
  const last = calls.at(-1);
  [...(last?.input ?? []), ...(last?.reply ?? [])].forEach((message, index) => {
    const text = asString(message['content']) ?? '';
    const role = message['role'] as Role;
    if (role !== 'assistant') {
      const kind = role === 'tool' ? 'observation' : 'prompt';
      run.push(makeTurn(role, [contentSpan(kind, 'environment', text)]));
      return;
    }
    const call = written.get(index);
    const turn = { ...blockTurn({ voice: 'reply', text }), timestamp: call?.started_at ?? null };
    run.push(call === undefined ? inherited(turn) : turn);
  });
  return run.finish(context, { scaffold: 'aider' });
}
