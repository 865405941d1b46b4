import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unpackTable } from '../../../src/browser/report/unpack.js';
import { packTable } from '../../../src/report/page/pack.js';

interface Row {
  readonly name: string | null;
  readonly score: number | null;
  readonly flags: readonly string[];
  readonly isOn: boolean;
}

const row: fc.Arbitrary<Row> = fc.record({
  name: fc.option(fc.constantFrom('a', 'b', '</script>', ''), { nil: null }),
  score: fc.option(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
    { nil: null },
  ),
  flags: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
  isOn: fc.boolean(),
});

describe('a packed table', () => {
  it('gives back its rows after a way through JSON', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 60 }), (rows) => {
        const packed = packTable(rows, ['name', 'score', 'flags', 'isOn']);
        expect(unpackTable<Row>(JSON.parse(JSON.stringify(packed)))).toEqual(rows);
      }),
    );
  });

  it('says a value that stands in every row once, and few different ones by their places', () => {
    const rows = Array.from({ length: 9 }, (_, i) => ({
      same: 'x',
      few: i % 2 === 0 ? 'a' : 'b',
      many: `${i}`,
    }));
    const { columns } = packTable(rows, ['same', 'few', 'many']);
    expect(columns['same']).toEqual({ all: 'x' });
    expect(columns['few']).toEqual({ of: ['a', 'b'], at: [0, 1, 0, 1, 0, 1, 0, 1, 0] });
    expect(columns['many']).toEqual(rows.map(({ many }) => many));
  });

  it('puts constants into every row', () => {
    const packed = packTable([{ a: 1 }, { a: 2 }], ['a']);
    expect(unpackTable(packed, { id: '' })).toEqual([
      { a: 1, id: '' },
      { a: 2, id: '' },
    ]);
  });
});
