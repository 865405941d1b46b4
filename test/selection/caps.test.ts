import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidate, overCaps, type Place } from '../../src/selection/caps.js';

const seeded = { survive: 'seeded', seed: 0 } as const;
const first = { survive: 'first', seed: 0 } as const;

function candidate(id: string, ...places: Place[]): Candidate {
  return { trajectory_id: id, occurrence: 0, places };
}

const task = (key: string, limit: number): Place => ({ reason: 'cap_task', key, limit });

const corpus = fc
  .uniqueArray(
    fc.record({
      id: fc.string({ minLength: 4, maxLength: 8 }),
      task: fc.constantFrom('a', 'b', 'c'),
      source: fc.constantFrom('x', 'y'),
    }),
    { selector: ({ id }) => id, maxLength: 60 },
  )
  .chain((runs) =>
    fc.record({
      runs: fc.constant(runs),
      perTask: fc.integer({ min: 0, max: 8 }),
      perSource: fc.integer({ min: 0, max: 15 }),
      order: fc.shuffledSubarray([...runs.keys()], { minLength: runs.length, maxLength: runs.length }),
      seed: fc.integer(),
    }),
  );

function candidatesOf({
  runs,
  perTask,
  perSource,
}: {
  runs: readonly { id: string; task: string; source: string }[];
  perTask: number;
  perSource: number;
}) {
  return runs.map(({ id, task: name, source }) =>
    candidate(
      id,
      { reason: 'cap_task', key: name, limit: perTask },
      { reason: 'cap_source', key: source, limit: perSource },
    ),
  );
}

describe('caps', () => {
  it('are never exceeded, and leave nobody out without a full place', () => {
    fc.assert(
      fc.property(corpus, fc.constantFrom('seeded' as const, 'first' as const), (made, survive) => {
        const candidates = candidatesOf(made);
        const left = overCaps(candidates, { survive, seed: made.seed });
        const kept = (place: Place): number =>
          candidates.filter(
            ({ places }, index) =>
              !left.has(index) &&
              places.some(({ reason, key }) => reason === place.reason && key === place.key),
          ).length;
        for (const { places } of candidates) {
          for (const place of places) expect(kept(place)).toBeLessThanOrEqual(place.limit);
        }
        for (const place of left.values()) expect(kept(place)).toBe(place.limit);
      }),
    );
  });

  it('keep the same trajectories in whatever order the seeded hash meets them', () => {
    fc.assert(
      fc.property(corpus, (made) => {
        const candidates = candidatesOf(made);
        const shuffled = made.order.map((index) => candidates[index] ?? candidate('none'));
        const options = { survive: 'seeded', seed: made.seed } as const;
        const idsLeft = (list: readonly Candidate[]): string[] =>
          [...overCaps(list, options).keys()].map((index) => list[index]?.trajectory_id ?? '').sort();
        expect(idsLeft(shuffled)).toEqual(idsLeft(candidates));
      }),
    );
  });

  it('keep the first in plan order where that is asked', () => {
    const list = ['d', 'c', 'b', 'a'].map((id) => candidate(id, task('t', 2)));
    expect([...overCaps(list, first).keys()]).toEqual([2, 3]);
  });

  it('let the seed choose', () => {
    const list = Array.from({ length: 40 }, (_, i) => candidate(`id${i}`, task('t', 10)));
    const left = (seed: number) => [...overCaps(list, { ...seeded, seed }).keys()];
    expect(left(1)).toHaveLength(30);
    expect(left(1)).not.toEqual(left(2));
  });

  it('take no place for a trajectory that another cap leaves out', () => {
    const stage: Place = { reason: 'cap_stage', key: 's', limit: 2 };
    const list = [
      candidate('a', task('t', 1), stage),
      candidate('b', task('t', 1), stage),
      candidate('c', task('u', 1), stage),
    ];
    expect([...overCaps(list, first)]).toEqual([[1, task('t', 1)]]);
  });

  it('do nothing without limits', () => {
    expect(overCaps([candidate('a'), candidate('b')], seeded).size).toBe(0);
  });
});
