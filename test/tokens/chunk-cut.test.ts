import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClassTable } from '../../src/tokens/bpe/character-class.js';
import { chunkEnd, isCut, MAX_CHUNK, MIN_CHUNK, SOFT_CHUNK } from '../../src/tokens/bpe/chunk-cut.js';
import { compileTables } from '../../src/tokens/bpe/compile-tables.js';
import { SPLIT_KINDS, type SplitKindName } from '../../src/tokens/bpe/split-kinds.js';
import { PADDING } from '../../src/tokens/bpe/utf8.js';
import { hostileTexts } from './hostile-text.js';
import { smallTokenizer, tokenizerFile } from './small-tokenizer.js';

const KINDS = Object.keys(SPLIT_KINDS) as SplitKindName[];

/** What the neighbours of a cut may be: one or more of everything that any scanner tells apart. */
const AROUND = [
  ...'azSsT019!\'"/\\.-_ \n\r\t\v\f\0\u0001\u001c\u007f\u0085\u00a0\u1680\u2028\u2029\u3000\ufeff\u200b',
  ...'\u00e9\u0130\u01c5\u02b0\u0301\u20e3\u0903\u0663\u00b2\u4e2d\u9fa5\u3042\u30fb\u3040\u3097\u309b\u00ab\u20ac\ue000',
  ...['\u{1f642}', '\u{1f468}\u200d\u{1f469}', "'s", "'LL", "'\u017f", '\n\n', '\r\n', '  ', '    ', ' \n'],
  ...[
    '\n/',
    '\n /',
    '!\n',
    '/\n',
    '!/\n/',
    '\n\t',
    '\n  x',
    '\n- ',
    ' a',
    ' 1',
    ' !',
    '123',
    '1234',
    '\u4e2d\u6587',
  ],
];
const EIGHT = [...'a1!/ \n\r\t'];
const TWELVE = [...'a1!/ \n\r\t\u00a0\u0301\u4e2d\u0001'];

function classesOf(kind: SplitKindName): ClassTable {
  const compiled = compileTables(tokenizerFile(smallTokenizer({ kind })).json);
  if ('refusal' in compiled) throw new Error(compiled.refusal);
  return compiled.tables.classes;
}

/** The bytes of a text with zeros behind them, as the engine lays them. */
function padded(text: string | Uint8Array): { bytes: Uint8Array; view: DataView; end: number } {
  const own = Buffer.from(text);
  const bytes = new Uint8Array(own.length + PADDING);
  bytes.set(own);
  return { bytes, view: new DataView(bytes.buffer), end: own.length };
}

/** Where the words of a text end. */
type Scan = (bytes: Uint8Array, end: number) => number[];

function scanOf(kind: SplitKindName): Scan {
  const classes = classesOf(kind);
  const { wordEnd } = SPLIT_KINDS[kind].scanner;
  return (bytes, end) => {
    const ends: number[] = [];
    for (let at = 0; at < end; ) {
      at = wordEnd(bytes, at, end, classes);
      ends.push(at);
    }
    return ends;
  };
}

/** The cuts of a text at which its words are not those of the two sides; and how many cuts there were. */
function wrongCuts(text: string, scan: Scan): { wrong: string[]; cuts: number } {
  const { bytes, end } = padded(text);
  const whole = scan(bytes, end);
  const wrong: string[] = [];
  let cuts = 0;
  for (let at = 1; at <= end; at++) {
    if (!isCut(bytes, at, end)) continue;
    cuts++;
    const left = padded(bytes.subarray(0, at));
    const right = padded(bytes.subarray(at, end));
    const parts = [...scan(left.bytes, at), ...scan(right.bytes, right.end).map((stop) => stop + at)];
    if (parts.join() !== whole.join()) wrong.push(`${JSON.stringify(text)} at byte ${at}`);
  }
  return { wrong, cuts };
}

