import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkResultTable, parseResultTable, type TableOptions } from '../../src/grading/result-table.js';

const percent = { unit: 'percent', single_seed: true } as const;

function rulesOf(text: string, options: TableOptions) {
  return checkResultTable(parseResultTable(text, 't.csv'), options).map(({ row, rule }) => [row, rule]);
}

describe('a table of results', () => {
  it('holds figures with percent signs and spreads, and gaps', () => {
    const [row] = parseResultTable('name,n,any_medal,gold,silver\na,75,34.2% ± 1.5,,-\n', 't.csv');
    expect(row).toEqual({
      name: 'a',
      n: 75,
      part_of: null,
      figures: { any_medal: { value: 34.2, decimals: 1 } },
    });
    expect(() => parseResultTable('name,gold\na,1\nb,many\n', 't.csv')).toThrow('t.csv:3');
  });

  it.each<[string, string, TableOptions, string[][]]>([
    ['tiers that add up', 'name,any_medal,gold,silver,bronze\na,32,18,7,7\n', { unit: 'count' }, []],
    [
      'tiers that do not',
      'name,any_medal,gold,silver,bronze\na,33,18,7,7\n',
      { unit: 'count' },
      [['a', 'tiers']],
    ],
    [
      'tiers within rounding',
      'name,any_medal,gold,silver,bronze\na,42.7,24.0,9.3,9.3\n',
      { unit: 'percent' },
      [],
    ],
    [
      'tiers beyond it',
      'name,any_medal,gold,silver,bronze\na,42.7,24.0,9.3,9.1\n',
      { unit: 'percent' },
      [['a', 'tiers']],
    ],
    ['more than there are', 'name,n,gold\na,75,76\n', { unit: 'count' }, [['a', 'range']]],
    ['a share above 100', 'name,gold\na,100.1\n', { unit: 'percent' }, [['a', 'range']]],
    [
      'medals without submissions',
      'name,valid_submission,any_medal\na,30,31\n',
      { unit: 'count' },
      [['a', 'order']],
    ],
    ['a share that is a whole number of runs', 'name,n,any_medal\na,75,42.67\n', percent, []],
    ['one that is, to the digits it has', 'name,n,any_medal\na,75,43\n', percent, []],
    ['one that cannot be', 'name,n,any_medal\na,75,42.50\n', percent, [['a', 'counts']]],
    [
      'parts that make the whole',
      'name,n,part_of,any_medal\nall,75,,36.44\nlow,22,all,62.12\nmedium,38,all,26.32\nhigh,15,all,24.44\n',
      { unit: 'percent' },
      [],
    ],
    [
      'parts that do not',
      'name,n,part_of,any_medal\nall,75,,37.44\nlow,22,all,62.12\nmedium,38,all,26.32\nhigh,15,all,24.44\n',
      { unit: 'percent' },
      [['all', 'totals']],
    ],
    [
      'counts of parts, and their sizes',
      'name,n,part_of,gold\nall,75,,9\na,40,all,5\nb,30,all,5\n',
      { unit: 'count' },
      [
        ['all', 'totals'],
        ['all', 'totals'],
      ],
    ],
  ])('%s', (_name, text, options, rules) => {
    expect(rulesOf(text, options)).toEqual(rules);
  });

  it('has nothing against figures that were really counted, however they are rounded', () => {
    const counts = fc.record({
      gold: fc.nat(20),
      silver: fc.nat(20),
      bronze: fc.nat(20),
      valid: fc.nat(20),
      none: fc.nat(20),
    });
    fc.assert(
      fc.property(
        fc.array(counts, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: 3 }),
        (parts, digits) => {
          const sum = (of: readonly (typeof parts)[number][], key: keyof (typeof parts)[number]): number =>
            of.reduce((total, part) => total + part[key], 0);
          const line = (name: string, parent: string, of: readonly (typeof parts)[number][]): string => {
            const medals = sum(of, 'gold') + sum(of, 'silver') + sum(of, 'bronze');
            const valid = medals + sum(of, 'valid');
            const n = Math.max(1, valid + sum(of, 'none'));
            const share = (count: number): string => ((100 * count) / n).toFixed(digits);
            const figures = [valid, medals, sum(of, 'gold'), sum(of, 'silver'), sum(of, 'bronze')];
            return [name, n, parent, ...figures.map(share)].join(',');
          };
          const sized = parts.filter((part) => Object.values(part).some((count) => count > 0));
          fc.pre(sized.length > 0);
          const text = [
            'name,n,part_of,valid_submission,any_medal,gold,silver,bronze',
            line('all', '', sized),
            ...sized.map((part, i) => line(`part${i}`, 'all', [part])),
          ].join('\n');
          expect(rulesOf(text, percent)).toEqual([]);
        },
      ),
    );
  });
});
