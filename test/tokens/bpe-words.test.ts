import { Tokenizer } from 'tokenizers';
import { describe, expect, it } from 'vitest';
import { BpeEncoder } from '../../src/tokens/bpe/bpe-encoder.js';
import { compileTables } from '../../src/tokens/bpe/compile-tables.js';
import { PairQueue } from '../../src/tokens/bpe/pair-queue.js';
import { SPLIT_KINDS, type SplitKindName } from '../../src/tokens/bpe/split-kinds.js';
import { readTokenizerFile, resolveTokenizer } from '../../src/tokens/tokenizer-file.js';
import { hostileTexts, randomNumbers } from './hostile-text.js';
import { smallTokenizer, tokenizerFile } from './small-tokenizer.js';

function engineFor(text: string): BpeEncoder {
  const file = tokenizerFile(text);
  const compiled = compileTables(file.json);
  if ('refusal' in compiled) throw new Error(compiled.refusal);
  return new BpeEncoder(compiled.tables, file.json.addedTokens, file.sha256);
}

function idsOf(encoder: BpeEncoder, text: string): number[] {
  const sink = { ids: new Int32Array(16), length: 0 };
  encoder.encode(text, sink, 'match');
  return [...sink.ids.subarray(0, sink.length)];
}

function qwen(): BpeEncoder {
  const file = readTokenizerFile(resolveTokenizer('qwen3'));
  const compiled = compileTables(file.json);
  if ('refusal' in compiled) throw new Error(compiled.refusal);
  return new BpeEncoder(compiled.tables, file.json.addedTokens, file.sha256);
}

// With one token a byte, ids show only where words end; so letters get merges that a wrong cut would break.
const LEFT = [...'abcdefgh \n\t.,=/0123456789'];
const MERGES = LEFT.flatMap((left) =>
  LEFT.slice(0, 12).map((right) => [byteLevel(left), byteLevel(right)] as const),
);

function byteLevel(character: string): string {
  const code = character.charCodeAt(0);
  return code > 0x20 ? character : String.fromCharCode(0x100 + code);
}

describe.each(Object.keys(SPLIT_KINDS) as SplitKindName[])('words of %s', (kind) => {
  it('end where the reference ends them', async () => {
    const text = smallTokenizer({ kind, merges: MERGES });
    const encoder = engineFor(text);
    const reference = Tokenizer.fromString(text);
    const texts: string[] = [];
    for (const hostile of hostileTexts(11, [])) {
      if (texts.push(hostile) === 800) break;
    }
    const next = randomNumbers(3);
    const few = [...'ab CD\n\t .,=/01\u00e9\u0301\u4e2d\u3042\u0001\u2028\r'];
    for (let round = 0; round < 4000; round++) {
      texts.push(
        Array.from({ length: 1 + next() * 10 }, () => few[Math.floor(next() * few.length)]).join(''),
      );
    }
    const splitter = reference.getPreTokenizer();
    const encodings = await reference.encodeBatch(texts, { addSpecialTokens: false });
    for (const [k, hostile] of texts.entries()) {
      const words = splitter
        ?.preTokenizeString(hostile.replace(/\p{Surrogate}/gu, '\ufffd'))
        .map(([word]) => word);
      expect([hostile, words, ...idsOf(encoder, hostile)]).toEqual([
        hostile,
        words,
        ...(encodings[k]?.getIds() ?? []),
      ]);
    }
  });
});

describe('long words', () => {
  const encoder = qwen();

  it.each(['a', '=', ' ', '\n', '\u7684', '\u0e01'])(
    'of one character cost about the same a byte at any length: %j',
    (c) => {
      const workPerByte = (length: number): number => {
        const before = encoder.work;
        encoder.encode(c.repeat(length), { ids: new Int32Array(16), length: 0 }, 'match');
        return (encoder.work - before) / length;
      };
      const short = workPerByte(2_000);
      expect(workPerByte(200_000)).toBeLessThan(short * 1.5 + 1);
    },
  );

  it('end for megabytes of one letter and of base64', () => {
    const sink = { ids: new Int32Array(16), length: 0 };
    expect(encoder.encode('a'.repeat(3_000_000), sink, 'match')).toBeGreaterThan(0);
    const next = randomNumbers(1);
    const base64 = Buffer.from(Uint8Array.from({ length: 3_000_000 }, () => next() * 256)).toString('base64');
    expect(encoder.encode(base64, sink, 'match')).toBeGreaterThan(0);
  });

  it('merge alike through the scan and through the queue', async () => {
    const reference = Tokenizer.fromFile(resolveTokenizer('qwen3'));
    const next = randomNumbers(9);
    for (let length = 240; length < 275; length++) {
      const word = Array.from({ length }, () => 'etaoinshrdlu'[Math.floor(next() * 12)]).join('');
      const expected = await reference.encode(word, null, { addSpecialTokens: false });
      expect(idsOf(encoder, word)).toEqual(expected.getIds());
    }
  });
});

describe('the cache of words', () => {
  it('gives the same ids again, and after it has been full', () => {
    const encoder = qwen();
    const texts = [
      'ab',
      'abc',
      'abcd',
      'abcdefgh',
      'abcdefghi',
      'abcdefghijkl',
      'abcdefghijklm',
      `x${'abcd'.repeat(30)}`,
      '\u4e2d\u6587\u4e2d\u6587',
    ];
    const first = texts.map((text) => idsOf(encoder, text));
    const next = randomNumbers(2);
    const letters = (): string =>
      Array.from({ length: 9 }, () => String.fromCharCode(0x61 + next() * 26)).join('');
    for (let round = 0; round < 30; round++) {
      idsOf(encoder, Array.from({ length: 3000 }, letters).join(' '));
      expect(texts.map((text) => idsOf(encoder, text))).toEqual(first);
    }
  });

  it('tells words apart that share their ends', () => {
    const encoder = qwen();
    const fresh = qwen();
    const words = [
      'aXcdYb',
      'aYcdXb',
      'abcdXXXXabcd',
      'abcdYYYYabcd',
      'abcdXXXXXabcdabcd',
      'abcdXXXXYabcdabcd',
    ];
    for (const word of [...words, ...words])
      expect(idsOf(encoder, word)).toEqual(idsOf(fresh, `${word} `).slice(0, -1));
  });
});

describe('PairQueue', () => {
  it('gives the lowest rank first, of equal ranks the leftmost', () => {
    const next = randomNumbers(4);
    const queue = new PairQueue(1);
    const pairs = Array.from({ length: 500 }, (_, i) => [Math.floor(next() * 40), i] as const);
    for (const [rank, position] of pairs.slice(0, 250)) queue.append(rank, position);
    queue.order();
    for (const [rank, position] of pairs.slice(250)) queue.add(rank, position);
    const taken: Array<readonly [number, number]> = [];
    while (queue.size > 0) taken.push([queue.lowestRank, queue.take()]);
    expect(taken).toEqual([...pairs].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
  });
});
