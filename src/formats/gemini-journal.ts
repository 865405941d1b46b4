import { objectOf } from './fields.js';
import { asArray, asString, isObject, type JsonObject } from './shape.js';

/** A message of a session, by its id. */
export interface JournalMessage {
  readonly id: string;
  readonly fields: JsonObject;
  readonly path: string;
}

/** What happened in a session, in order: a message was written first, or a history took the place of all before it. */
export type JournalStep =
  | { readonly message: string }
  | { readonly history: readonly JournalMessage[]; readonly opens: boolean };

export interface GeminiJournal {
  /** fields of the session beside its messages */
  readonly session: JsonObject;
  /** as they were written last; without those that a rewind took back */
  readonly messages: ReadonlyMap<string, JournalMessage>;
  readonly steps: readonly JournalStep[];
}

/**
 * The session that lines add up to: its head and each `$set` are fields of it, a message that is written again takes the
 * place of the earlier one, `$rewindTo` takes back a message and all after it, `$set` of messages is a new history.
 */
export function geminiJournal(lines: readonly unknown[]): GeminiJournal {
  let session: JsonObject = {};
  const messages = new Map<string, JournalMessage>();
  const steps: JournalStep[] = [];
  let live: string[] = [];
  lines.forEach((value, index) => {
    const path = `line ${index + 1}`;
    const line = objectOf(value, path);
    const rewind = asString(line['$rewindTo']);
    if (rewind !== null) {
      for (const id of live.splice(Math.max(0, live.indexOf(rewind)))) messages.delete(id);
      return;
    }
    const id = asString(line['id']) ?? (typeof line['type'] === 'string' ? path : null);
    if (id !== null) {
      const known = messages.has(id);
      messages.set(id, { id, fields: line, path });
      if (known) return;
      steps.push({ message: id });
      live.push(id);
      return;
    }
    const set = isObject(line['$set']) ? line['$set'] : null;
    const { messages: listed, ...rest } = set ?? line;
    session = { ...session, ...rest };
    const history = asArray(listed).map((each, position): JournalMessage => {
      const at = `${path}.messages[${position}]`;
      const fields = objectOf(each, at);
      return { id: asString(fields['id']) ?? at, fields, path: at };
    });
    if (history.length === 0) return;
    // A line of the whole session so far takes the place of all before it.
    if (set === null) steps.length = 0;
    steps.push({ history, opens: set === null });
    live = history.map((each) => each.id);
  });
  return { session, messages, steps };
}
