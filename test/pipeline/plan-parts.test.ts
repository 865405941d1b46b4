import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/pipeline/canonical-json.js';
import type { Piece } from '../../src/pipeline/plan.js';
import { splitOf } from '../../src/pipeline/split.js';
import { groupPieces, taskBytes } from '../../src/pipeline/task-pieces.js';

describe('canonical JSON', () => {
  it('does not depend on the order of keys and parses back', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(value)).toBe(canonicalJson(reversed));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('tasks', () => {
  const piece = (bytes: number, input: number): Piece => ({
    input,
    byte_start: 0,
    byte_end: bytes,
    first_line: 1,
    whole: true,
  });

  it('take a sixteenth of the input between 4 MiB and 256 MiB', () => {
    expect(taskBytes(1000)).toBe(4 * 1024 * 1024);
    expect(taskBytes(1024 ** 3)).toBe(64 * 1024 * 1024);
    expect(taskBytes(1024 ** 4)).toBe(256 * 1024 * 1024);
  });

  it('hold every piece once, in order, and are closed before they outgrow the target', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(500), { maxLength: 60 }),
        fc.integer({ min: 1, max: 900 }),
        (sizes, target) => {
          const pieces = sizes.map(piece);
          const tasks = groupPieces(pieces, target);
          expect(tasks.flat()).toEqual(pieces);
          for (const task of tasks) {
            const bytes = task.reduce((sum, each) => sum + each.byte_end, 0);
            expect(task.length === 1 || bytes <= target).toBe(true);
          }
        },
      ),
    );
  });
});

describe('splits', () => {
  it('depend on family and seed alone and come near the asked share', () => {
    const families = Array.from({ length: 2000 }, (_, i) => `family-${i}`);
    const split = families.map((family) => splitOf({ family, seed: 7, validation: 0.2 }));
    expect(splitOf({ family: 'family-3', seed: 7, validation: 0.2 })).toBe(split[3]);
    const share = split.filter((each) => each === 'validation').length / split.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.25);
    expect(splitOf({ family: 'x', seed: 0, validation: 0 })).toBe('train');
    expect(splitOf({ family: 'x', seed: 0, validation: 1 })).toBe('validation');
  });

  it('never part a family', () => {
    const run = fc.record({ family: fc.constantFrom('a', 'b', 'c', 'd'), other: fc.string() });
    fc.assert(
      fc.property(
        fc.array(run, { minLength: 5 }),
        fc.integer(),
        fc.integer({ min: 0, max: 10 }),
        (runs, seed, tenths) => {
          const validation = tenths / 10;
          const splits = new Map<string, Set<string>>();
          for (const { family } of runs) {
            const own = splits.get(family) ?? new Set();
            splits.set(family, own.add(splitOf({ family, seed, validation })));
          }
          for (const own of splits.values()) expect(own.size).toBe(1);
        },
      ),
    );
  });
});
