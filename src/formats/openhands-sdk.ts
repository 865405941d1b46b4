import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { PolicyTokens, Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { assistantSpans, contentParts, environmentSpans, partsText } from './content-parts.js';
import { listAt, objectAt, objectOf, requiredString, stringAt, tokenIdsAt } from './fields.js';
import { userSpans } from './injected-text.js';
import { actionSpans } from './inline-calls.js';
import { reasoningFlags, summarySpan } from './reasoning-summary.js';
import { type RecordedOutcome, SessionRun } from './session-run.js';
import { asBoolean, asNumber, asString, isObject, type JsonObject } from './shape.js';
import { callSpan, toolCallSpans } from './structured-calls.js';

const OTHER_KINDS: ReadonlySet<string> = new Set([
  'UserRejectObservation',
  'Condensation',
  'CondensationRequest',
]);

export function isSdkEvent(value: unknown): value is JsonObject {
  if (!isObject(value) || typeof value['source'] !== 'string') return false;
  const kind = asString(value['kind']) ?? '';
  return kind.endsWith('Event') || OTHER_KINDS.has(kind);
}

/** Reads events of the SDK in order; events of one model response make one reply. */
export function readSdkEvents(events: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const reader = new SdkReader();
  events.forEach((event, index) => {
    reader.read(event, `events[${index}]`);
  });
  return reader.finish(context);
}

class SdkReader {
  private readonly run = new SessionRun();
  private readonly replies = new Map<string, number>();
  /** index of the turn that an event became part of */
  private readonly turnOf = new Map<string, number>();
  private held: PolicyTokens | null = null;
  private model: string | null = null;
  private tools: string | null = null;
  private ended: Termination | null = null;

  read(event: JsonObject, path: string): void {
    const kind = requiredString(event, 'kind', path);
    switch (kind) {
      case 'SystemPromptEvent':
        this.systemPrompt(event, path);
        return;
      case 'MessageEvent':
        this.message(event, path);
        return;
      case 'ActionEvent':
        this.action(event, path);
        return;
      case 'ObservationEvent':
      case 'UserRejectObservation':
      case 'AgentErrorEvent':
        this.observation(event, path);
        return;
      case 'Condensation':
        this.condense(event, path);
        return;
      case 'TokenEvent':
        this.tokens(event, path);
        return;
      case 'ConversationStateUpdateEvent':
        this.state(event);
        return;
      case 'ConversationErrorEvent':
        this.ended = 'error';
        return;
      case 'ConversationIterationLimitEvent':
        this.ended = 'step_limit';
        return;
      default:
    }
  }

  finish(context: ReadContext): RawTrajectory {
    if (this.held !== null) this.run.flag('tokens_without_reply');
    return this.run.finish(context, {
      scaffold: 'openhands',
      model: this.model,
      tools: this.tools,
      ...(this.ended === null ? {} : { termination: this.ended }),
    });
  }

  private push(event: JsonObject, turn: Turn, outcome: RecordedOutcome | null = null): number {
    const index = this.run.push(turn, outcome);
    const id = asString(event['id']);
    if (id !== null) this.turnOf.set(id, index);
    return index;
  }

  private systemPrompt(event: JsonObject, path: string): void {
    const prompt = objectAt(event, 'system_prompt', path) ?? {};
    const dynamic = objectAt(event, 'dynamic_context', path) ?? {};
    const texts = [stringAt(prompt, 'text', path), stringAt(dynamic, 'text', path)];
    const spans = texts.flatMap((text) =>
      text === null || text === '' ? [] : [contentSpan('prompt', 'environment', text)],
    );
    this.push(event, makeTurn('system', spans, { timestamp: stringAt(event, 'timestamp', path) }));
    const tools = listAt(event, 'tools', path);
    if (tools !== null && tools.length > 0) this.tools = JSON.stringify(tools);
  }

  private message(event: JsonObject, path: string): void {
    const message = objectOf(event['llm_message'], `${path}.llm_message`);
    const messagePath = `${path}.llm_message`;
    const content = contentParts(message['content'], `${messagePath}.content`);
    const extended = contentParts(event['extended_content'], `${path}.extended_content`);
    const timestamp = stringAt(event, 'timestamp', path);
    if (event['source'] === 'agent') {
      const calls = toolCallSpans(
        listAt(message, 'tool_calls', messagePath) ?? [],
        `${messagePath}.tool_calls`,
      );
      this.reply(event, path, {
        timestamp,
        spans: [
          ...this.messageReasoning(event, path, partsText(content)),
          ...assistantSpans(content, (text) => actionSpans(text, [])),
          ...calls,
        ],
      });
      return;
    }
    const human = event['source'] === 'user';
    const spans = content.flatMap((part) =>
      human && part.kind === 'text' ? userSpans(part.text) : environmentSpans('observation', [part]),
    );
    if (extended.length > 0) spans.push(...environmentSpans('observation', extended));
    const role = message['role'] === 'system' ? 'system' : 'user';
    this.push(event, makeTurn(role, spans.length > 0 ? spans : userSpans(''), { timestamp }));
  }

  private action(event: JsonObject, path: string): void {
    const thought = contentParts(event['thought'], `${path}.thought`);
    const call = objectAt(event, 'tool_call', path);
    const name = stringAt(event, 'tool_name', path);
    const spans = [
      ...this.reasoning(event, path, partsText(thought)),
      ...assistantSpans(thought, (text) => actionSpans(text, [])),
      call === null
        ? callSpan({
            id: stringAt(event, 'tool_call_id', path),
            name: name ?? 'action',
            arguments: event['action'],
          })
        : loggedCall(call, { path: `${path}.tool_call`, name }),
    ];
    this.reply(event, path, { timestamp: stringAt(event, 'timestamp', path), spans });
    const action = event['action'];
    if (isObject(action) && action['kind'] === 'FinishAction') this.ended = 'submitted';
  }

  private reply(event: JsonObject, path: string, part: { timestamp: string | null; spans: Span[] }): void {
    const response = stringAt(event, 'llm_response_id', path);
    const known = response === null ? undefined : this.replies.get(response);
    const turn = known === undefined ? undefined : this.run.turns[known];
    const id = asString(event['id']);
    if (known !== undefined && turn !== undefined) {
      this.run.extend(known, part.spans);
      if (id !== null) this.turnOf.set(id, known);
      return;
    }
    const policy = this.held;
    this.held = null;
    const index = this.push(event, makeTurn('assistant', part.spans, { timestamp: part.timestamp, policy }));
    if (response !== null) this.replies.set(response, index);
  }

  /** The reasoning of a message, which some versions put beside it in the event. */
  private messageReasoning(event: JsonObject, path: string, text: string): Span[] {
    const within = this.reasoning(objectOf(event['llm_message'], path), `${path}.llm_message`, text);
    return within.length > 0 ? within : this.reasoning(event, path, text);
  }

  /** Reasoning beside the text, unless the text holds it in think tags already. */
  private reasoning(holder: JsonObject, path: string, text: string): Span[] {
    const blocks = (listAt(holder, 'thinking_blocks', path) ?? []).map((value, index) =>
      objectOf(value, `${path}.thinking_blocks[${index}]`),
    );
    const field = stringAt(holder, 'reasoning_content', path) ?? '';
    const thinking = blocks.flatMap((block) => asString(block['thinking']) ?? []).join('');
    const reasoning = field !== '' ? field : thinking;
    if (reasoning !== '') {
      return text.includes('<think>') && text.includes(reasoning.trim()) ? [] : [reasoningSpan(reasoning)];
    }
    const item = objectAt(holder, 'responses_reasoning_item', path);
    if (item === null) {
      if (blocks.length > 0) this.run.flag('reasoning_hidden');
      return [];
    }
    const written = textsOf(item['content']);
    if (written !== '') return [reasoningSpan(written)];
    const summary = textsOf(item['summary']);
    const spans = summary === '' ? [] : [summarySpan(summary)];
    for (const flag of reasoningFlags(spans)) this.run.flag(flag);
    return spans;
  }

  private observation(event: JsonObject, path: string): void {
    const cause = asString(event['action_id']);
    if (cause !== null && !this.turnOf.has(cause)) this.run.flag('chain_gap');
    const observation = objectAt(event, 'observation', path);
    const text = stringAt(event, 'error', path) ?? stringAt(event, 'rejection_reason', path);
    const observationPath = `${path}.observation`;
    const spans =
      observation === null
        ? environmentSpans('observation', contentParts(text, path))
        : environmentSpans('observation', observedParts(observation, observationPath));
    const extended = contentParts(event['extended_content'], `${path}.extended_content`);
    if (extended.length > 0) spans.push(...environmentSpans('observation', extended));
    const turn = makeTurn('tool', spans, {
      name: stringAt(event, 'tool_name', path),
      tool_call_id: stringAt(event, 'tool_call_id', path),
      timestamp: stringAt(event, 'timestamp', path),
    });
    this.push(event, turn, observation === null ? { status: 'error' } : outcomeOf(observation));
  }

  /** Forgotten events leave the context; their summary takes a place among those that stay. */
  private condense(event: JsonObject, path: string): void {
    const forgotten = new Set(
      (listAt(event, 'forgotten_event_ids', path) ?? []).map((id) => this.turnOf.get(String(id))),
    );
    const kept = this.run.context.filter((index) => !forgotten.has(index));
    const summary = stringAt(event, 'summary', path) ?? '';
    const at = Math.min(asNumber(event['summary_offset']) ?? kept.length, kept.length);
    this.run.restart(kept.slice(0, summary === '' ? kept.length : at), 'condensation');
    if (summary === '') return;
    this.push(event, makeTurn('user', [contentSpan('observation', 'environment', summary)]));
    this.run.resume(kept.slice(at));
  }

  /** The policy's tokens, written right after the reply that they are of, or before it. */
  private tokens(event: JsonObject, path: string): void {
    const response_ids = tokenIdsAt(event, 'response_token_ids', path);
    if (response_ids === null) return;
    const prompt_ids = tokenIdsAt(event, 'prompt_token_ids', path);
    const policy = { prompt_ids, response_ids, logprobs: null, weight_version: null };
    const last = this.run.turns.length - 1;
    const turn = this.run.turns[last];
    if (turn?.role === 'assistant' && turn.policy === null) this.run.replace(last, { ...turn, policy });
    else this.held = policy;
  }

  private state(event: JsonObject): void {
    const { key, value } = { key: event['key'], value: event['value'] };
    const state = key === 'full_state' && isObject(value) ? value : {};
    const stats = key === 'stats' ? value : state['stats'];
    this.model ??= modelOf(stats) ?? agentModel(state['agent']);
    const status = key === 'execution_status' ? asString(value) : asString(state['execution_status']);
    if (status === 'error' || status === 'stuck') this.ended = 'error';
    if (status === 'running') this.ended = null;
  }
}

/** The call as the model made it; the name in the call wins over that of the event. */
function loggedCall(call: JsonObject, at: { path: string; name: string | null }): Span {
  const nested = isObject(call['function']) ? call['function'] : call;
  const name = asString(nested['name']) ?? at.name ?? requiredString(nested, 'name', at.path);
  return callSpan({ id: stringAt(call, 'id', at.path), name, arguments: nested['arguments'] });
}

function observedParts(observation: JsonObject, path: string) {
  for (const key of ['content', 'output', 'message', 'error']) {
    const value = observation[key] ?? null;
    if (value !== null && value !== '') return contentParts(value, `${path}.${key}`);
  }
  return [];
}

function outcomeOf(observation: JsonObject): RecordedOutcome {
  const metadata = isObject(observation['metadata']) ? observation['metadata'] : {};
  const logged = asNumber(observation['exit_code']) ?? asNumber(metadata['exit_code']);
  // -1 stands for a command that was never run or has not ended.
  const exit_code = logged !== null && Number.isSafeInteger(logged) && logged >= 0 ? logged : null;
  if (observation['timeout'] === true) return { status: 'timeout', exit_code };
  if (exit_code !== null) return { status: exit_code === 0 ? 'ok' : 'error', exit_code };
  const failed = asBoolean(observation['is_error']);
  return failed === null ? {} : { status: failed ? 'error' : 'ok' };
}

function textsOf(value: unknown): string {
  if (!Array.isArray(value)) return '';
  return value
    .map((part) => (isObject(part) ? (asString(part['text']) ?? '') : (asString(part) ?? '')))
    .join('');
}

function modelOf(stats: unknown): string | null {
  const metrics = isObject(stats) ? stats['usage_to_metrics'] : null;
  if (!isObject(metrics)) return null;
  const own = isObject(metrics['default']) ? metrics['default'] : metrics['agent'];
  return isObject(own) ? asString(own['model_name']) : null;
}

function agentModel(agent: unknown): string | null {
  const llm = isObject(agent) ? agent['llm'] : null;
  return isObject(llm) ? asString(llm['model']) : null;
}
