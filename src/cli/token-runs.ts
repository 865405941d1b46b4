import { withoutDirection } from '../report/terminal-text.js';
import type { Encoder } from '../tokens/encoder.js';
import type { TokenRow } from '../tokens/token-row.js';
import type { CliContext } from './context.js';
import { hasColor, paintFor } from './style.js';

/** Tokens side by side that are alike: one mask value, special or not, of the turn that was asked for. */
export interface TokenRun {
  readonly trained: boolean;
  readonly special: boolean;
  readonly tokens: number;
  readonly text: string;
}

/**
 * The text of a row, cut where the mask changes and around special tokens; a character cut there shows as a replacement
 * sign. With `turn` only the tokens of that turn.
 */
export function tokenRuns(
  { input_ids: ids, loss_mask: mask, segment_of_token: segmentOf, segments }: TokenRow,
  { encoder, turn }: { encoder: Encoder; turn: number | null },
): TokenRun[] {
  const specials = new Set(encoder.specials.values());
  const isShown = (i: number): boolean => turn === null || segments[segmentOf[i] ?? 0]?.turn === turn;
  const isSpecial = (i: number): boolean => specials.has(ids[i] ?? -1);
  const runs: TokenRun[] = [];
  for (let start = 0, end = 1; start < ids.length; start = end++) {
    if (!isShown(start)) continue;
    const special = isSpecial(start);
    while (end < ids.length && isShown(end) && mask[end] === mask[start] && isSpecial(end) === special) {
      end++;
    }
    const bytes = Array.from(ids.subarray(start, end), (id) => encoder.tokenBytes(id));
    const text = Buffer.concat(bytes).toString('utf8');
    runs.push({ trained: mask[start] === 1, special, tokens: end - start, text });
  }
  return runs;
}

/** Prints a row: in colour, or with what is trained between « and ». */
export function printRow(
  context: CliContext,
  head: { trajectory_id: string; epoch: number; stretch: number; n_tokens: number; n_trained: number },
  runs: readonly TokenRun[],
): void {
  const { stdout, env } = context.process;
  const paint = paintFor(stdout, env);
  const color = hasColor(stdout, env);
  const { trajectory_id: id, epoch, stretch, n_tokens: tokens, n_trained: trained } = head;
  const title = `${id.slice(0, 12)} epoch ${epoch} stretch ${stretch}: ${trained} of ${tokens} tokens trained`;
  stdout.write(`${paint('bold', title)}\n`);
  runs.forEach((run, k) => {
    const text = visible(run.text);
    if (color) {
      const shade = run.trained ? 'green' : 'dim';
      stdout.write(paint(run.special ? [shade, 'underline'] : shade, text));
    } else {
      const opens = run.trained && runs[k - 1]?.trained !== true;
      const closes = run.trained && runs[k + 1]?.trained !== true;
      stdout.write(`${opens ? '«' : ''}${text}${closes ? '»' : ''}`);
    }
  });
  stdout.write('\n');
}

/** Control characters and marks of direction of a log must not reach the terminal. */
function visible(text: string): string {
  return withoutDirection(text).replace(/(?![\n\t])\p{Cc}/gu, (character) =>
    character.charCodeAt(0) < 32 ? String.fromCharCode(0x2400 + character.charCodeAt(0)) : '\ufffd',
  );
}
