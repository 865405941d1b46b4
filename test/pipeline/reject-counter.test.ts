import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RejectCounter } from '../../src/pipeline/reject-counter.js';

function count(bytes: Buffer, cuts: readonly number[] = []): Readonly<Record<string, number>> | null {
  const counter = new RejectCounter();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  for (let k = 1; k < places.length; k++) counter.take(bytes.subarray(places[k - 1], places[k]));
  return counter.counts();
}

const lineOf = (code: unknown): string => `${JSON.stringify({ code, message: 'é\n' })}\n`;

describe('the counts of a file of rejects', () => {
  it('are those of its codes, however the file is cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('no_turns', 'bad_shape', 'torn_line')),
        fc.array(fc.nat()),
        (codes, cuts) => {
          const expected: Record<string, number> = {};
          for (const code of codes) expected[code] = (expected[code] ?? 0) + 1;
          expect(count(Buffer.from(codes.map(lineOf).join('')), cuts)).toEqual(expected);
        },
      ),
    );
  });

  it.each([
    ['has no end', lineOf('no_turns') + lineOf('bad_shape').trimEnd()],
    ['is no JSON', `${lineOf('no_turns')}{"code":\n`],
    ['has no code', lineOf('no_turns') + lineOf(null)],
    ['is empty', `${lineOf('no_turns')}\n`],
  ])('are none where a line %s', (_, text) => {
    expect(count(Buffer.from(text))).toBeNull();
  });
});
