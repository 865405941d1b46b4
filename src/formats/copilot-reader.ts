import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { booleanAt, listAt, objectAt, objectOf, requiredString, stringAt } from './fields.js';
import { userSpans } from './injected-text.js';
import { actionSpans } from './inline-calls.js';
import { exitOutcome, printedExit } from './printed-exit.js';
import { REASONING_SUMMARY, summarySpan, thinkingFlags } from './reasoning-summary.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { countRewound } from './settled-session.js';
import { asNumber, asString, isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

interface Reply {
  readonly id: string | null;
  readonly turn: number;
  readonly calls: Set<string>;
}

/** Builds the run of one agent from its events, in file order. */
export class CopilotReader {
  session: string | null = null;
  private readonly run = new SessionRun();
  private version: string | null = null;
  private model: string | null = null;
  private system: string | null = null;
  /** reasoning that was written before the reply that it belongs to */
  private reasoning: string[] = [];
  private reply: Reply | null = null;
  private readonly started = new Map<string, { timestamp: string | null; name: string | null }>();
  private ended: Termination | null = null;
  /** by event: how many turns there were once it was read */
  private readonly turnsAt = new Map<string, number>();

  constructor(private readonly agent: string | null) {}

  read(event: JsonObject, data: JsonObject, path: string): void {
    const type = requiredString(event, 'type', path);
    const timestamp = stringAt(event, 'timestamp', path);
    const handler = Object.hasOwn(HANDLERS, type) ? HANDLERS[type] : undefined;
    handler?.(this, { data, path: `${path}.data`, timestamp });
    const id = asString(event['id']);
    if (id !== null) this.turnsAt.set(id, this.run.turns.length);
  }

  finish(context: ReadContext, parent: string | null): RawTrajectory {
    this.closeReasoning();
    if (this.agent !== null) this.run.flag('subagent');
    this.run.flag(...thinkingFlags(this.run.turns, this.model));
    countRewound(this.run);
    return this.run.finish(context, {
      session_id: this.agent ?? this.session,
      parent_session: parent,
      scaffold: 'copilot-cli',
      scaffold_version: this.version,
      model: this.model,
      ...(this.ended === null ? {} : { termination: this.ended }),
    });
  }

  start({ data, path }: Event): void {
    this.session ??= stringAt(data, 'sessionId', path);
    this.version ??= stringAt(data, 'copilotVersion', path);
    this.model ??= stringAt(data, 'selectedModel', path);
  }

  systemMessage({ data, path, timestamp }: Event): void {
    const text = stringAt(data, 'content', path) ?? '';
    // The prompt is written anew with each interaction.
    if (text === this.system) return;
    const kept = this.run.context.filter((index) => this.run.turns[index]?.role !== 'system');
    const changed = this.system !== null;
    if (changed) this.run.restart([], 'system_prompt_changed');
    this.system = text;
    this.run.push(makeTurn('system', [contentSpan('prompt', 'environment', text)], { timestamp }));
    if (changed) this.run.resume(kept);
  }

  userMessage({ data, path, timestamp }: Event): void {
    this.endReply();
    const typed = stringAt(data, 'content', path) ?? '';
    const sent = stringAt(data, 'transformedContent', path) ?? typed;
    const at = typed === '' ? -1 : sent.indexOf(typed);
    const source = stringAt(data, 'source', path);
    const spans =
      at <= 0 && sent.length === typed.length
        ? userSpans(typed)
        : at === -1
          ? userSpans(sent)
          : [...harness(sent.slice(0, at)), ...userSpans(typed), ...harness(sent.slice(at + typed.length))];
    const injected = source !== null && source !== 'user';
    this.run.push(makeTurn('user', injected ? harness(sent) : spans, { timestamp }));
  }

  assistantReasoning({ data, path }: Event): void {
    const text = stringAt(data, 'content', path) ?? '';
    if (text !== '') this.reasoning.push(text);
  }

  /** A reply; one API message may be written in pieces, which share its id. */
  assistantMessage({ data, path, timestamp }: Event): void {
    const id = stringAt(data, 'messageId', path);
    const own = stringAt(data, 'model', path);
    this.model ??= own;
    const open = this.reply !== null && id !== null && this.reply.id === id ? this.reply : null;
    const reply = open ?? this.openReply(id, timestamp);
    const spans = [
      ...this.reasoningOf(data, path),
      ...actionSpans(stringAt(data, 'content', path) ?? '', []),
      ...this.callsOf(data, { path, known: reply.calls }),
    ];
    const model = own === this.model ? null : own;
    this.run.extend(
      reply.turn,
      spans.map((span) => ({ ...span, model })),
    );
  }

  private openReply(id: string | null, timestamp: string | null): Reply {
    const turn = this.run.push(makeTurn('assistant', [], { timestamp }));
    this.reply = { id, turn, calls: new Set() };
    return this.reply;
  }

  /** The reasoning of a reply, once; encrypted reasoning leaves a summary at best, which the model did not write. */
  private reasoningOf(data: JsonObject, path: string): Span[] {
    const own = stringAt(data, 'reasoningText', path) ?? '';
    const texts = own === '' || this.reasoning.includes(own) ? this.reasoning : [...this.reasoning, own];
    this.reasoning = [];
    const encrypted = (data['encryptedContent'] ?? null) !== null;
    const hidden = encrypted || (data['reasoningOpaque'] ?? null) !== null;
    if (texts.length === 0) {
      if (hidden) this.run.flag('reasoning_hidden');
      return [];
    }
    if (encrypted) this.run.flag(REASONING_SUMMARY);
    return texts.map(encrypted ? summarySpan : reasoningSpan);
  }

  private callsOf(data: JsonObject, at: { path: string; known: Set<string> }): Span[] {
    return (listAt(data, 'toolRequests', at.path) ?? []).flatMap((value, index) => {
      const path = `${at.path}.toolRequests[${index}]`;
      const request = objectOf(value, path);
      const id = stringAt(request, 'toolCallId', path);
      if (id !== null && at.known.has(id)) return [];
      if (id !== null) at.known.add(id);
      const name = requiredString(request, 'name', path);
      return [callSpan({ id, name, arguments: request['arguments'] ?? request['input'] })];
    });
  }

  toolStart({ data, path, timestamp }: Event): void {
    const id = stringAt(data, 'toolCallId', path);
    if (id !== null) this.started.set(id, { timestamp, name: stringAt(data, 'toolName', path) });
  }

  toolComplete({ data, path, timestamp }: Event): void {
    this.closeReasoning();
    const id = stringAt(data, 'toolCallId', path);
    const result = objectAt(data, 'result', path);
    const error = data['error'];
    const text =
      (result === null ? null : stringAt(result, 'content', `${path}.result`)) ??
      (isObject(error) ? asString(error['message']) : asString(error)) ??
      '';
    const success = booleanAt(data, 'success', path);
    const begun = id === null ? undefined : this.started.get(id);
    const outcome: RecordedOutcome = {
      ...(success === null ? {} : { status: success ? ('ok' as const) : ('error' as const) }),
      seconds: secondsBetween(begun?.timestamp, timestamp),
      completed_at: timestamp,
    };
    const turn: Turn = makeTurn('tool', [contentSpan('observation', 'environment', text)], {
      name: stringAt(data, 'toolName', path) ?? begun?.name ?? null,
      tool_call_id: id,
      timestamp,
    });
    this.run.push(turn, exitOutcome(shellExit(data, text), outcome));
  }

  notification({ data, path, timestamp }: Event): void {
    const text = stringAt(data, 'content', path) ?? '';
    if (text !== '') this.run.push(makeTurn('user', harness(text), { timestamp }));
  }

  /** The summary takes the place of everything but the system prompt. */
  compaction({ data, path, timestamp }: Event): void {
    const summary = stringAt(data, 'summaryContent', path);
    if (data['success'] === false || summary === null || summary === '') return;
    this.endReply();
    this.run.flag('compacted_context_assumed');
    const system = this.run.context.filter((index) => this.run.turns[index]?.role === 'system');
    this.run.restart(system, 'compaction');
    this.run.push(makeTurn('user', harness(summary), { timestamp }));
  }

  truncation({ data }: Event): void {
    const removed = asNumber(data['messagesRemovedDuringTruncation']) ?? 0;
    if (removed <= 0) return;
    this.run.flag('context_truncated');
    const { context, turns } = this.run;
    const system = context.filter((index) => turns[index]?.role === 'system');
    const others = context.filter((index) => turns[index]?.role !== 'system');
    this.run.restart([...system, ...others.slice(removed)], 'truncation');
  }

  /** The user went back to an event: what came after it is no longer before the model. */
  rewind({ data, path }: Event): void {
    this.endReply();
    const from = this.turnsAt.get(stringAt(data, 'upToEventId', path) ?? '');
    if (from === undefined) this.run.flag('rewound_past_compaction');
    else this.run.rewind(new Set(this.run.context.filter((index) => index >= from)));
  }

  modelChange({ data, path }: Event): void {
    this.model ??= stringAt(data, 'newModel', path);
  }

  /** The user stopped the agent: a reply that was still being written is cut, one that waits for its calls is not. */
  abort(): void {
    this.run.flag('aborted_by_user');
    this.endReply();
  }

  failure(): void {
    this.run.flag('provider_error');
  }

  private endReply(): void {
    this.closeReasoning();
    this.reply = null;
  }

  /** Reasoning without a reply of its own is kept where it stands. */
  private closeReasoning(): void {
    if (this.reasoning.length === 0) return;
    this.run.push(makeTurn('assistant', this.reasoning.map(reasoningSpan), { truncated: 'aborted' }));
    this.reasoning = [];
  }
}

interface Event {
  readonly data: JsonObject;
  readonly path: string;
  readonly timestamp: string | null;
}

const HANDLERS: Readonly<Record<string, (reader: CopilotReader, event: Event) => void>> = {
  'session.start': (reader, event) => reader.start(event),
  'session.resume': (reader, event) => reader.start(event),
  'session.model_change': (reader, event) => reader.modelChange(event),
  'system.message': (reader, event) => reader.systemMessage(event),
  'system.notification': (reader, event) => reader.notification(event),
  'user.message': (reader, event) => reader.userMessage(event),
  'assistant.reasoning': (reader, event) => reader.assistantReasoning(event),
  'assistant.message': (reader, event) => reader.assistantMessage(event),
  'tool.execution_start': (reader, event) => reader.toolStart(event),
  'tool.execution_complete': (reader, event) => reader.toolComplete(event),
  'session.compaction_complete': (reader, event) => reader.compaction(event),
  'session.truncation': (reader, event) => reader.truncation(event),
  'session.snapshot_rewind': (reader, event) => reader.rewind(event),
  'session.error': (reader) => reader.failure(),
  abort: (reader) => reader.abort(),
};

function harness(text: string): Span[] {
  return text === '' ? [] : [contentSpan('observation', 'environment', text)];
}

/** How a result says it where no field does. */
const EXIT_TAIL = /<(?:shellId: \S+ completed|exited) with exit code (-?\d+)>\s*$/;

/** The exit code of a shell command: a command that failed is a successful call to Copilot. */
function shellExit(data: JsonObject, text: string): number | null {
  const shell = data['shellExecution'];
  const code = isObject(shell) ? asNumber(shell['exitCode']) : null;
  return Number.isSafeInteger(code) ? code : printedExit(text, EXIT_TAIL);
}

function secondsBetween(start: string | null | undefined, end: string | null): number | null {
  const seconds = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}
