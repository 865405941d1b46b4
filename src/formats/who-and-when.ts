import { contentSpan, makeTurn, turnContent } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { listAt, objectOf, requiredString, stringAt } from './fields.js';
import { actionSpans, type CallMark } from './inline-calls.js';
import { rawTrajectory } from './raw-trajectory.js';
import { asBoolean, asId, hasKeys, type JsonObject } from './shape.js';
import { boundaryFlags, type CallOutcome, requireModelTurns, shellExecutions } from './shell-executions.js';

/** Runs the fenced programs of the message before it. */
const TERMINAL = 'Computer_terminal';
const EXIT = /^exitcode: (-?\d+) /;
const FENCE = /```(\w*)\n([\s\S]*?)```/g;
/** What Magentic-One's orchestrator wraps around the JSON that its model wrote. */
const LEDGER = /^(Updated Ledger:\n)(\{[\s\S]*\})\s*$/;
/** Agents of Magentic-One whose reports are written by their tools: pages, files, search results. */
const TOOL_AGENTS: ReadonlySet<string> = new Set(['WebSurfer', 'FileSurfer', 'ComputerTerminal', TERMINAL]);

export const whoAndWhen: FormatAdapter = {
  name: 'who-and-when',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Who&When transcript: a failed run of several AutoGen agents, with the step of the mistake',
    recognised_by: 'an object with history and mistake_agent',
    scores: 'none; `resolved` is is_correct, which some files call is_corrected',
    executions:
      'programs that the terminal ran, with exit codes; experiments only where the pipeline names tools',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompts of the agents, question, ground truth and the reason of the mistake',
      'which context each agent had: turns stand in the order of the conversation',
      "Magentic-One's orchestrator: plans and instructions stand in templates or copy its ledger, so that only the ledger's JSON is the model's",
      'reports of browsing and terminal agents, which mix text of tools and of models, are environment',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const found = hasKeys(sniff.json, 'history', 'mistake_agent') && Array.isArray(sniff.json['history']);
  return found ? { confidence: 'certain', reason: 'an object with history and mistake_agent' } : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(input, 'document');
  const messages = (listAt(document, 'history', '') ?? []).map((value, index) =>
    objectOf(value, `history[${index}]`),
  );
  const mistake = Number(asId(document['mistake_step']) ?? Number.NaN);
  const turns = messages.map((message, index) => {
    const next = messages[index + 1];
    const turn = messageTurn(message, { path: `history[${index}]`, index, run: next?.['name'] === TERMINAL });
    return index === mistake ? { ...turn, flags: [...turn.flags, 'mistake'] } : turn;
  });
  requireModelTurns(turns);
  const executions = shellExecutions(turns, context, (call) => {
    const later = turns[call.call_turn]?.spans.slice(call.call_span + 1) ?? [];
    // All programs of a message run as one: the last stands for them.
    return later.some((span) => span.call !== null) ? null : outcome(turns, call.call_turn);
  });
  const verdict = asBoolean(document['is_correct']) ?? asBoolean(document['is_corrected']);
  const agent = asId(document['mistake_agent']);
  return [
    rawTrajectory(
      { turns, executions },
      {
        session_id: asId(document['question_ID']),
        task_id: asId(document['question_ID']),
        scaffold: 'autogen',
        termination: 'unknown',
        resolved: verdict,
        flags: [
          ...boundaryFlags(executions),
          'several_agents',
          ...(agent === null ? [] : [`mistake_agent:${agent}`]),
          ...mistakeFlags(turns[mistake], agent),
        ],
      },
    ),
  ];
}

/** Some transcripts count the step of the mistake otherwise: it is then another agent's. */
function mistakeFlags(turn: Turn | undefined, agent: string | null): string[] {
  if (turn === undefined) return ['mistake_step_missing'];
  return agent !== null && turn.name?.startsWith(agent) !== true ? ['mistake_step_of_other_agent'] : [];
}

function messageTurn(message: JsonObject, at: { path: string; index: number; run: boolean }): Turn {
  const { path, index, run } = at;
  const role = requiredString(message, 'role', path);
  const name = stringAt(message, 'name', path) ?? role;
  const text = stringAt(message, 'content', path) ?? '';
  const environment = (kind: 'prompt' | 'observation'): Turn =>
    makeTurn('user', [contentSpan(kind, 'environment', text)], { name });
  if (name === 'human' || index === 0) return environment('prompt');
  if (TOOL_AGENTS.has(name)) return environment('observation');
  if (name.startsWith('Orchestrator')) {
    const ledger = LEDGER.exec(text);
    if (ledger === null) return environment('observation');
    const start = ledger[1] ?? '';
    const body = ledger[2] ?? '';
    const rest = text.slice(start.length + body.length);
    const spans: Span[] = [contentSpan('text', 'environment', start), contentSpan('text', 'model', body)];
    if (rest !== '') spans.push(contentSpan('text', 'environment', rest));
    return makeTurn('assistant', spans, { name });
  }
  return makeTurn('assistant', actionSpans(text, run ? fenceMarks(text) : []), { name });
}

function fenceMarks(text: string): CallMark[] {
  return [...text.matchAll(FENCE)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    call: { name: match[1] || 'python', arguments: match[2] ?? '' },
  }));
}

function outcome(turns: readonly Turn[], call_turn: number): CallOutcome | null {
  const answer = turns[call_turn + 1];
  const exit = answer === undefined ? null : EXIT.exec(turnContent(answer));
  if (exit === null) return { feedback_turn: answer === undefined ? null : call_turn + 1 };
  const exit_code = Number(exit[1]);
  return { feedback_turn: call_turn + 1, exit_code, status: exit_code === 0 ? 'ok' : 'error' };
}
