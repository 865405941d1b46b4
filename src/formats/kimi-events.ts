import { makeTurn } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Truncation } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { environmentSpans } from './content-parts.js';
import { objectAt, objectOf, requiredString, stringAt } from './fields.js';
import { userSpans } from './injected-text.js';
import { givenParts, replyPart } from './kimi-parts.js';
import { SessionRun } from './session-run.js';
import { asString, isObject, type JsonObject } from './shape.js';
import { callSpan, toolCallSpans } from './structured-calls.js';
import { isoSeconds } from './times.js';

const SESSION_PATH = /(?:^|\/)([^/]+)\/wire\.jsonl$/;

/** Reads the events of the older wire; those of sub-agents are wrapped, and make runs of their own. */
export function readKimiEvents(records: readonly JsonObject[], context: ReadContext): RawTrajectory[] {
  const session = SESSION_PATH.exec(context.place.path)?.[1] ?? null;
  const main = new EventReader();
  const agents = new Map<string, EventReader>();
  records.forEach((record, index) => {
    const path = `line ${index + 1}`;
    const message = objectAt(record, 'message', path);
    if (message === null) return;
    const timestamp = isoSeconds(record['timestamp']);
    const payload = objectAt(message, 'payload', `${path}.message`) ?? {};
    if (message['type'] !== 'SubagentEvent') {
      main.read({ message, path: `${path}.message`, timestamp });
      return;
    }
    const agent = agentOf(payload);
    const reader = agents.get(agent) ?? new EventReader();
    agents.set(agent, reader);
    const event = objectOf(payload['event'], `${path}.message.payload.event`);
    reader.read({ message: event, path: `${path}.message.payload.event`, timestamp });
  });
  const runs = [main.finish(context, { session_id: session, parent_session: null })];
  for (const [agent, reader] of agents) {
    const run = reader.finish(context, { session_id: agent, parent_session: session });
    if (run.turns.length > 0) runs.push({ ...run, flags: [...run.flags, 'subagent'] });
  }
  return runs;
}

function agentOf(payload: JsonObject): string {
  const id = asString(payload['agent_id']) ?? asString(payload['parent_tool_call_id']);
  return id ?? asString(payload['task_tool_call_id']) ?? 'subagent';
}

interface WireEvent {
  readonly message: JsonObject;
  readonly path: string;
  readonly timestamp: string | null;
}

class EventReader {
  private readonly run = new SessionRun();
  /** the reply that the current step writes */
  private reply: number | null = null;

  read({ message, path, timestamp }: WireEvent): void {
    const payload = objectAt(message, 'payload', path) ?? {};
    const at = `${path}.payload`;
    switch (asString(message['type'])) {
      case 'TurnBegin':
      case 'SteerInput': {
        this.reply = null;
        const parts = givenParts(payload['user_input'], `${at}.user_input`);
        const spans = parts.flatMap((part) =>
          part.kind === 'image' ? environmentSpans('prompt', [part]) : userSpans(part.text),
        );
        this.run.push(makeTurn('user', spans.length > 0 ? spans : userSpans(''), { timestamp }));
        return;
      }
      case 'StepBegin':
        this.reply = null;
        return;
      case 'StepInterrupted':
        this.cut('aborted');
        return;
      case 'ContentPart':
      case 'TextPart':
      case 'ThinkPart':
        this.extend(replyPart(payload, at), timestamp);
        return;
      case 'ToolCall':
        this.extend(toolCallSpans([payload], at), timestamp);
        return;
      case 'ToolCallPart':
        this.extendCall(stringAt(payload, 'arguments_part', at) ?? '');
        return;
      case 'ToolResult':
        this.result(payload, at, timestamp);
        return;
      case 'CompactionEnd':
        // What the compaction left is not written: no later turn can rely on what stood before it.
        this.run.flag('compaction_not_followed');
        this.run.restart([], 'compaction');
        return;
      default:
    }
  }

  finish(context: ReadContext, rest: Pick<RawTrajectory, 'session_id' | 'parent_session'>): RawTrajectory {
    return this.run.finish(context, { ...rest, scaffold: 'kimi-cli' });
  }

  private extend(spans: readonly Span[], timestamp: string | null): void {
    this.reply ??= this.run.push(makeTurn('assistant', [], { timestamp }));
    this.run.extend(this.reply, spans);
  }

  /** Streamed arguments go on where the last call ended. */
  private extendCall(piece: string): void {
    const turn = this.reply === null ? undefined : this.run.turns[this.reply];
    const call = turn?.spans.at(-1)?.call;
    if (this.reply === null || turn === undefined || call === null || call === undefined) return;
    const whole = callSpan({ id: call.id, name: call.name, arguments: call.arguments + piece });
    this.run.replaceLast(this.reply, whole);
  }

  private result(payload: JsonObject, path: string, timestamp: string | null): void {
    const value = payload['return_value'] ?? payload['result'];
    const result = isObject(value) ? value : {};
    const output = givenParts(result['output'], `${path}.return_value.output`);
    const message = asString(result['message']) ?? '';
    const parts = output.length > 0 || message === '' ? output : [{ kind: 'text' as const, text: message }];
    const failed = result['is_error'];
    this.run.push(
      makeTurn('tool', environmentSpans('observation', parts), {
        timestamp,
        tool_call_id: requiredString(payload, 'tool_call_id', path),
      }),
      typeof failed === 'boolean' ? { status: failed ? 'error' : 'ok' } : null,
    );
  }

  private cut(truncated: Truncation): void {
    const turn = this.reply === null ? undefined : this.run.turns[this.reply];
    if (this.reply !== null && turn !== undefined) this.run.replace(this.reply, { ...turn, truncated });
    this.reply = null;
  }
}
