import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { benchTexts } from './texts.js';

const FEW_WORDS = /(?:\S+[ \n]){4}/g;

export interface ConversationOptions {
  readonly run: number;
  readonly turns: number;
  /** writes the number of the run behind every few words, so that no two runs have lines in common */
  readonly unrepeated?: boolean;
}

/** Messages of a run with `turns` assistant turns, each with reasoning, a call and its answer; all runs differ. */
export function conversation(pieces: readonly string[], options: ConversationOptions): object[] {
  const { run, turns, unrepeated = false } = options;
  const piece = (k: number): string => {
    const text = pieces[(run * 131 + k * 17) % pieces.length] ?? '';
    return unrepeated ? text.replace(FEW_WORDS, (words) => `${words}${run} `) : text;
  };
  const messages: object[] = [
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

/** Writes about `bytes` of JSON lines, one run of 24 turns each; returns the exact size. */
export async function writeConversations(
  path: string,
  bytes: number,
  options: Pick<ConversationOptions, 'unrepeated'> = {},
): Promise<number> {
  const { pieces } = benchTexts(4_000_000);
  const file = createWriteStream(path);
  let written = 0;
  for (let run = 0; written < bytes; run++) {
    const line = `${JSON.stringify({ id: `run-${run}`, messages: conversation(pieces, { ...options, run, turns: 24 }) })}\n`;
    written += Buffer.byteLength(line);
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
  return written;
}
