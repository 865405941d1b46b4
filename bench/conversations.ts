import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { type ChatFields, realConversations } from './real-conversations.js';
import { benchTexts } from './texts.js';

const FEW_WORDS = /(?:\S+[ \n]){4}/g;

export interface ConversationOptions {
  readonly run: number;
  readonly turns: number;
}

/** Messages of a run with `turns` assistant turns, each with reasoning, a call and its answer; all runs differ. */
export function conversation(pieces: readonly string[], options: ConversationOptions): ChatFields[] {
  const { run, turns } = options;
  const piece = (k: number): string => pieces[(run * 131 + k * 17) % pieces.length] ?? '';
  const messages: ChatFields[] = [
    { role: 'system', content: `You are agent ${run}.` },
    { role: 'user', content: piece(0) },
  ];
  for (let turn = 0; turn < turns; turn++) {
    messages.push({
      role: 'assistant',
      reasoning_content: piece(3 * turn + 1).slice(0, 600),
      content: `Step ${turn} of run ${run}.`,
      tool_calls: [
        {
          id: `c${turn}`,
          type: 'function',
          function: {
            name: 'bash',
            arguments: JSON.stringify({ command: piece(3 * turn + 2).slice(0, 800) }),
          },
        },
      ],
    });
    messages.push({ role: 'tool', tool_call_id: `c${turn}`, content: piece(3 * turn + 3) });
  }
  messages.push({ role: 'assistant', content: `Run ${run} is done.` });
  return messages;
}

/** A conversation as attempt `run` at its task had gone the same way: only the first message tells them apart. */
function attempt([first, ...rest]: readonly ChatFields[], run: number): ChatFields[] {
  return first === undefined ? [] : [{ ...first, content: `Attempt ${run}.\n${first.content}` }, ...rest];
}

/** The conversation with the number of the run behind every few words, so that no two runs have lines in common. */
function unlike(messages: readonly ChatFields[], run: number): ChatFields[] {
  const mark = (text: string): string => text.replace(FEW_WORDS, (words) => `${words}${run} `);
  return messages.map(({ content, reasoning_content, tool_calls, ...rest }) => ({
    ...rest,
    content: mark(content),
    ...(reasoning_content === undefined ? {} : { reasoning_content: mark(reasoning_content) }),
    ...(tool_calls === undefined
      ? {}
      : {
          tool_calls: tool_calls.map(({ function: own, ...call }) => ({
            ...call,
            function: { ...own, arguments: markArguments(own.arguments, mark) },
          })),
        }),
  }));
}

/** Marks the strings in JSON, so that it stays JSON. */
function markArguments(text: string, mark: (text: string) => string): string {
  try {
    return JSON.stringify(JSON.parse(text, (_, value) => (typeof value === 'string' ? mark(value) : value)));
  } catch {
    return mark(text);
  }
}

export interface LogOptions {
  readonly conversations: readonly (readonly ChatFields[])[];
  /** no two lines of the log have lines of text in common */
  readonly unrepeated?: boolean;
}

/** The conversations of the logs at hand, else made-up ones of 24 turns. */
export async function benchConversations(): Promise<ChatFields[][]> {
  const real = await realConversations();
  if (real.length > 0) return real;
  const { pieces } = benchTexts(4_000_000);
  return Array.from({ length: 100 }, (_, run) => conversation(pieces, { run, turns: 24 }));
}

/** Writes about `bytes` of JSON lines, one attempt each at the conversations in turn; returns the exact size. */
export async function writeConversations(path: string, bytes: number, options: LogOptions): Promise<number> {
  const { conversations, unrepeated = false } = options;
  const file = createWriteStream(path);
  let written = 0;
  for (let run = 0; written < bytes; run++) {
    const first = attempt(conversations[run % conversations.length] ?? [], run);
    const messages = unrepeated ? unlike(first, run) : first;
    const line = `${JSON.stringify({ id: `run-${run}`, messages })}\n`;
    written += Buffer.byteLength(line);
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
  return written;
}
