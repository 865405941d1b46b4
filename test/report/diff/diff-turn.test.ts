import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTurn, type MarkedText } from '../../../src/report/diff/diff-turn.js';
import { spanGroups } from '../../../src/report/diff/span-groups.js';

const piece = (part: string, text: string, trained: readonly number[] = []): MarkedText => ({
  part,
  text,
  trained,
});

/** A piece with ascending, separate ranges. */
const pieces = fc.array(
  fc
    .record({
      part: fc.constantFrom('text', 'stop', 'header'),
      text: fc.string({ minLength: 1, maxLength: 8 }),
      flips: fc.uniqueArray(fc.nat(7), { maxLength: 4 }),
    })
    .map(({ part, text, flips }) => {
      const sorted = flips.filter((at) => at < text.length).sort((a, b) => a - b);
      if (sorted.length % 2 === 1) sorted.push(text.length);
      return piece(part, text, sorted);
    }),
  { maxLength: 6 },
);

/** Unit by unit: the text and whether it is trained. */
const unitsOf = (list: readonly MarkedText[]): [string, boolean][] =>
  list.flatMap(({ text, trained }) =>
    text.split('').map((unit, at): [string, boolean] => {
      const inside = trained.findIndex((edge) => edge > at);
      return [unit, (inside === -1 ? trained.length : inside) % 2 === 1];
    }),
  );

describe('diffTurn', () => {
  it('holds both sides whole, each with its own marks', () => {
    fc.assert(
      fc.property(pieces, pieces, (a, b) => {
        const segments = diffTurn(a, b);
        for (const [side, list] of [
          ['a', a],
          ['b', b],
        ] as const) {
          const own = segments.filter((segment) => segment[side] !== null);
          const units = own.flatMap(({ text, [side]: mark }) =>
            text.split('').map((unit) => [unit, mark === 'trained']),
          );
          expect(units).toEqual(unitsOf(list));
        }
      }),
    );
  });

  it('finds nothing between equal sides, and matches equal pieces around a change', () => {
    fc.assert(
      fc.property(pieces, pieces, pieces, (head, middle, tail) => {
        const same = diffTurn([...head, ...middle, ...tail], [...head, ...middle, ...tail]);
        expect(same.filter(({ a, b }) => a !== b)).toEqual([]);
        const inserted = diffTurn([...head, ...tail], [...head, piece('new', 'inserted'), ...tail]);
        expect(inserted.filter(({ a, b }) => a !== b).map(({ text }) => text)).toEqual(['inserted']);
      }),
    );
  });

  it('matches what is equal between changes, and looks at marks alone where only the pieces differ', () => {
    const left = ['x', 'p', 'y', 'q', 'z'].map((text) => piece('text', text));
    const right = ['p', 'r', 'q'].map((text) => piece('text', text));
    const told = diffTurn(left, right).map(
      ({ text, a, b }) => `${text}${a === null ? '+' : b === null ? '-' : ''}`,
    );
    expect(told).toEqual(['x-', 'p', 'y-', 'r+', 'q', 'z-']);
    const parted = diffTurn([piece('text', 'ab')], [piece('text', 'a'), piece('stop', 'b', [0, 1])]);
    expect(parted.map(({ text, a, b }) => [text, a, b])).toEqual([
      ['a', 'masked', 'masked'],
      ['b', 'masked', 'trained'],
    ]);
  });

  it('parts a text where only one side trains it', () => {
    const segments = diffTurn([piece('text', 'abcdef', [0, 4])], [piece('text', 'abcdef', [2, 6])]);
    expect(segments.map(({ text, a, b }) => [text, a, b])).toEqual([
      ['ab', 'trained', 'masked'],
      ['cd', 'trained', 'trained'],
      ['ef', 'masked', 'trained'],
    ]);
  });
});

describe('spanGroups', () => {
  it('tells one kind of difference once, with its turns', () => {
    const turn = (number: number, text: string) => ({
      number,
      role: 'assistant',
      segments: [...diffTurn([piece('separator', text)], [piece('separator', text, [0, text.length])])],
    });
    const row = { table: 'sft', a: null, b: null, same_turns: 0, only_a: [], only_b: [] } as const;
    const [group, ...others] = spanGroups({ ...row, turns: [turn(1, '\n'), turn(3, '\n')] });
    expect(others).toEqual([]);
    expect(group).toMatchObject({ part: 'separator', a: 'masked', b: 'trained', text: '\n', turns: [1, 3] });
    const [mixed] = spanGroups({ ...row, turns: [turn(1, '\n'), turn(3, '\n\n')] });
    expect(mixed).toMatchObject({ text: null, characters: 3 });
  });
});
