import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteWriter } from '../../../src/tables/parquet/byte-writer.js';
import { HybridEncoder, writePackedWords } from '../../../src/tables/parquet/hybrid-encoder.js';

type Run = readonly [value: number, count: number];

function encode(width: number, runs: readonly Run[]): Uint8Array {
  const out = new ByteWriter(1);
  const encoder = new HybridEncoder(width, out);
  for (const [value, count] of runs) encoder.run(value, count);
  encoder.finish();
  return out.written.slice();
}

/** Reads the hybrid bit by bit, as the format describes it. */
function decode(bytes: Uint8Array, width: number, count: number): number[] {
  const values: number[] = [];
  let at = 0;
  const next = (): number => {
    const byte = bytes[at++];
    if (byte === undefined) throw new RangeError('the encoded values end too early');
    return byte;
  };
  const number = (size: number): number => {
    let value = 0;
    for (let i = 0; i < size; i++) value += next() * 256 ** i;
    return value;
  };
  while (at < bytes.length) {
    let header = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = next();
      header += (byte & 127) * factor;
      if (byte < 128) break;
    }
    const length = Math.floor(header / 2);
    if (header % 2 === 0) {
      const value = number(Math.ceil(width / 8));
      for (let i = 0; i < length; i++) values.push(value);
      continue;
    }
    const packed = bytes.subarray(at, at + length * width);
    at += length * width;
    expect(packed.length).toBe(length * width);
    for (let i = 0; i < length * 8; i++) {
      let value = 0;
      for (let bit = 0; bit < width; bit++) {
        const place = i * width + bit;
        value |= (((packed[place >> 3] ?? 0) >> (place & 7)) & 1) << bit;
      }
      values.push(value);
    }
  }
  // only the last group may be filled up
  expect(values.length - count).toBeLessThan(8);
  return values.slice(0, count);
}

const runsOf = (width: number): fc.Arbitrary<Run[]> =>
  fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 2 ** width - 1 }),
      fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(1, 1, 1, 504, 505, 1000)),
    ),
    { maxLength: 40, size: 'max' },
  );

const widthAndRuns = fc
  .integer({ min: 1, max: 8 })
  .chain((width) => fc.tuple(fc.constant(width), runsOf(width)));

const valuesOf = (runs: readonly Run[]): number[] =>
  runs.flatMap(([value, count]) => new Array<number>(count).fill(value));

describe('HybridEncoder', () => {
  test('writes what a decoder that goes bit by bit reads back', () => {
    fc.assert(
      fc.property(widthAndRuns, ([width, runs]) => {
        const values = valuesOf(runs);
        expect(decode(encode(width, runs), width, values.length)).toEqual(values);
      }),
      { numRuns: 100 },
    );
  });

  test('gives the bytes that one value at a time would give', () => {
    fc.assert(
      fc.property(widthAndRuns, ([width, runs]) => {
        const single = valuesOf(runs).map((value): Run => [value, 1]);
        expect(encode(width, runs)).toEqual(encode(width, single));
      }),
      { numRuns: 30 },
    );
  });

  test('writes many values without a group of equal ones as bit-packed runs of a header of one byte', () => {
    const values = Array.from({ length: 4000 }, (_, i): Run => [i % 2, 1]);
    const bytes = encode(1, values);
    expect(bytes.length).toBe(500 + Math.ceil(4000 / 504));
    expect(decode(bytes, 1, 4000)).toEqual(valuesOf(values));
  });

  test('takes a few bytes for a run, however long', () => {
    expect(encode(2, [[3, 2 ** 30]])).toEqual(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x08, 3));
    expect(encode(1, [])).toEqual(new Uint8Array(0));
  });
});

describe('writePackedWords', () => {
  test('writes words that a decoder reads back with 16 bits, the last group filled up', () => {
    fc.assert(
      fc.property(fc.uint16Array({ minLength: 1, maxLength: 600, size: 'max' }), (words) => {
        const out = new ByteWriter();
        writePackedWords(words, out);
        expect(decode(out.written, 16, words.length)).toEqual([...words]);
      }),
    );
  });
});
