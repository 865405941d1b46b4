import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aideJournal } from '../../src/formats/aide-journal.js';
import { parentPlaces } from '../../src/formats/node-parents.js';
import { asNumeral } from '../../src/formats/shape.js';
import { readDocument } from './adapter-context.js';

it('finds the last node of a key before the child, else the first other one, and never the child itself', () => {
  const key = fc.option(fc.integer({ min: 0, max: 4 }));
  const row = fc.record({ key, wanted: fc.array(key, { maxLength: 3 }) });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      const keys = rows.map((one) => one.key);
      const searched = rows.map(({ wanted }, order) =>
        wanted.flatMap((one) => {
          const isIt = (other: number | null, at: number): boolean =>
            one !== null && other === one && at !== order;
          const before = keys.findLastIndex((other, at) => at < order && isIt(other, at));
          const place = before === -1 ? keys.findIndex(isIt) : before;
          return place === -1 ? [] : [place];
        }),
      );
      expect(
        parentPlaces(
          keys,
          rows.map(({ wanted }) => wanted),
        ),
      ).toEqual(searched);
    }),
  );
});

it('lets a journal of thousands of searches and stubs be read in one pass', () => {
  const nodes = Array.from({ length: 6000 }, (_, index) => ({
    step: index % 3,
    id: `n${index}`,
    parent: `n${index - 1}`,
    plan: 'p',
    code: index % 3 === 0 ? '' : `x = ${index}`,
    metric: null,
    is_buggy: true,
  }));
  expect(readDocument(aideJournal, { nodes, node2parent: {} })).toHaveLength(2000);
});

it('reads a text of very many digits as no number in one pass', () => {
  expect(asNumeral(`${'1'.repeat(100_000)}x`)).toBeNull();
  const texts = ['1', '1.', ' 1.5 ', '.5', '-1e5', '+2.E-3', '1.2.3', '.', 'e5', ''];
  expect(texts.map(asNumeral)).toEqual([1, 1, 1.5, 0.5, -100000, 0.002, null, null, null, null]);
});
