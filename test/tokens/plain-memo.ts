import fc from 'fast-check';
import { chunkEnd, isCut, MAX_CHUNK, MIN_CHUNK } from '../../src/tokens/bpe/chunk-cut.js';
import { UNKNOWN } from '../../src/tokens/bpe/chunk-memo.js';
import { PADDING } from '../../src/tokens/bpe/utf8.js';

/** The smallest memory of chunks, and what it has room for. */
export const SMALL = { bytes: 4096, entries: 63, ids: 1024 };

/** Bytes (latin1) with zeros behind them, as the engine lays them. */
export function laid(text: string): { bytes: Uint8Array; view: DataView; end: number } {
  const bytes = new Uint8Array(text.length + PADDING);
  bytes.set(Buffer.from(text, 'latin1'));
  return { bytes, view: new DataView(bytes.buffer), end: text.length };
}

/** The same memory of chunks, in a list and a map of strings. */
export class PlainMemo {
  chunks: Array<{ text: string; ids: readonly number[] }> = [];
  expected = 0;
  generation = 0;
  stop = 0;
  /** how often what was full */
  readonly forgotten = { entries: 0, bytes: 0, ids: 0 };
  readonly #places = new Map<string, number>();

  find(text: string, at: number): number {
    const { bytes, view, end } = laid(text);
    const next = this.chunks[this.expected];
    if (next !== undefined && text.startsWith(next.text, at) && isCut(bytes, at + next.text.length, end)) {
      this.stop = at + next.text.length;
      return this.expected++;
    }
    this.stop = chunkEnd(bytes, view, at, end);
    const entry = this.#places.get(text.slice(at, this.stop)) ?? UNKNOWN;
    if (entry !== UNKNOWN) this.expected = entry + 1;
    return entry;
  }

  store(text: string, at: number, ids: readonly number[]): number {
    const chunk = text.slice(at, this.stop);
    if (chunk.length < MIN_CHUNK || chunk.length >= MAX_CHUNK) return UNKNOWN;
    const bytes = this.chunks.reduce((sum, known) => sum + known.text.length, 0);
    const count = this.chunks.reduce((sum, known) => sum + known.ids.length, 0);
    const full = {
      entries: this.chunks.length === SMALL.entries,
      bytes: bytes + chunk.length > SMALL.bytes,
      ids: count + ids.length > SMALL.ids,
    };
    for (const kind of ['entries', 'bytes', 'ids'] as const) this.forgotten[kind] += Number(full[kind]);
    if (full.entries || full.bytes || full.ids) {
      this.chunks = [];
      this.#places.clear();
      this.generation++;
    }
    this.expected = this.chunks.push({ text: chunk, ids });
    this.#places.set(chunk, this.expected - 1);
    return this.expected - 1;
  }
}

/** Lines that chunks may end in, begin with, or be part of. */
const LINES = [
  ...[
    '\n',
    '\n\n',
    '  \n',
    'short\n',
    '/ slash first\n',
    'def function(self):\n',
    '    return self.value + 1\n',
  ],
  ...[
    '    return self.value + 1',
    '    return self.value + 12\n',
    'no break at the end',
    'no break at the end of it\n',
  ],
  ...[
    'a comment of sixteen\r\n',
    '\u00e9t\u00e9 \u00fcber alles und noch mehr\n',
    'x'.repeat(40),
    `${'word '.repeat(40)}\n`,
  ],
  ...[
    `${'y'.repeat(1200)}\n`,
    `${'z'.repeat(700)}\n`,
    'trailing blanks and more   \n',
    'trailing blanks and more   ',
  ],
  ...['spaces then a line \n', '\t\tcase 1: break;\n', 'ends with a bang!!\n', 'ends with a bang!!'],
];
const numbered = fc.nat(300).map((n) => `line number ${n} of many\n`);
const wide = fc.nat(300).map((n) => `${'wide'.repeat(150)}${n}\n`);
const paragraph = fc.constant(LINES.slice(5, 11).join(''));
const anyLine = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...LINES) },
  { weight: 3, arbitrary: numbered },
  { weight: 2, arbitrary: paragraph },
);
const long = { minLength: 1, maxLength: 50, size: 'max' } as const;
export const anyText = fc
  .tuple(
    fc.oneof(
      fc.array(anyLine, long),
      fc.array(fc.oneof(numbered, paragraph), long),
      fc.array(fc.oneof(wide, anyLine), long),
    ),
    fc.nat(30),
  )
  .map(([lines, cut]) => lines.join('').slice(0, -cut || undefined))
  .filter((text) => text !== '');
