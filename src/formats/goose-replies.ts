import type { LoggedMessage } from './anthropic-turns.js';
import { asArray, asId, asNumber, asString, isObject, type JsonObject } from './shape.js';

/** What Goose says in the place of a reply, where it stops a run or no request got one. */
const HARNESS_REPLY = [
  /^I've reached the maximum number of actions I can do without user input\./,
  /^Ran into this error(?: trying to compact)?: [\s\S]*\n\nPlease (?:retry if|try again or) /,
  /^Retry logic encountered an error: /,
  /^The (?:existing call to \S+|tool calling loop) was interrupted\. How would you like to proceed\?$/,
  /\n\nPlease resend your message to try again\.$/,
] as const;

/** What of it says that the reply before broke off. */
const BROKEN_OFF =
  /^Ran into this error: [\s\S]*\n\nPlease retry if |\n\nPlease resend your message to try again\.$/;

export function isHarnessText(blocks: readonly JsonObject[]): boolean {
  const words = textOf(blocks);
  return words !== null && HARNESS_REPLY.some((pattern) => pattern.test(words));
}

/** The text of a message that holds nothing else; null for any other. */
function textOf(blocks: readonly JsonObject[]): string | null {
  if (blocks.length === 0 || !blocks.every(({ type }) => type === 'text')) return null;
  return blocks.map(({ text }) => asString(text) ?? '').join('');
}

/** Messages of one id that follow each other are pieces of one, as a stream prints them. */
export function piecedMessages(records: readonly JsonObject[]): JsonObject[] {
  const groups: [JsonObject, ...JsonObject[]][] = [];
  for (const record of records) {
    const group = groups.at(-1);
    if (group !== undefined && isPieceOf(record, group[0])) group.push(record);
    else groups.push([record]);
  }
  return groups.map((group) =>
    group.length === 1
      ? group[0]
      : { ...group[0], content: group.flatMap(({ content }) => asArray(content)) },
  );
}

function isPieceOf(record: JsonObject, first: JsonObject): boolean {
  const id = asId(record['id']);
  if (id === null || id !== asId(first['id']) || record['role'] !== first['role']) return false;
  return Array.isArray(record['content']) && Array.isArray(first['content']);
}

/** Text and thinking that came in pieces as one block each; a signature ends a block of thinking. */
export function joinedPieces(blocks: readonly JsonObject[]): JsonObject[] {
  const runs: [JsonObject, ...JsonObject[]][] = [];
  for (const block of blocks) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const { type } = block;
    const continues =
      type === 'text' || (type === 'thinking' && (asString(last?.['signature']) ?? '') === '');
    if (run !== undefined && last?.['type'] === type && continues) run.push(block);
    else runs.push([block]);
  }
  return runs.map((run) => {
    const key = run[0]['type'] === 'text' ? 'text' : 'thinking';
    return run.length === 1
      ? run[0]
      : { ...run.at(-1), type: key, [key]: run.map((piece) => asString(piece[key]) ?? '').join('') };
  });
}

/** A reply of the model whose parts may still follow. */
interface OpenReply {
  readonly id: string;
  thoughts: string;
  /** when its latest call was written down, in seconds */
  created: number | null;
}

/**
 * Goose writes the parts of a reply as messages of their own: its thinking, which it repeats beside each call, its text,
 * and each call with the answer behind it. Parts with nothing between them are one reply; a call behind an answer is of
 * the reply before it if it repeats its thinking, or if its own answer was begun before that reply's last call was
 * written down: answers are begun before any tool runs.
 */
export function joinedReplies(
  messages: readonly LoggedMessage[],
  records: readonly JsonObject[],
): LoggedMessage[] {
  const clock = new Set(records.map((record) => record['created'])).size > 1;
  const begun = clock ? answersBegun(records) : new Map<string, number>();
  const names = new Map<string, string>();
  const joined: LoggedMessage[] = [];
  let open: OpenReply | null = null;
  let adjacent = false;
  let answered: JsonObject | null = null;
  messages.forEach((message, index) => {
    const blocks = asArray(message.content).filter(isObject);
    if (message.role !== 'assistant') {
      adjacent = false;
      answered = blocks.at(-1) ?? null;
      if (!blocks.every(({ type }) => type === 'tool_result')) open = null;
      joined.push(message);
      return;
    }
    if (message.origin === 'environment' || isFinalOutput(blocks, answered, names)) {
      const before = joined.at(-1);
      if (adjacent && before !== undefined && BROKEN_OFF.test(textOf(blocks) ?? ''))
        joined[joined.length - 1] = { ...before, truncated: 'error' };
      const flags = message.origin === 'environment' ? message.flags : ['harness_reply'];
      joined.push({ ...message, origin: 'environment', flags: flags ?? [] });
      open = null;
      adjacent = false;
      return;
    }
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    for (const { id, name } of calls) names.set(asId(id) ?? '', asString(name) ?? '');
    const thoughts = thoughtsOf(blocks);
    const repeats = thoughts !== '' && thoughts === open?.thoughts;
    const since = open?.created ?? null;
    const together =
      since !== null &&
      calls.length > 0 &&
      calls.every(({ id }) => (begun.get(asId(id) ?? '') ?? Infinity) <= since);
    const same = open !== null && (adjacent || repeats || together);
    const reply: OpenReply =
      same && open !== null ? open : { id: `reply ${index}`, thoughts: '', created: null };
    const content = same && repeats ? blocks.filter((block) => !isThought(block)) : message.content;
    if (thoughts !== '') reply.thoughts = thoughts;
    if (calls.length > 0) reply.created = asNumber(records[index]?.['created']);
    joined.push({ ...message, id: reply.id, content });
    open = reply;
    adjacent = true;
    answered = null;
  });
  return joined;
}

function isThought({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking' || type === 'reasoning_summary';
}

function thoughtsOf(blocks: readonly JsonObject[]): string {
  const thoughts = blocks.filter(isThought);
  return thoughts.length === 0 ? '' : JSON.stringify(thoughts);
}

/** By call id when the message of its answer was begun. */
function answersBegun(records: readonly JsonObject[]): Map<string, number> {
  const begun = new Map<string, number>();
  for (const record of records) {
    const created = asNumber(record['created']);
    for (const block of asArray(record['content'])) {
      const id = isObject(block) && block['type'] === 'toolResponse' ? asId(block['id']) : null;
      if (id !== null && created !== null) begun.set(id, created);
    }
  }
  return begun;
}

const FINAL_OUTPUT = /(?:^|__)final_output$/;

/** The arguments of the final call of a recipe, which Goose says again as a reply. */
function isFinalOutput(
  blocks: readonly JsonObject[],
  answered: JsonObject | null,
  names: ReadonlyMap<string, string>,
): boolean {
  if (answered === null || answered['is_error'] !== false) return false;
  const name = names.get(asId(answered['tool_use_id']) ?? '') ?? '';
  return FINAL_OUTPUT.test(name) && /^\s*[{[]/.test(textOf(blocks) ?? '');
}
