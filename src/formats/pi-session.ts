import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { sessionEnd } from './claude-end.js';
import { listOf } from './fields.js';
import type { SessionMark } from './glued-sessions.js';
import { isMirror, keptFrom, type PiEntry, type PiTree, piTree } from './pi-entries.js';
import { PiSystem, systemMessage } from './pi-system.js';
import { piTurn } from './pi-turns.js';
import { inherited, SessionRun } from './session-run.js';
import { settleSession } from './settled-session.js';
import { asArray, asString, hasKeys, isObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const piSession: FormatAdapter = {
  name: 'pi-session',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Sessions of pi and OpenClaw (JSON lines), versions 1 to 3',
    recognised_by: 'a line of type session with cwd or version, messages in lines of type message',
    scores: 'none',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning:
      'thinking parts; absent where they are redacted or empty (flag reasoning_hidden); of OpenAI and Google they are summaries (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt and tool definitions, unless the header or messages of their own (since 0.86) hold them',
      'which models were sent later system messages where they stand: they are taken to change the prompt, words behind its first ones',
      'arguments are objects: the text that the model wrote is not recorded',
      'rewound branches are turns outside of every context, counted in the flag rewound_turns',
      'replies without any content (aborted before the first word) are left out (flag empty_replies)',
      'the words around summaries, and around commands that the user ran, are not recorded',
      'usage, costs, labels, extension state, error messages of the provider',
      'copies that the gateway of OpenClaw wrote of what it sent to its channels (flag mirrored_replies)',
      'pictures become placeholders',
    ],
  },
  detect,
  sessionOf,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const header = sniff.lines.find((line) => isObject(line) && line['type'] === 'session');
  if (!hasKeys(header, 'id', 'timestamp')) return null;
  if (!Object.hasOwn(header, 'cwd') && !Object.hasOwn(header, 'version')) return null;
  return { confidence: 'certain', reason: 'lines of a pi session' };
}

function sessionOf(record: unknown): SessionMark | null {
  if (!isObject(record)) return null;
  const id = asString(record['id']);
  const heads = record['type'] === 'session';
  return { once: id, time: asString(record['timestamp']), opens: heads, session: heads ? id : null };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const tree = piTree(listOf(input, 'lines'));
  const { header } = tree;
  const run = new SessionRun();
  const system = new PiSystem();
  system.say(run, asString(header['systemPrompt']) ?? '');
  const told = tree.entries.some((entry) => tree.live.has(entry) && systemMessage(entry) !== null);
  if (system.turn === null && !told) run.flag('system_prompt_absent');
  run.flag(...tree.flags);
  fill(run, tree, system);
  requireModelTurns(run.turns);
  const model = settleSession(run);
  const tools = system.tools.length > 0 ? system.tools : asArray(header['tools']);
  return [
    run.finish(context, {
      session_id: asString(header['id']),
      scaffold: isOpenClaw(tree) ? 'openclaw' : 'pi',
      model: model ?? asString(header['modelId']),
      tools: tools.length > 0 ? JSON.stringify(tools) : null,
      termination: sessionEnd(run.context.flatMap((index) => run.turns[index] ?? [])),
    }),
  ];
}

/** Puts the entries into the run: branches that were left stand aside, a compaction begins a context. */
function fill(run: SessionRun, tree: PiTree, system: PiSystem): void {
  const turns = new Map<PiEntry, number>();
  const started = asString(tree.header['timestamp']) ?? '';
  const forked = ['parentSession', 'branchedFrom'].some((key) => asString(tree.header[key]) !== null);
  if (forked) run.flag('forked_session');
  for (const entry of tree.entries) {
    const live = tree.live.has(entry);
    if (isMirror(entry)) {
      run.flag('mirrored_replies');
      continue;
    }
    const told = systemMessage(entry);
    if (told !== null) {
      if (live) system.apply(run, told, entry);
      continue;
    }
    const read = piTurn(entry);
    if (entry.type === 'compaction' && live) {
      const kept = keptTurns(entry, tree, turns);
      if (kept === null) run.flag('context_partly_unknown');
      run.restart(system.turn === null ? [] : [system.turn], 'compaction');
      if (read !== null) run.push(read.turn);
      run.resume(kept ?? []);
      continue;
    }
    if (read === null) continue;
    if (read.turn.role === 'assistant' && read.turn.spans.length === 0) {
      run.flag('empty_replies');
      continue;
    }
    const copied = forked && entry.timestamp !== null && entry.timestamp < started;
    const turn = copied ? inherited(read.turn) : read.turn;
    if (!live) run.aside(turn);
    else turns.set(entry, run.push(turn, read.outcome));
  }
}

/** Turns that a compaction keeps behind its summary, null where the log does not say which. */
function keptTurns(
  compaction: PiEntry,
  tree: PiTree,
  turns: ReadonlyMap<PiEntry, number>,
): readonly number[] | null {
  const from = keptFrom(compaction, tree.entries);
  if (from === null) return null;
  return [...turns].flatMap(([entry, turn]) => (entry.index >= from ? [turn] : []));
}

function isOpenClaw(tree: PiTree): boolean {
  return tree.entries.some((entry) => asString(entry.fields['customType'])?.startsWith('openclaw') ?? false);
}
