import { contentParts, partsText } from './content-parts.js';
import { fieldPath, listAt, objectOf, requiredString, stringAt } from './fields.js';
import { asString, type JsonObject } from './shape.js';

/** A chat message of a step, with what tells it from others. */
export interface Message {
  readonly fields: JsonObject;
  readonly path: string;
  readonly role: string;
  readonly content: string;
  readonly key: string;
}

/** One model interaction: the context so far, the reply last. */
export interface Step {
  readonly fields: JsonObject;
  readonly path: string;
  readonly messages: readonly Message[];
  /** index in `messages` of the reply that this step sampled, -1 where it holds none */
  readonly reply: number;
  readonly observation: string;
}

/** A message as one turn of the run. */
export interface Entry {
  readonly message: Message;
  /** the step that sampled it, null for prompts, feedback and copied text */
  readonly step: Step | null;
  /** a reply that no step sampled in this form */
  readonly copied: boolean;
  readonly flags: readonly string[];
}

/** The turns of a run and its contexts, each a list of turn indices in the order in which the model had them. */
export interface Contexts {
  readonly entries: readonly Entry[];
  readonly epochs: readonly (readonly number[])[];
}

export function readSteps(list: readonly unknown[], path: string): Step[] {
  return list
    .map((value, index) => readStep(value, `${path}[${index}]`))
    .filter((step) => step.messages.length > 0);
}

/**
 * Joins the contexts of the steps: as long as each begins with the one before, they are one; where the harness changed
 * the context, a new one begins, whose messages point to the turns that they repeat. What a step sampled is always
 * a turn of its own, even where the model wrote the same words again.
 */
export function joinContexts(steps: readonly Step[]): Contexts {
  const entries: Entry[] = [];
  const epochs: number[][] = [];
  steps.forEach((step, at) => {
    const last = epochs.at(-1);
    const grows =
      last?.every((turn, index) => entries[turn]?.message.key === step.messages[index]?.key) ?? false;
    const epoch = last !== undefined && grows ? last : [];
    const from = epoch.length;
    const repeated = grows || last === undefined ? [] : repeatedTurns(step, entries);
    step.messages.slice(from).forEach((message, offset) => {
      const position = from + offset;
      const known = repeated[position];
      if (known !== undefined && known !== null) {
        epoch.push(known);
        return;
      }
      const own = position === step.reply;
      const copied =
        !own && message.role === 'assistant' && isCopied({ at, steps, grows, first: last === undefined });
      epoch.push(entries.length);
      entries.push({ message, step: own ? step : null, copied, flags: entryFlags({ own, copied, message }) });
    });
    if (!grows) epochs.push(epoch);
    const answer = answerOf(steps, at);
    if (answer !== null) {
      epoch.push(entries.length);
      entries.push({ message: answer, step: null, copied: false, flags: ['feedback_from_step_observation'] });
    }
  });
  return { entries, epochs };
}

function readStep(value: unknown, path: string): Step {
  const fields = objectOf(value, path);
  const chatPath = fieldPath(path, 'chat_completions');
  const messages = (listAt(fields, 'chat_completions', path) ?? []).map((item, index) =>
    readMessage(item, `${chatPath}[${index}]`),
  );
  const response = asString(fields['model_response']) ?? '';
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  const missing =
    messages.length > 0 &&
    response !== '' &&
    messages.at(-1)?.role !== 'assistant' &&
    messages[last]?.content !== response;
  if (missing)
    messages.push(readMessage({ role: 'assistant', content: response }, fieldPath(path, 'model_response')));
  return {
    fields,
    path,
    messages,
    reply: missing ? messages.length - 1 : last,
    observation: asString(fields['observation']) ?? '',
  };
}

function readMessage(value: unknown, path: string): Message {
  const fields = objectOf(value, path);
  const role = requiredString(fields, 'role', path);
  const content = partsText(contentParts(fields['content'], fieldPath(path, 'content')));
  const reasoning = messageReasoning(fields, path);
  const key = JSON.stringify([
    role,
    content,
    reasoning,
    fields['tool_calls'] ?? null,
    fields['tool_call_id'] ?? null,
  ]);
  return { fields, path, role, content, key };
}

export function messageReasoning(fields: JsonObject, path: string): string {
  return stringAt(fields, 'reasoning', path) ?? stringAt(fields, 'reasoning_content', path) ?? '';
}

/** For each message of a new context the turn that it repeats, found in order; null for new ones and the reply. */
function repeatedTurns(step: Step, entries: readonly Entry[]): (number | null)[] {
  let next = 0;
  return step.messages.map((message, position) => {
    if (position === step.reply) return null;
    const found = entries.findIndex((entry, turn) => turn >= next && entry.message.key === message.key);
    if (found < 0) return null;
    next = found + 1;
    return found;
  });
}

/**
 * Whether a reply that is not its step's own was copied: it stands before the first sampled reply of a run of several
 * steps, or a changed context brings it in a form that nobody sampled.
 */
function isCopied(where: { at: number; steps: readonly Step[]; grows: boolean; first: boolean }): boolean {
  return where.first ? where.steps.length > 1 && where.at === 0 : !where.grows;
}

function entryFlags(entry: { own: boolean; copied: boolean; message: Message }): string[] {
  if (entry.own || entry.message.role !== 'assistant') return [];
  return [entry.copied ? 'copied_reply' : 'reply_without_step'];
}

/**
 * The answer to a step's reply, where no later context of the same epoch shows it: some harnesses keep the answer in
 * `observation`, others the observation before the reply. Null where it is shown, or none is recorded.
 */
function answerOf(steps: readonly Step[], at: number): Message | null {
  const step = steps[at];
  if (step === undefined || step.observation === '' || step.reply !== step.messages.length - 1) return null;
  const next = steps[at + 1];
  const grows =
    next !== undefined && step.messages.every((message, index) => message.key === next.messages[index]?.key);
  if (grows || !observesAfter(steps)) return null;
  return readMessage({ role: 'user', content: step.observation }, fieldPath(step.path, 'observation'));
}

/** Whether `observation` holds what followed the reply: most steps tell by the message before and after it. */
function observesAfter(steps: readonly Step[]): boolean {
  let votes = 0;
  steps.forEach((step, index) => {
    if (step.observation === '' || step.reply < 0) return;
    if (step.messages[step.reply - 1]?.content === step.observation) votes--;
    else if (steps[index + 1]?.messages[step.reply + 1]?.content === step.observation) votes++;
    else if (step.observation.trimStart().startsWith('<tool_response>')) votes++;
  });
  return votes > 0;
}
