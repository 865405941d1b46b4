import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import { type ChatMessage, toChatMessage } from './message.js';

/** What stands before a turn, and what it says besides its thought: text, calls, both or nothing. */
type Speech = `${'' | 'result '}${'' | 'text '}${'' | 'calls'}`;

/** What a template prints of a last turn, by what the turn says. */
export interface ShownThoughts {
  /** reasoning in a field of its own */
  readonly beside: ReadonlySet<Speech>;
  /** a think block at the front of the content */
  readonly inside: ReadonlySet<Speech>;
  /** the content without such a block */
  readonly text: ReadonlySet<Speech>;
}

/** A message and the one before it. */
export interface Spoken {
  readonly message: ChatMessage;
  readonly before: ChatMessage | undefined;
}

const THOUGHT = 'pondered';
const ANSWER = 'so be it';
const text = contentSpan('text', 'model', ANSWER);
const call = structuredCallSpan({ id: 'c', name: 'tool_name', arguments: { key: 'value' } });
const WORDS = [[], [text], [call], [text, call]] as const;
const user = makeTurn('user', [contentSpan('prompt', 'environment', 'question')]);
const tool = makeTurn('tool', [contentSpan('observation', 'environment', 'result')], { tool_call_id: 'c' });
const BEGINNINGS = [[user], [user, makeTurn('assistant', [call]), tool]] as const;
const BLOCK = contentSpan('text', 'model', `<think>\n${THOUGHT}\n</think>\n\n`);

/** Tries every speech behind a question and behind a result. What the template refuses counts as printed. */
export function shownThoughts(print: (turns: readonly Turn[]) => string | null): ShownThoughts {
  const shown = (mark: string, thought: readonly Span[]): Set<Speech> => {
    const found = new Set<Speech>();
    for (const before of BEGINNINGS)
      for (const words of WORDS) {
        const turn = makeTurn('assistant', [...thought, ...words]);
        const printed = print([...before, turn]);
        const [message, last] = [toChatMessage(turn, 0), toChatMessage(before.at(-1) ?? user, 0)];
        if (printed?.includes(mark) ?? true) found.add(speechOf({ message, before: last }));
      }
    return found;
  };
  return {
    beside: shown(THOUGHT, [reasoningSpan(THOUGHT)]),
    inside: shown(THOUGHT, [BLOCK]),
    text: shown(ANSWER, []),
  };
}

/** Whether the reasoning of a message, beside its content, is printed where its turn is the last. */
export function showsBeside({ beside }: ShownThoughts, spoken: Spoken): boolean {
  return beside.has(speechOf(spoken));
}

/** Whether the thought of a message, wherever it stands, is printed where its turn is the last. */
export function showsThought({ inside, beside }: ShownThoughts, spoken: Spoken): boolean {
  return (spoken.message.reasoning === null ? inside : beside).has(speechOf(spoken));
}

/** How much of the front of a content no rendering prints: the thoughts in it, or all. */
export function hiddenFront({ inside, text }: ShownThoughts, spoken: Spoken): number {
  const speech = speechOf(spoken);
  const { message } = spoken;
  const end = inside.has(speech) ? 0 : thoughtEnd(message);
  return speech.includes('text') && !text.has(speech) ? message.content.text.length : end;
}

function speechOf({ message, before }: Spoken): Speech {
  const words = message.content.text.slice(thoughtEnd(message)).trim();
  const [behind, said] = [before?.role === 'tool' ? 'result ' : '', words === '' ? '' : 'text '] as const;
  return `${behind}${said}${message.calls.length > 0 ? 'calls' : ''}`;
}

function thoughtEnd({ content }: ChatMessage): number {
  const close = content.text.lastIndexOf('</think>');
  return close < 0 ? 0 : close + '</think>'.length;
}
