import { Tokenizer } from 'tokenizers';
import { describe, expect, it } from 'vitest';
import { type CharacterClass, CODE_POINTS, fillClasses } from '../../src/tokens/bpe/character-class.js';
import { toNfc } from '../../src/tokens/bpe/nfc.js';
import { randomNumbers } from './hostile-text.js';

const PATTERNS: ReadonlyArray<readonly [CharacterClass, string]> = [
  ['U', '[\\p{Lu}\\p{Lt}]'],
  ['L', '\\p{Ll}'],
  ['C', '[\\p{Lm}\\p{Lo}]'],
  ['M', '\\p{M}'],
  ['N', '\\p{N}'],
  ['P', '[\\p{P}\\p{S}]'],
  ['S', '[^\\S\\r\\n]'],
  ['R', '[\\r\\n]'],
  ['O', '[^\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\s]'],
];

/** A tokenizer of the reference library with one normaliser or one split that keeps what matches. */
function stage(part: { normalizer?: unknown; pattern?: string }): Tokenizer {
  const split = { type: 'Split', pattern: { Regex: part.pattern }, behavior: 'Removed', invert: true };
  return Tokenizer.fromString(
    JSON.stringify({
      version: '1.0',
      added_tokens: [],
      normalizer: part.normalizer ?? null,
      pre_tokenizer: part.pattern === undefined ? null : split,
      model: { type: 'BPE', vocab: { a: 0 }, merges: [] },
    }),
  );
}

function* scalarValues(step: number): Generator<string> {
  for (let first = 0; first < CODE_POINTS; first += step) {
    let text = '';
    for (let code = first; code < first + step; code++) {
      if (code < 0xd800 || code >= 0xe000) text += String.fromCodePoint(code);
    }
    yield text;
  }
}

describe('character classes', () => {
  it.each(PATTERNS)('%s holds the code points that the reference matches with %s', (letter, pattern) => {
    const numbers = { U: 0, L: 0, C: 0, M: 0, N: 0, P: 0, S: 0, R: 0, O: 0, [letter]: 1 };
    const ours = new Uint8Array(CODE_POINTS);
    fillClasses(ours, numbers);
    ours.fill(0, 0xd800, 0xe000);
    const theirs = new Uint8Array(CODE_POINTS);
    const splitter = stage({ pattern }).getPreTokenizer();
    for (const text of scalarValues(2048)) {
      for (const [match] of splitter?.preTokenizeString(text) ?? []) {
        for (const character of match) theirs[character.codePointAt(0) ?? 0] = 1;
      }
    }
    expect(Buffer.compare(ours, theirs)).toBe(0);
  });
});

describe('toNfc', () => {
  const normalizer = stage({ normalizer: { type: 'NFC' } }).getNormalizer();
  const reference = (text: string): string => normalizer?.normalizeString(text) ?? '';
  const marks = [...scalarValues(CODE_POINTS)].flatMap((text) => text.match(/\p{M}/gu) ?? []);

  it('equals the reference for every code point, alone and among marks', () => {
    const different: string[] = [];
    for (const text of scalarValues(256)) {
      for (const character of text) {
        const code = character.codePointAt(0) ?? 0;
        if (code >= 0x34000 && code < 0xe0000) continue;
        const near = `${character}a${character}\u0301${character}\u0327e\u0301${character}\u0334${character}\u0345${character}`;
        if (toNfc(near) !== reference(near)) different.push(code.toString(16));
      }
    }
    expect(different).toEqual([]);
  });

  it('equals the reference for every code point beside itself, and for what it is composed of', () => {
    const different: string[] = [];
    for (const text of scalarValues(256)) {
      for (const character of text) {
        const whole = character + character;
        // the parts meet in every order, so that each also stands behind each
        const parts = [...character.normalize('NFD')];
        const beside = [whole, parts.join(''), ...parts, parts.reverse().join('')];
        if (beside.some((few) => toNfc(few) !== reference(few))) {
          different.push((character.codePointAt(0) ?? 0).toString(16));
        }
      }
    }
    expect(different).toEqual([]);
  });

  it('equals the reference for mixed marks, in short and in long runs', () => {
    const next = randomNumbers(7);
    const below = (limit: number): number => Math.floor(next() * limit);
    const bases = [...'aex\u0915\u1100\u1161\u00e9\u3042'];
    for (let round = 0; round < 3000; round++) {
      const length = round % 100 === 0 ? 3000 : 14;
      const few = Array.from({ length: 1 + below(30) }, () => marks[below(marks.length)] ?? '');
      let text = bases[below(bases.length)] ?? '';
      while (text.length < length) {
        text += below(8) === 0 && length < 100 ? bases[below(bases.length)] : few[below(few.length)];
      }
      expect(toNfc(text)).toBe(reference(text));
    }
  });

  it('ends for a million mixed marks', () => {
    const text = toNfc(`a${'\u0301\u0327'.repeat(500_000)}`);
    expect(text.length).toBe(1_000_000);
    expect(text.startsWith('\u00e1\u0327\u0327')).toBe(true);
  });
});
