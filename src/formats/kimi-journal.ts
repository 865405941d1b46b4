import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Truncation, Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { asOrigin, environmentSpans } from './content-parts.js';
import { listAt, objectAt, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import { userSpans } from './injected-text.js';
import { givenParts, replyPart } from './kimi-parts.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { countRewound } from './settled-session.js';
import { asNumber, asString, isObject, type JsonObject } from './shape.js';
import { callSpan, toolCallSpans } from './structured-calls.js';
import { isoMillis } from './times.js';

const MAIN_PATH = /(?:^|\/)([^/]+)\/agents\/([^/]+)\/[^/]+$/;

const TRUNCATIONS: Readonly<Record<string, Truncation>> = {
  length: 'length',
  max_tokens: 'length',
  content_filter: 'aborted',
  filtered: 'aborted',
  cancelled: 'aborted',
  error: 'error',
};

/** A reply that is being written. */
interface Step {
  readonly turn: number;
  closed: boolean;
}

/** Who wrote a message, as far as an undo and a compaction tell them apart: the user, the harness, anyone else. */
type Voice = 'prompt' | 'note' | null;

function voiceOf(message: JsonObject): Voice {
  const origin = isObject(message['origin']) ? message['origin'] : {};
  const kind = asString(origin['kind']);
  if (kind === 'injection') return 'note';
  const asked = kind === null || kind === 'user' || origin['trigger'] === 'user-slash';
  return message['role'] === 'user' && asked ? 'prompt' : null;
}

/** Replays the journal of one agent: what it puts into the context is the run. */
export function readKimiJournal(records: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const journal = new Journal();
  records.forEach((record, index) => {
    journal.read(record, `line ${index + 1}`);
  });
  return journal.finish(context);
}

class Journal {
  private readonly run = new SessionRun();
  private readonly steps = new Map<string, Step>();
  private readonly pending = new Set<string>();
  private readonly deferred: { turn: Turn; voice: Voice }[] = [];
  private readonly prompts = new Set<number>();
  private readonly notes = new Set<number>();
  private system: string | null = null;
  private systemTurn: string | null = null;
  private model: string | null = null;
  private tools: string | null = null;
  private subagent = false;
  private ended: Termination | null = null;

  read(record: JsonObject, path: string): void {
    const time = isoMillis(record['time']);
    const type = requiredString(record, 'type', path);
    switch (type) {
      case 'config.update':
      case 'profile.bind':
        this.system = stringAt(record, 'systemPrompt', path) ?? this.system;
        return;
      case 'llm.request':
        this.model ??= stringAt(record, 'model', path);
        return;
      case 'llm.tools_snapshot':
        this.tools = JSON.stringify(listAt(record, 'tools', path) ?? []);
        return;
      case 'context.append_message':
        this.appendMessage(objectOf(record['message'], `${path}.message`), `${path}.message`, time);
        return;
      case 'context.append_loop_event':
        this.loopEvent(objectOf(record['event'], `${path}.event`), `${path}.event`, time);
        return;
      case 'context.apply_compaction':
        this.compact(record, path, time);
        return;
      case 'context.clear':
        this.settle();
        this.run.restart([], 'cleared');
        this.systemTurn = null;
        return;
      case 'context.undo':
        this.undo(asNumber(record['count']) ?? 0);
        return;
      case 'forked':
        // All of the journal up to here was copied from the session that this one was forked from.
        this.settle();
        this.run.inherit();
        this.run.flag('forked_session');
        return;
      case 'micro_compaction.apply':
        this.run.flag('context_edited');
        return;
      case 'turn.cancel':
        this.interrupt();
        return;
      case 'turn.ended':
        this.ended = endOf(asString(record['reason']));
        return;
      default:
        if (type.startsWith('context.')) this.run.flag(`unread_records:${type}`);
    }
  }

  finish(context: ReadContext): RawTrajectory {
    this.settle();
    for (const step of this.steps.values()) if (!step.closed) this.cut(step, 'cut');
    this.dropEmpty();
    countRewound(this.run);
    if (this.subagent) this.run.flag('subagent');
    const place = MAIN_PATH.exec(context.place.path);
    const [, session, agent] = place ?? [];
    const main = agent === undefined || agent === 'main';
    return this.run.finish(context, {
      session_id: main ? (session ?? null) : `${session}/${agent}`,
      parent_session: this.subagent || !main ? (session ?? null) : null,
      scaffold: 'kimi-cli',
      model: this.model,
      tools: this.tools,
      ...(this.ended === null ? {} : { termination: this.ended }),
    });
  }

  /** Puts a turn into the context, behind the system prompt that holds now. */
  private push(turn: Turn, outcome: RecordedOutcome | null = null): number {
    if (this.system !== null && this.system !== this.systemTurn) {
      const kept = this.run.context.filter((index) => this.run.turns[index]?.role !== 'system');
      if (this.run.context.length > 0) this.run.restart([], 'system_prompt_changed');
      this.run.push(makeTurn('system', [contentSpan('prompt', 'environment', this.system)]));
      this.run.resume(kept);
      this.systemTurn = this.system;
    }
    this.ended = null;
    return this.run.push(turn, outcome);
  }

  /** A message that arrives while calls run waits for their answers. */
  private appendMessage(message: JsonObject, path: string, timestamp: string | null): void {
    const turn = this.messageTurn(message, path, timestamp);
    const voice = voiceOf(message);
    if (this.pending.size > 0 && turn.role === 'user') this.deferred.push({ turn, voice });
    else this.pushMessage(turn, voice);
  }

  private pushMessage(turn: Turn, voice: Voice): void {
    const index = this.push(turn);
    if (voice === 'prompt') this.prompts.add(index);
    if (voice === 'note') this.notes.add(index);
  }

  private messageTurn(message: JsonObject, path: string, timestamp: string | null): Turn {
    const role = requiredString(message, 'role', path);
    const origin = objectAt(message, 'origin', path) ?? {};
    const kind = asString(origin['kind']);
    if (origin['name'] === 'subagent') this.subagent = true;
    const parts = givenParts(message['content'], `${path}.content`);
    if (role === 'assistant') {
      // Replies come as steps; a message of this role was restored or is a summary.
      const calls = toolCallSpans(listAt(message, 'toolCalls', path) ?? [], `${path}.toolCalls`);
      const spans = [...environmentSpans('text', parts), ...asOrigin(calls, 'environment')];
      return makeTurn('assistant', spans, { timestamp, flags: ['copied_context'] });
    }
    if (role === 'tool') {
      const tool_call_id = stringAt(message, 'toolCallId', path);
      return makeTurn('tool', environmentSpans('observation', parts), { timestamp, tool_call_id });
    }
    if (role === 'system') return makeTurn('system', environmentSpans('prompt', parts), { timestamp });
    if (role !== 'user') throw wrongType(`${path}.role`, `a known role (not "${role}")`, role);
    // A sub-agent's task comes from its parent; it is a prompt to it all the same.
    const task = kind === null || kind === 'user' || origin['name'] === 'subagent';
    const spans = task
      ? parts.flatMap((part) =>
          part.kind === 'image' ? environmentSpans('prompt', [part]) : userSpans(part.text),
        )
      : environmentSpans('observation', parts);
    return makeTurn('user', spans.length > 0 ? spans : userSpans(''), { timestamp });
  }

  private loopEvent(event: JsonObject, path: string, timestamp: string | null): void {
    const type = requiredString(event, 'type', path);
    switch (type) {
      case 'step.begin': {
        const turn = this.push(makeTurn('assistant', [], { timestamp }));
        this.steps.set(requiredString(event, 'uuid', path), { turn, closed: false });
        return;
      }
      case 'content.part':
        this.extend(event, path, replyPart(objectOf(event['part'], `${path}.part`), `${path}.part`));
        return;
      case 'tool.call': {
        const id = stringAt(event, 'toolCallId', path);
        const name = requiredString(event, 'name', path);
        this.extend(event, path, [callSpan({ id, name, arguments: event['args'] })]);
        if (id !== null) this.pending.add(id);
        return;
      }
      case 'tool.result':
        this.result(event, path, timestamp);
        return;
      case 'step.end': {
        const step = this.steps.get(stringAt(event, 'uuid', path) ?? '');
        const reason = asString(event['finishReason']) ?? '';
        const truncated = Object.hasOwn(TRUNCATIONS, reason) ? TRUNCATIONS[reason] : undefined;
        if (step !== undefined) {
          step.closed = true;
          if (truncated !== undefined) this.cut(step, truncated);
        }
        return;
      }
      default:
        this.run.flag(`unread_records:${type}`);
    }
  }

  private extend(event: JsonObject, path: string, spans: readonly Span[]): void {
    const step = this.steps.get(stringAt(event, 'stepUuid', path) ?? '');
    const turn = step === undefined ? undefined : this.run.turns[step.turn];
    if (step === undefined || turn === undefined) {
      throw wrongType(`${path}.stepUuid`, 'the id of a step that began', event['stepUuid']);
    }
    this.run.extend(step.turn, spans);
  }

  private result(event: JsonObject, path: string, timestamp: string | null): void {
    const id = stringAt(event, 'toolCallId', path);
    const result = objectAt(event, 'result', path) ?? {};
    const parts = givenParts(result['output'], `${path}.result.output`);
    const failed = result['isError'];
    this.push(
      makeTurn('tool', environmentSpans('observation', parts), { timestamp, tool_call_id: id }),
      typeof failed === 'boolean' ? { status: failed ? 'error' : 'ok' } : null,
    );
    if (id !== null) this.pending.delete(id);
    if (this.pending.size === 0) this.settle();
  }

  private settle(): void {
    for (const { turn, voice } of this.deferred.splice(0)) this.pushMessage(turn, voice);
    this.pending.clear();
  }

  private compact(record: JsonObject, path: string, timestamp: string | null): void {
    const kept = asNumber(record['keptUserMessageCount']);
    // What waited for its turn is dropped by the versions that keep prompts, and comes in by those before.
    if (kept === null) this.settle();
    this.deferred.length = 0;
    this.pending.clear();
    const own = requiredString(record, 'summary', path);
    const summary = stringAt(record, 'contextSummary', path) ?? own;
    const { turns } = this.run;
    const system = this.run.context.filter((index) => turns[index]?.role === 'system');
    const others = this.run.context.filter((index) => turns[index]?.role !== 'system');
    this.run.restart(system, 'compaction');
    const said = makeTurn(
      kept === null ? 'assistant' : 'user',
      [contentSpan('text', 'environment', summary)],
      {
        timestamp,
        flags: ['compact_summary'],
      },
    );
    if (kept === null) {
      this.run.push(said);
      this.run.resume(others.slice(asNumber(record['compactedCount']) ?? others.length));
      return;
    }
    // Long prompts may have been shortened, and a note stand where some were left out: neither is recorded.
    this.run.flag('compacted_context_assumed');
    const prompts = others.filter((index) => this.prompts.has(index));
    const head = Math.min(asNumber(record['keptHeadUserMessageCount']) ?? 0, kept);
    this.run.resume([
      ...prompts.slice(0, head),
      ...prompts.slice(Math.max(head, prompts.length - kept + head)),
    ]);
    this.run.push(said);
  }

  /** Takes back the last prompts and what followed them, but for notes of the harness; a compaction is the limit. */
  private undo(count: number): void {
    const gone = new Set<number>();
    let left = count;
    for (const index of this.run.context.toReversed()) {
      const turn = this.run.turns[index];
      if (left <= 0 || turn === undefined || turn.flags.includes('compact_summary')) break;
      if (turn.role === 'system' || this.notes.has(index)) continue;
      gone.add(index);
      if (this.prompts.has(index)) left--;
    }
    this.deferred.length = 0;
    this.pending.clear();
    this.run.rewind(gone);
  }

  private interrupt(): void {
    for (const step of this.steps.values()) {
      if (!step.closed) this.cut(step, 'aborted');
      step.closed = true;
    }
    this.settle();
  }

  private cut(step: Step, truncated: Truncation): void {
    const turn = this.run.turns[step.turn];
    if (turn !== undefined) this.run.replace(step.turn, { ...turn, truncated });
  }

  /** Requests that failed leave steps without a word: no turn at all. */
  private dropEmpty(): void {
    const empty = this.run.turns.filter((turn) => turn.role === 'assistant' && turn.spans.length === 0);
    if (empty.length === 0) return;
    this.run.flag('empty_replies');
    this.run.drop((turn) => turn.role === 'assistant' && turn.spans.length === 0);
  }
}

const ENDS: Readonly<Record<string, Termination>> = {
  failed: 'error',
  error: 'error',
  max_steps: 'step_limit',
};

/** A turn of the user's that ended in another way says nothing of the run: its last reply tells. */
function endOf(reason: string | null): Termination | null {
  return reason !== null && Object.hasOwn(ENDS, reason) ? (ENDS[reason] ?? null) : null;
}
