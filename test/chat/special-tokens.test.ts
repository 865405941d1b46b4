import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SpecialFinder } from '../../src/chat/special-tokens.js';

function find(specials: string[], text: string): [number, string][] {
  const found: [number, string][] = [];
  new SpecialFinder(specials).each(text, (offset, special) => found.push([offset, special]));
  return found;
}

it.each<[string[], string, [number, string][]]>([
  [[], 'abc', []],
  [
    ['<|a|>', '<|b|>'],
    'x<|b|><|a|><|c|>',
    [
      [1, '<|b|>'],
      [6, '<|a|>'],
    ],
  ],
  [
    ['<s>', '</s>', '[X]'],
    '[X]<s></s>',
    [
      [0, '[X]'],
      [3, '<s>'],
      [6, '</s>'],
    ],
  ],
  [
    ['aa', 'aaa'],
    'aaaaa',
    [
      [0, 'aaa'],
      [3, 'aa'],
    ],
  ],
  [['$.*'], 'a$.*$', [[1, '$.*']]],
  [['é🙂'], '🙂é🙂', [[2, 'é🙂']]],
])('%j in %j', (specials, text, expected) => {
  expect(find(specials, text)).toEqual(expected);
});

it('finds what a search position by position finds', () => {
  const word = fc
    .array(fc.constantFrom('<', '|', 'a', '>'), { minLength: 1, maxLength: 4 })
    .map((list) => list.join(''));
  const text = fc.array(fc.constantFrom('<', '|', 'a', '>'), { maxLength: 20 }).map((list) => list.join(''));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 4 }), text, (specials, whole) => {
      const expected: [number, string][] = [];
      for (let at = 0; at < whole.length; ) {
        const here = specials
          .filter((special) => whole.startsWith(special, at))
          .sort((a, b) => b.length - a.length)[0];
        if (here !== undefined) expected.push([at, here]);
        at += here?.length ?? 1;
      }
      expect(find(specials, whole)).toEqual(expected);
    }),
  );
});
