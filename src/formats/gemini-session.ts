import type { GeminiJournal, JournalMessage, JournalStep } from './gemini-journal.js';
import { readMessage } from './gemini-messages.js';
import { SessionRun } from './session-run.js';
import { asArray, asString, isObject, type JsonObject } from './shape.js';

/** Puts the messages of a session into a run; a history that took their place is a context of its own. */
export class JournalReader {
  readonly run = new SessionRun();
  model: string | null = null;
  /** turns of each message */
  private readonly placed = new Map<string, readonly number[]>();
  private readonly answered = new Set<string>();
  private readonly named: boolean;

  constructor(private readonly journal: GeminiJournal) {
    this.named = [...journal.messages.values()].some(({ fields }) => isNamed(fields));
  }

  take(step: JournalStep): void {
    if ('message' in step) {
      const message = this.journal.messages.get(step.message);
      if (message !== undefined) this.place(message, { real: isInput(message.fields) || !this.named });
      return;
    }
    if (step.opens) {
      for (const message of step.history) this.place(message, { real: true });
      return;
    }
    const { history } = step;
    const kept = history.flatMap(({ id }) => this.placed.get(id) ?? []);
    const fresh = new Set(
      history.filter((message) => !this.placed.has(message.id) && !this.isAnswer(message.fields)),
    );
    const changed = history.some(({ id, fields }) => {
      const before = this.journal.messages.get(id)?.fields;
      return (
        before !== undefined && JSON.stringify(before['toolCalls']) !== JSON.stringify(fields['toolCalls'])
      );
    });
    if (changed) this.run.flag('context_edited');
    const { context } = this.run;
    const same = kept.length === context.length && kept.every((turn, index) => turn === context[index]);
    if (fresh.size === 0 && same) return;
    this.run.restart([], 'compaction');
    for (const message of history) {
      const known = this.placed.get(message.id);
      if (known !== undefined) this.run.resume(known);
      else if (fresh.has(message)) this.place(message, { real: false });
    }
  }

  /** A reply is the model's where it names one; of others only the file's first history is believed. */
  private place(message: JournalMessage, at: { real: boolean }): void {
    const { fields, id, path } = message;
    const from = this.run.turns.length;
    this.model ??= asString(fields['model']);
    readMessage(this.run, fields, { path, model: this.model });
    if (!at.real && !isInput(fields) && !isNamed(fields)) this.run.disown(from, 'harness_reply');
    for (const call of asArray(fields['toolCalls'])) {
      const callId = isObject(call) ? asString(call['id']) : null;
      if (callId !== null) this.answered.add(callId);
    }
    this.placed.set(
      id,
      this.run.turns.slice(from).map((_, index) => from + index),
    );
  }

  /** Whether a message only repeats answers that stand in the calls already. */
  private isAnswer(fields: JsonObject): boolean {
    const parts = asArray(fields['content']);
    return (
      parts.length > 0 &&
      parts.every((part) => {
        const response = isObject(part) ? part['functionResponse'] : null;
        return isObject(response) && this.answered.has(asString(response['id']) ?? '');
      })
    );
  }
}

function isInput(fields: JsonObject): boolean {
  return fields['type'] !== 'gemini';
}

function isNamed(fields: JsonObject): boolean {
  return fields['type'] === 'gemini' && asString(fields['model']) !== null;
}
