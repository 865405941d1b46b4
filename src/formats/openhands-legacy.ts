import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { assistantSpans, contentParts, environmentSpans, partsText } from './content-parts.js';
import { listAt, objectAt, stringAt } from './fields.js';
import { userSpans } from './injected-text.js';
import { actionSpans } from './inline-calls.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { asBoolean, asId, asNumber, asString, isObject, type JsonObject } from './shape.js';
import { callSpan, toolCallSpans } from './structured-calls.js';
import { textCallMarks } from './text-calls.js';

/** Actions that the harness takes on its own. */
const HARNESS_ACTIONS: ReadonlySet<string> = new Set([
  'change_agent_state',
  'recall',
  'null',
  'initialize',
  'start',
  'pause',
  'resume',
  'stop',
  'condensation_request',
  'loop_recovery',
]);

const SILENT_OBSERVATIONS: ReadonlySet<string> = new Set(['agent_state_changed', 'null', 'download']);

/** An event of the first OpenHands: an action or an observation with who made it. */
export function isLegacyEvent(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const action = typeof value['action'] === 'string' && isObject(value['args']);
  const observation = typeof value['observation'] === 'string' && typeof value['content'] === 'string';
  return (action || (observation && isObject(value['extras'] ?? {}))) && hasEventMark(value);
}

function hasEventMark(value: JsonObject): boolean {
  return (
    typeof value['source'] === 'string' || typeof value['message'] === 'string' || isObject(value['extras'])
  );
}

export function readLegacyEvents(
  events: readonly JsonObject[],
  options: { readonly instruction: string | null; readonly context: ReadContext },
): RawTrajectory {
  const reader = new LegacyReader();
  const asked = events.some((event) => event['action'] === 'message' && event['source'] === 'user');
  if (!asked && options.instruction !== null) reader.ask(options.instruction);
  events.forEach((event, index) => {
    reader.read(event, `events[${index}]`);
  });
  return reader.finish(options.context);
}

class LegacyReader {
  private readonly run = new SessionRun();
  private readonly replies = new Set<string>();
  private readonly turnOf = new Map<string, number>();
  private tools: string | null = null;
  private version: string | null = null;
  private model: string | null = null;
  private ended: Termination | null = null;

  ask(instruction: string): void {
    this.run.push(makeTurn('user', userSpans(instruction)));
  }

  read(event: JsonObject, path: string): void {
    const action = asString(event['action']);
    const observation = asString(event['observation']);
    if (action !== null && isObject(event['args'])) this.action(event, { action, args: event['args'], path });
    else if (observation !== null) this.observation(event, { observation, path });
  }

  finish(context: ReadContext): RawTrajectory {
    return this.run.finish(context, {
      scaffold: 'openhands',
      scaffold_version: this.version,
      model: this.model,
      tools: this.tools,
      ...(this.ended === null ? {} : { termination: this.ended }),
    });
  }

  private push(event: JsonObject, turn: Turn, outcome: RecordedOutcome | null = null): void {
    const index = this.run.push(turn, outcome);
    const id = asId(event['id']);
    if (id !== null) this.turnOf.set(id, index);
  }

  private action(event: JsonObject, at: { action: string; args: JsonObject; path: string }): void {
    const { action, args, path } = at;
    const timestamp = asString(event['timestamp']);
    if (action === 'condensation') {
      this.condense(args, path);
      return;
    }
    if (HARNESS_ACTIONS.has(action)) return;
    if (action === 'system') {
      const text = stringAt(args, 'content', `${path}.args`) ?? '';
      this.push(event, makeTurn('system', [contentSpan('prompt', 'environment', text)], { timestamp }));
      const tools = listAt(args, 'tools', `${path}.args`);
      if (tools !== null && tools.length > 0) this.tools = JSON.stringify(tools);
      this.version ??= asString(args['openhands_version']);
      return;
    }
    if (event['source'] !== 'agent' && action === 'message') {
      const spans = userSpans(stringAt(args, 'content', `${path}.args`) ?? '');
      for (const _ of listAt(args, 'image_urls', `${path}.args`) ?? []) {
        spans.push(contentSpan('image', 'environment', '[image]'));
      }
      this.push(event, makeTurn('user', spans, { timestamp }));
      return;
    }
    if (event['source'] === 'environment') return;
    const human = event['source'] === 'user';
    if (action === 'finish' || action === 'reject') this.ended = 'submitted';
    if (human) {
      // A command of the user's is no move of the model's.
      const text = `${action} ${JSON.stringify(args)}`;
      this.push(event, makeTurn('user', [contentSpan('observation', 'environment', text)], { timestamp }));
      return;
    }
    this.reply(event, { ...at, timestamp });
  }

