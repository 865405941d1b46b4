import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SpecialFinder } from '../../src/chat/special-tokens.js';
import type { Layout, Piece } from '../../src/tokens/layout.js';
import { hasOnlyGlueSpecials } from '../../src/tokens/special-places.js';
import { readTokenizerFile } from '../../src/tokens/tokenizer-file.js';
import { FAST_TOKENIZERS } from './tokenizers.js';

const VOCABULARIES = [
  ['<|a|>', '<|b|>'],
  ['<a>', '<a>b', '<b>'],
  ['<a>', '<b<'],
  ['<|a|>', '<|a<|b'],
  ['ab', 'ba'],
  ['<s>', '[x]'],
];

interface Case {
  readonly specials: readonly string[];
  /** number of a special token, or text */
  readonly pieces: ReadonlyArray<number | string>;
}

const anyCase: fc.Arbitrary<Case> = fc.constantFrom(...VOCABULARIES).chain((specials) =>
  fc.record({
    specials: fc.constant(specials),
    pieces: fc.array(
      fc.oneof(
        fc.nat(specials.length - 1),
        fc
          .array(fc.constantFrom('<', '|', 'a', 'b', '>', 's', '[', 'x]', ...specials), { maxLength: 6 })
          .map((t) => t.join('')),
      ),
      { maxLength: 8 },
    ),
  }),
);

function layoutOf({ specials, pieces }: Case): { layout: Layout; text: string } {
  const list: Piece[] = [];
  const specialOffsets: number[] = [];
  let text = '';
  for (const piece of pieces) {
    if (piece === '') continue;
    const own = typeof piece === 'number' ? (specials[piece] ?? '') : piece;
    if (typeof piece === 'number') specialOffsets.push(text.length);
    list.push({
      text: own,
      special: typeof piece === 'number' ? piece : -1,
      normal: false,
      start: 0,
      end: 0,
    });
    text += own;
  }
  const none = new Int32Array(0);
  return { layout: { pieces: list, low: none, high: none, bytes: 0, specialOffsets }, text };
}

it('finds in the pieces what stands in the whole text, also across their edges', () => {
  let piecewise = 0;
  fc.assert(
    fc.property(anyCase, (given) => {
      const finder = new SpecialFinder(given.specials);
      const { layout, text } = layoutOf(given);
      const found: number[] = [];
      finder.each(text, (offset) => found.push(offset));
      const alike =
        found.length === layout.specialOffsets.length &&
        found.every((at, k) => at === layout.specialOffsets[k]);
      expect(hasOnlyGlueSpecials(layout, finder)).toBe(alike);
      if (!finder.mayOverlap && layout.pieces.length > 1) piecewise++;
    }),
    { numRuns: 20_000 },
  );
  expect(piecewise).toBeGreaterThan(1000);
});

it.each(FAST_TOKENIZERS)('goes piece by piece with the special tokens of %s', (_name, path) => {
  const { json } = readTokenizerFile(path);
  const specials = json.addedTokens.flatMap(({ special, content }) => (special ? [content] : []));
  expect(new SpecialFinder(specials).mayOverlap).toBe(false);
});
