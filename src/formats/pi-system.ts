import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Turn } from '../trajectory/turn.js';
import { contentParts } from './content-parts.js';
import { fieldPath, listAt, objectAt, objectOf, requiredString, wrongType } from './fields.js';
import type { PiEntry } from './pi-entries.js';
import type { SessionRun } from './session-run.js';
import { isObject, type JsonObject } from './shape.js';

/** The system message of an entry, as pi writes them since 0.86; null for any other entry. */
export function systemMessage(entry: PiEntry): JsonObject | null {
  const { message } = entry.fields as { message?: unknown };
  return entry.type === 'message' && isObject(message) && message['role'] === 'system' ? message : null;
}

/**
 * The system prompt and the tools of a session: the first message declares them, later ones add words, replace sections
 * by name, or take them and tools away.
 */
export class PiSystem {
  private readonly words: string[] = [];
  private readonly sections = new Map<string, string>();
  private readonly defined = new Map<string, JsonObject>();
  private said = '';
  /** the turn that holds the prompt in force */
  turn: number | null = null;

  get tools(): readonly JsonObject[] {
    return [...this.defined.values()];
  }

  /** Puts a prompt into the run; where another was in force a context begins with it. */
  say(run: SessionRun, text: string, timestamp: string | null = null): void {
    if (text === this.said || text === '') return;
    const turn: Turn = makeTurn('system', [contentSpan('prompt', 'environment', text)], { timestamp });
    this.said = text;
    const before = run.context.filter((index) => index !== this.turn);
    if (before.length > 0) run.restart([], 'system_prompt_changed');
    this.turn = run.push(turn);
    if (before.length > 0) run.resume(before);
  }

  /** @throws RejectError `bad_shape` for sections and tools of another type */
  apply(run: SessionRun, message: JsonObject, entry: PiEntry): void {
    const path = fieldPath(entry.path, 'message');
    const parts = contentParts(message['content'], fieldPath(path, 'content'));
    const content = parts.map(({ text }) => text).join('\n');
    if (content !== '') this.words.push(content);
    for (const [name, text] of Object.entries(objectAt(message, 'sections', path) ?? {})) {
      if (text === null) this.sections.delete(name);
      else if (typeof text === 'string') this.sections.set(name, text);
      else throw wrongType(`${path}.sections.${name}`, 'a string or null', text);
    }
    for (const tool of this.named(message, 'toolsRemoved', path)) this.defined.delete(tool.name);
    for (const { name, tool } of this.named(message, 'toolsAdded', path)) this.defined.set(name, tool);
    const prompt = [...this.words, ...this.sections.values()].filter((part) => part !== '');
    this.say(run, prompt.join('\n\n'), entry.timestamp);
  }

  private named(message: JsonObject, key: string, path: string): { name: string; tool: JsonObject }[] {
    return (listAt(message, key, path) ?? []).map((value, index) => {
      const at = `${path}.${key}[${index}]`;
      const tool = objectOf(value, at);
      return { name: requiredString(tool, 'name', at), tool };
    });
  }
}
