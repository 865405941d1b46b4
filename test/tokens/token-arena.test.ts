import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenArena } from '../../src/tokens/token-arena.js';

const GROWS = 40_000;

describe('TokenArena', () => {
  it('keeps every copy as it was given until it is cleared, also where it must grow', () => {
    const length = fc.oneof(fc.nat(50), fc.integer({ min: GROWS, max: 2 * GROWS }));
    fc.assert(
      fc.property(fc.array(fc.array(length, { maxLength: 8 }), { maxLength: 4 }), (trajectories) => {
        const arena = new TokenArena();
        let seed = 1;
        for (const lengths of trajectories) {
          arena.clear();
          const kept = lengths.map((size) => {
            const ids = new Int32Array(size).fill(seed);
            const mask = new Uint8Array(size).fill(seed % 2);
            const copies = { ids: arena.copyIds(ids), mask: arena.copyMask(mask) };
            // what was copied is written over by the next row
            ids.fill(-1);
            mask.fill(9);
            return { ...copies, seed: seed++, size };
          });
          for (const { ids, mask, seed: value, size } of kept) {
            expect([ids.length, mask.length]).toEqual([size, size]);
            expect(ids.every((id) => id === value) && mask.every((bit) => bit === value % 2)).toBe(true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
