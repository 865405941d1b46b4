import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenSource } from '../../src/export/exporter.js';
import { bestFitDecreasing, type Pack, packRows } from '../../src/export/packing.js';

const problem = fc
  .integer({ min: 1, max: 200 })
  .chain((length) =>
    fc.record({ length: fc.constant(length), costs: fc.array(fc.integer({ min: 0, max: length })) }),
  );

/** The same rule by search through all packs. */
function bySearch(costs: readonly number[], length: number): number[][] {
  const packs: { items: number[]; room: number; opened: number }[] = [];
  const order = costs.map((cost, i) => ({ cost, i })).sort((a, b) => b.cost - a.cost || a.i - b.i);
  for (const { cost, i } of order) {
    const fitting = packs.filter(({ room }) => room >= cost);
    const least = Math.min(...fitting.map(({ room }) => room));
    const best = fitting.find(({ room }) => room === least);
    if (best === undefined) packs.push({ items: [i], room: length - cost, opened: packs.length });
    else {
      best.items.push(i);
      best.room -= cost;
    }
  }
  return packs.map(({ items }) => items);
}

describe('best fit decreasing', () => {
  it('puts every row into exactly one pack, and no pack is over its length', () => {
    fc.assert(
      fc.property(problem, ({ length, costs }) => {
        const packs = bestFitDecreasing(costs, length);
        expect(packs.flat().sort((a, b) => a - b)).toEqual(costs.map((_, i) => i));
        for (const pack of packs) {
          expect(pack.reduce((sum, i) => sum + (costs[i] ?? 0), 0)).toBeLessThanOrEqual(length);
        }
      }),
    );
  });

  it('fills packs as a plain search does', () => {
    fc.assert(
      fc.property(problem, ({ length, costs }) => {
        // which of two equally full packs is taken is open, so contents may differ where sums do not
        const sums = (packs: number[][]) =>
          packs.map((pack) => pack.reduce((sum, i) => sum + (costs[i] ?? 0), 0)).sort((a, b) => a - b);
        expect(sums(bestFitDecreasing(costs, length))).toEqual(sums(bySearch(costs, length)));
      }),
    );
  });

  it('takes the tightest pack, not the first', () => {
    // 6 and 5 open packs of 10; 4 fits both and fills the first; 3 goes to the second
    expect(bestFitDecreasing([6, 5, 4, 3], 10)).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(bestFitDecreasing([6, 7, 3, 4], 10)).toEqual([
      [1, 2],
      [0, 3],
    ]);
  });
});

describe('a pack longer than all rows', () => {
  it('holds them all, and takes no memory for room that nothing fills', () => {
    expect(bestFitDecreasing([3, 0, 7], 2 ** 40)).toEqual([[2, 0, 1]]);
    expect(bestFitDecreasing([0, 0], 2 ** 40)).toEqual([[0, 1]]);
    expect(bestFitDecreasing([], 2 ** 40)).toEqual([]);
  });
});

describe('packed rows', () => {
  const rows = fc.array(
    fc.record({
      row_id: fc.uuid(),
      input_ids: fc.array(fc.nat(99), { minLength: 1, maxLength: 12 }).map((list) => Int32Array.from(list)),
      loss_mask: fc.constant(new Int8Array()),
    }),
  );

  async function* stream(list: readonly TokenSource[]): AsyncGenerator<TokenSource> {
    yield* list;
  }

  it('are each in one pack, also where more come than are packed at a time', async () => {
    const list = Array.from({ length: 40_000 }, (_, i) => ({
      row_id: String(i),
      input_ids: new Int32Array(1 + (i % 3)),
      loss_mask: new Int8Array(),
    }));
    const options = {
      length: 6,
      cost: ({ input_ids }: TokenSource) => input_ids.length,
      overlong: 'error' as const,
    };
    const seen: string[] = [];
    for await (const pack of packRows(stream(list), options))
      seen.push(...pack.rows.map(({ row_id }) => row_id));
    expect(seen.length).toBe(list.length);
    expect(new Set(seen).size).toBe(list.length);
  });

  it('lose no token, and drop only what is longer than a pack', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 20 }), async (list, length) => {
        const dropped: TokenSource[] = [];
        const packs: Pack<TokenSource>[] = [];
        const options = {
          length,
          cost: ({ input_ids }: TokenSource) => input_ids.length,
          overlong: 'drop' as const,
          onDrop: (row: TokenSource) => dropped.push(row),
        };
        for await (const pack of packRows(stream(list), options)) packs.push(pack);
        const kept = packs.flatMap((pack) => pack.rows);
        expect(new Set([...kept, ...dropped])).toEqual(new Set(list));
        expect(kept.length + dropped.length).toBe(list.length);
        expect(dropped.every(({ input_ids }) => input_ids.length > length)).toBe(true);
        for (const pack of packs) {
          expect(pack.length).toBeLessThanOrEqual(length);
          expect(pack.length).toBe(pack.rows.reduce((sum, row) => sum + row.input_ids.length, 0));
        }
      }),
    );
  });
});
