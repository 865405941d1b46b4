import { asArray, asNumber, asString, isObject, type JsonObject } from './shape.js';

/** What the events of a sample say beside its messages. */
export interface SampleEvents {
  /** calls of the policy's model, in order; those made while scoring are left out */
  readonly generations: readonly Generation[];
  /** tool events by call id */
  readonly tools: ReadonlyMap<string, JsonObject>;
}

export interface Generation {
  /** the messages that the model was shown, resolved */
  readonly input: readonly unknown[];
  readonly output: JsonObject;
  readonly message: JsonObject | null;
  readonly tools: readonly unknown[];
}

const ATTACHMENT = /^(?:attachment|tc):\/\/(\w+)$/;

/** Resolves the references that a sample keeps long strings under, in any value of it. */
export function resolver(sample: JsonObject): {
  resolve: (value: unknown) => unknown;
  missing: () => number;
} {
  const transcript = isObject(sample['transcript']) ? sample['transcript'] : {};
  const own = isObject(sample['attachments']) ? sample['attachments'] : {};
  const old = isObject(transcript['content']) ? transcript['content'] : {};
  let missing = 0;
  const resolve = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const hash = ATTACHMENT.exec(value)?.[1];
      if (hash === undefined) return value;
      const text = asString(
        Object.hasOwn(own, hash) ? own[hash] : Object.hasOwn(old, hash) ? old[hash] : null,
      );
      if (text === null) missing++;
      return text ?? value;
    }
    if (Array.isArray(value)) return value.map(resolve);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, resolve(child)]));
  };
  return { resolve, missing: () => missing };
}

/** Events of a sample, of the old transcript where it has none of its own. */
export function sampleEvents(sample: JsonObject, resolve: (value: unknown) => unknown): SampleEvents {
  const transcript = isObject(sample['transcript']) ? sample['transcript'] : {};
  const events = asArray(sample['events'] ?? transcript['events']).filter(isObject);
  const pool = poolOf(sample);
  const generations: Generation[] = [];
  const tools = new Map<string, JsonObject>();
  let scoring = false;
  const scorers = new Set<string>();
  for (const event of events) {
    const type = event['event'];
    if (opensScoring(event)) {
      scoring = true;
      const span = asString(event['id']);
      if (span !== null) scorers.add(span);
    }
    if (closesScoring(event, scorers)) scoring = false;
    if (type === 'tool') {
      const id = asString(event['id']);
      if (id !== null) tools.set(id, event);
    }
    if (type !== 'model' || scoring || scorers.has(asString(event['span_id']) ?? '')) continue;
    if (event['role'] === 'grader') continue;
    const output = isObject(event['output']) ? event['output'] : {};
    const [choice] = asArray(output['choices']);
    const message = isObject(choice) ? resolve(choice['message']) : null;
    generations.push({
      input: asArray(resolve(inputOf(event, pool))),
      output,
      message: isObject(message) ? message : null,
      tools: asArray(resolve(event['tools'])),
    });
  }
  return { generations, tools };
}

/** Spans and steps of scorers: what a model writes there judges the answer. */
function opensScoring(event: JsonObject): boolean {
  if (event['event'] === 'span_begin') return event['type'] === 'scorer' || event['type'] === 'scorers';
  return event['event'] === 'step' && event['action'] === 'begin' && event['type'] === 'scorer';
}

function closesScoring(event: JsonObject, scorers: ReadonlySet<string>): boolean {
  if (event['event'] === 'span_end') return scorers.has(asString(event['id']) ?? '');
  return event['event'] === 'step' && event['action'] === 'end' && event['type'] === 'scorer';
}

/** Messages that newer logs store once for all events. */
function poolOf(sample: JsonObject): readonly unknown[] {
  if (Array.isArray(sample['message_pool'])) return sample['message_pool'];
  const data = sample['events_data'];
  return isObject(data) ? asArray(data['messages']) : [];
}

/** The input of a call: its own list, or half-open ranges of the pool. */
function inputOf(event: JsonObject, pool: readonly unknown[]): readonly unknown[] {
  const refs = asArray(event['input_refs']);
  if (refs.length === 0) return asArray(event['input']);
  return refs.flatMap((ref) => {
    const start = asNumber(asArray(ref)[0]);
    const end = asNumber(asArray(ref)[1]);
    return start === null || end === null ? [] : pool.slice(start, end);
  });
}
