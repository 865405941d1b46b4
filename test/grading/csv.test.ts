import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from '../../src/grading/csv.js';

describe('parseCsv', () => {
  it('reads quotes, line ends, a byte order mark, and skips blank lines', () => {
    const table = parseCsv('\uFEFFname,note\r\n"a, ""b""","two\nlines"\r\n\r\nc,\n', 't.csv');
    expect(table).toEqual({
      header: ['name', 'note'],
      records: [
        { line: 2, cells: { name: 'a, "b"', note: 'two\nlines' } },
        { line: 5, cells: { name: 'c', note: '' } },
      ],
    });
  });

  it('reads what was written by the rules', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n', ' ', 'é') });
    const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        (rows, end) => {
          const text = ['x,y', ...rows.map((row) => row.map(quote).join(','))].join(end);
          expect(parseCsv(text, 't.csv').records.map(({ cells }) => [cells['x'], cells['y']])).toEqual(rows);
        },
      ),
    );
  });

  it.each([
    ['too few cells', 'a,b\n1\n', 't.csv:2'],
    ['too many cells', 'a,b\n1,2\n1,2,3', 't.csv:3'],
    ['an open quote', 'a\n"x\ny', 't.csv:2'],
    ['text after a quote', 'a\n"x"y', 't.csv:2'],
    ['a column twice', 'a,a\n', 't.csv:1'],
    ['nothing', '', 't.csv:1'],
  ])('refuses %s with its line', (_name, text, place) => {
    expect(() => parseCsv(text, 't.csv')).toThrow(place);
  });
});