describe.each(KINDS)('where text may be cut for %s', (kind) => {
  const scan = scanOf(kind);

  it.each([
    ['five of eight', EIGHT, 5],
    ['four of twelve', TWELVE, 4],
  ])('no word goes across, for every text of %s characters', (_name, few, length) => {
    let cuts = 0;
    for (let number = 0; number < few.length ** length; number++) {
      let text = '';
      for (let rest = number; text.length < length; rest = Math.floor(rest / few.length))
        text += few[rest % few.length];
      // only cuts before the end, in texts that have any
      if (!/\n|[a1!/] [a1!/]/.test(text)) continue;
      const found = wrongCuts(text, scan);
      cuts += found.cuts - 1;
      if (found.wrong.length > 0) expect(found.wrong).toEqual([]);
    }
    expect(cuts).toBeGreaterThan(few.length ** (length - 1));
  });

  it('no word goes across, whatever stands around', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...AROUND), { minLength: 2, maxLength: 24 }), (parts) => {
        expect(wrongCuts(parts.join(''), scan).wrong).toEqual([]);
      }),
      { numRuns: 10_000 },
    );
  });

  it('no word goes across in hostile text', () => {
    let left = 100;
    for (const text of hostileTexts(5, [])) {
      const lines = text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[^\p{L}]{3}/gu, '$&\n');
      expect(wrongCuts(lines, scan).wrong).toEqual([]);
      if (--left === 0) break;
    }
  });
});

/** A chunk's end, place by place: behind a line break from MIN_CHUNK on, before a blank too from SOFT_CHUNK on. */
function plainChunkEnd(bytes: Uint8Array, at: number, end: number): number {
  for (let size = MIN_CHUNK; size < MAX_CHUNK && at + size < end; size++) {
    const isBreak = bytes[at + size - 1] === 0x0a;
    const isBlank = bytes[at + size] === 0x20 && size >= SOFT_CHUNK;
    if ((isBreak || isBlank) && isCut(bytes, at + size, end)) return at + size;
  }
  return Math.min(at + MAX_CHUNK, end);
}

describe('the end of a chunk', () => {
  const run = (unit: string, max: number) => fc.nat(max).map((count) => unit.repeat(count));
  const anyPart = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...AROUND) },
    { weight: 3, arbitrary: fc.constantFrom('\n', '\n', ' ', 'a a', 'x\nx', '\n \n') },
    // bytes that differ from a line break by one bit, or that a sum over four of them may take for one
    {
      weight: 2,
      arbitrary: fc.constantFrom('\u000b', '\u0009', '\u000e', '*', '\u008a', '\u010a', '\u0a0a'),
    },
    { weight: 2, arbitrary: fc.oneof(run('x', 40), run('\u4e2d', 60), run(' ', 30), run('ab/', 300)) },
  );
  const anyText = fc.array(anyPart, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(''));

  it('is the first cut that is far enough, within reach and within the text', () => {
    let reached = 0;
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat(), (text, from, to) => {
        const whole = Buffer.from(text);
        const { bytes, view, end } = padded(whole.subarray(0, whole.length - (to % 20)));
        fc.pre(end > 0);
        // what a longer text left behind is none of this one's
        if (to % 3 === 0) bytes.fill(0x0a, end);
        const at = from % Math.min(end, 400);
        const stop = chunkEnd(bytes, view, at, end);
        expect(stop).toBe(plainChunkEnd(bytes, at, end));
        expect(stop).toBeGreaterThan(at);
        expect(stop).toBeLessThanOrEqual(Math.min(end, at + MAX_CHUNK));
        if (stop < Math.min(end, at + MAX_CHUNK)) expect(isCut(bytes, stop, end)).toBe(true);
        if (stop === at + MAX_CHUNK) reached++;
      }),
      { numRuns: 10_000 },
    );
    expect(reached).toBeGreaterThan(0);
  });

  it('is found at every distance, before every end of the text', () => {
    const bytes = new Uint8Array(1200 + PADDING);
    const view = new DataView(bytes.buffer);
    const wrong: number[][] = [];
    for (let at = 0; at < 4; at++) {
      for (let size = 1; size < 1060; size++) {
        for (const [first, last] of ['\nx', ' x', '\n\n', '\n/', '\n '].map((pair) => Buffer.from(pair))) {
          bytes.fill(0x78, 0, at + size + 6).fill(0, at + size + 6);
          bytes[at + size - (first === 0x0a ? 1 : 0)] = first as number;
          bytes[at + size + (first === 0x0a ? 0 : 1)] = last as number;
          for (const end of [at + size + 6, at + size + 1, at + size]) {
            bytes.fill(0, end, end + PADDING);
            if (chunkEnd(bytes, view, at, end) !== plainChunkEnd(bytes, at, end)) wrong.push([at, size, end]);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});