  /** The model's own reply where it is recorded, once for all actions that came of it; else what is left of it. */
  private reply(
    event: JsonObject,
    at: { action: string; args: JsonObject; path: string; timestamp: string | null },
  ): void {
    const metadata = objectAt(event, 'tool_call_metadata', at.path) ?? {};
    const response = isObject(metadata['model_response']) ? metadata['model_response'] : null;
    const choices = response === null ? [] : (listAt(response, 'choices', at.path) ?? []);
    const choice = isObject(choices[0]) ? choices[0] : null;
    const message = choice === null ? null : choice['message'];
    if (response === null || !isObject(message)) {
      this.push(event, makeTurn('assistant', this.rebuilt(at), { timestamp: at.timestamp }));
      return;
    }
    this.model ??= asString(response['model']);
    const id = asString(response['id']);
    if (id !== null && this.replies.has(id)) return;
    if (id !== null) this.replies.add(id);
    const path = `${at.path}.tool_call_metadata.model_response.choices[0].message`;
    const content = contentParts(message['content'], `${path}.content`);
    const reasoning = stringAt(message, 'reasoning_content', path) ?? '';
    const inText = partsText(content).includes('<think>') && partsText(content).includes(reasoning.trim());
    const spans: Span[] = [
      ...(reasoning === '' || inText ? [] : [reasoningSpan(reasoning)]),
      ...assistantSpans(content, (text) => actionSpans(text, [])),
      ...toolCallSpans(listAt(message, 'tool_calls', path) ?? [], `${path}.tool_calls`),
    ];
    const truncated = choice?.['finish_reason'] === 'length' ? 'length' : null;
    this.push(event, makeTurn('assistant', spans, { timestamp: at.timestamp, truncated }));
  }

  /** Without the reply only the thought and the arguments of the action are known. */
  private rebuilt(at: { action: string; args: JsonObject; path: string }): Span[] {
    const { action, args } = at;
    if (action === 'message') {
      const text = stringAt(args, 'content', `${at.path}.args`) ?? '';
      return actionSpans(text, textCallMarks(text));
    }
    this.run.flag('text_rebuilt');
    const thought = action === 'think' ? '' : (asString(args['thought']) ?? '');
    const rest = Object.fromEntries(
      Object.entries(args).filter(([key]) => action === 'think' || key !== 'thought'),
    );
    return [
      ...(thought === '' ? [] : actionSpans(thought, [])),
      callSpan({ id: null, name: action, arguments: rest }),
    ];
  }

  private observation(event: JsonObject, at: { observation: string; path: string }): void {
    const { observation, path } = at;
    const extras = objectAt(event, 'extras', path) ?? {};
    if (observation === 'agent_state_changed') this.state(extras);
    const content = stringAt(event, 'content', path) ?? '';
    if (SILENT_OBSERVATIONS.has(observation) || (observation === 'recall' && content === '')) return;
    const timestamp = asString(event['timestamp']);
    const metadata = objectAt(event, 'tool_call_metadata', path) ?? {};
    const tool_call_id = asString(metadata['tool_call_id']);
    const answers = tool_call_id !== null || this.run.turns.at(-1)?.role !== 'user';
    const spans = environmentSpans('observation', contentParts(content, path));
    if (!answers || observation === 'recall') {
      this.push(event, makeTurn('user', spans, { timestamp, name: observation }));
      return;
    }
    this.push(
      event,
      makeTurn('tool', spans, {
        timestamp,
        tool_call_id,
        name: asString(metadata['function_name']) ?? observation,
      }),
      outcomeOf(observation, event, extras),
    );
  }

  private state(extras: JsonObject): void {
    const state = asString(extras['agent_state']);
    if (state === 'error' || state === 'rate_limited') this.ended = 'error';
    if (state === 'finished') this.ended = 'submitted';
  }

  private condense(args: JsonObject, path: string): void {
    const { from, to } = {
      from: asNumber(args['forgotten_events_start_id']),
      to: asNumber(args['forgotten_events_end_id']),
    };
    const listed = (listAt(args, 'forgotten_event_ids', `${path}.args`) ?? []).map(String);
    const gone = new Set<number>();
    for (const [id, turn] of this.turnOf) {
      const number = Number(id);
      if (listed.includes(id) || (from !== null && to !== null && number >= from && number <= to))
        gone.add(turn);
    }
    const kept = this.run.context.filter((index) => !gone.has(index));
    const summary = stringAt(args, 'summary', `${path}.args`) ?? '';
    const at = Math.min(asNumber(args['summary_offset']) ?? kept.length, kept.length);
    this.run.restart(kept.slice(0, summary === '' ? kept.length : at), 'condensation');
    if (summary === '') return;
    this.run.push(makeTurn('user', [contentSpan('observation', 'environment', summary)]));
    this.run.resume(kept.slice(at));
  }
}

function outcomeOf(observation: string, event: JsonObject, extras: JsonObject): RecordedOutcome {
  const metadata = isObject(extras['metadata']) ? extras['metadata'] : {};
  const logged = asNumber(metadata['exit_code']) ?? asNumber(extras['exit_code']);
  const exit_code = logged !== null && Number.isSafeInteger(logged) && logged >= 0 ? logged : null;
  if (exit_code !== null) return { status: exit_code === 0 ? 'ok' : 'error', exit_code };
  if (observation === 'error') return { status: 'error' };
  const success = asBoolean(event['success']);
  return success === false ? { status: 'error' } : {};
}
