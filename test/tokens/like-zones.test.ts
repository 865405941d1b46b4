import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPOSED, flaggedRegions, TRAINED } from '../../src/tokens/flagged-regions.js';
import type { Layout } from '../../src/tokens/layout.js';
import { LOOK, likeZones } from '../../src/tokens/like-zones.js';
import { placeTokens } from '../../src/tokens/token-places.js';
import { anyRow, flagsOf } from './walk-rows.js';

interface Marked {
  readonly marks: Uint8Array;
  readonly layout: Layout;
}

/** Layouts whose segments meet between bytes; some of them have none. */
const anyPlainLayout: fc.Arbitrary<Marked> = fc
  .array(fc.tuple(fc.nat(4), fc.nat(1)), { maxLength: 12 })
  .map((segments) => {
    const low = Int32Array.from({ length: segments.length + 1 }, (_, k) =>
      segments.slice(0, k).reduce((sum, [size]) => sum + size, 0),
    );
    const bytes = low.at(-1) ?? 0;
    const layout = { pieces: [], low, high: low, bytes, specialOffsets: [] };
    return { marks: Uint8Array.from(segments, ([, mark]) => mark), layout };
  });
const anyMarked = fc.oneof(anyPlainLayout, anyRow());

/** The segment that a byte lies in: the last that has begun, be it behind the end. */
function segmentAt({ low }: Layout, at: number): number {
  const begun = Array.from(low.subarray(1, -1)).filter((start) => start <= at);
  return begun.length;
}

function zonesOf({ marks, layout }: Marked, looked: ReadonlySet<number>) {
  return likeZones(flaggedRegions(marks, layout), (segment) => looked.has(segment), layout);
}

describe('zones of like bytes', () => {
  it('say of each byte what its flag and its segment say', () => {
    fc.assert(
      fc.property(anyMarked, fc.uniqueArray(fc.nat(5)), (marked, list) => {
        const { layout } = marked;
        const looked = new Set(list);
        const zones = zonesOf(marked, looked);
        const wanted = flagsOf(marked).map((flag, at) => {
          if (flag === COMPOSED) return LOOK;
          return flag === TRAINED && looked.has(segmentAt(layout, at)) ? LOOK : flag;
        });
        const found: number[] = [];
        zones.ends.forEach((end, k) => {
          expect(end).toBeGreaterThan(found.length);
          while (found.length < end) found.push(zones.masks[k] ?? -1);
        });
        expect(found).toEqual(wanted);
      }),
      { numRuns: 3000 },
    );
  });

  it('are as few as can be, and what lies behind them must be looked at', () => {
    fc.assert(
      fc.property(anyMarked, fc.uniqueArray(fc.nat(5)), (marked, list) => {
        const { masks, ends } = zonesOf(marked, new Set(list));
        expect(masks.length).toBe(ends.length + 1);
        expect(masks.at(-1)).toBe(LOOK);
        for (let k = 1; k < ends.length; k++) expect(masks[k]).not.toBe(masks[k - 1]);
      }),
    );
  });
});

describe('the places of tokens', () => {
  const byteLengths = Uint16Array.of(0, 1, 2, 3, 7);

  it('are the segments in which they start; tokens without bytes and unknown ones go nowhere', () => {
    fc.assert(
      fc.property(anyMarked, fc.array(fc.integer({ min: -1, max: 6 })), ({ layout }, ids) => {
        let at = 0;
        const wanted = ids.map((id) => {
          const place = segmentAt(layout, at);
          at += byteLengths[id] ?? 0;
          return place;
        });
        expect([...placeTokens(Int32Array.from(ids), byteLengths, layout)]).toEqual(wanted);
      }),
      { numRuns: 3000 },
    );
  });

  it('are none without tokens, and 0 without segments', () => {
    const one = Int32Array.of(0);
    const empty: Layout = { pieces: [], low: one, high: one, bytes: 0, specialOffsets: [] };
    expect([...placeTokens(new Int32Array(0), byteLengths, empty)]).toEqual([]);
    expect([...placeTokens(Int32Array.of(0, 3, 99), byteLengths, empty)]).toEqual([0, 0, 0]);
    expect([...zonesOf({ marks: new Uint8Array(0), layout: empty }, new Set()).masks]).toEqual([LOOK]);
  });
});
