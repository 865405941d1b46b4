import { describe, expect, it } from 'vitest';
import { configDifferences } from '../../../src/pipeline/config-difference.js';
import { compareCorpora } from '../../../src/report/compare/compare.js';
import { DigestBuilder } from '../../../src/report/compare/digest.js';
import { sftRow } from '../../tables/corpus.js';

const MANIFEST = { plan_id: 'p', tool_version: '1', rejects: { torn_line: 2 } as Record<string, number> };

function digest(fill: (builder: DigestBuilder) => void, manifest = MANIFEST) {
  const builder = new DigestBuilder();
  fill(builder);
  return builder.build(manifest);
}

const left = digest((builder) => {
  builder.trajectory({ trajectory_id: 'a', decision: 'kept', reason: null });
  builder.trajectory({ trajectory_id: 'a', decision: 'duplicate', reason: 'equal_turns' });
  builder.trajectory({ trajectory_id: 'b', decision: 'kept', reason: null });
  builder.trajectory({ trajectory_id: 'c', decision: 'rejected', reason: 'torn_line' });
  builder.sft(sftRow({ row_id: 'same' }));
  builder.sft(sftRow({ row_id: 'mask' }));
  builder.sft(sftRow({ row_id: 'anchor' }));
  builder.sft(sftRow({ row_id: 'ids' }));
  builder.sft(sftRow({ row_id: 'gone' }));
  builder.window({ window_id: 'w0', outcome: 'gold', reward: 2 });
  builder.window({ window_id: 'w1', outcome: 'error', reward: -1 });
});

const right = digest(
  (builder) => {
    builder.trajectory({ trajectory_id: 'a', decision: 'kept', reason: null });
    builder.trajectory({ trajectory_id: 'b', decision: 'filtered', reason: 'no_submission' });
    builder.trajectory({ trajectory_id: 'd', decision: 'kept', reason: null });
    // typed arrays, as they are read back, hold the same numbers
    builder.sft(
      sftRow({ row_id: 'same', input_ids: Int32Array.of(5, 6, 7, 8), loss_mask: Int8Array.of(0, 1, 1, 0) }),
    );
    builder.sft(sftRow({ row_id: 'mask', loss_mask: [0, 1, 1, 1] }));
    builder.sft(sftRow({ row_id: 'anchor', anchor_turn: 9 }));
    builder.sft(sftRow({ row_id: 'ids', input_ids: [5, 6, 7, 9] }));
    builder.window({ window_id: 'w0', outcome: 'gold', reward: 2.2 });
    builder.window({ window_id: 'w1', outcome: 'error', reward: null });
  },
  { plan_id: 'q', tool_version: '2', rejects: {} },
);

describe('compareCorpora', () => {
  const comparison = compareCorpora(
    { digest: left, config: { selection: { quality: 'median' } } },
    { digest: right, config: { selection: { quality: 'gold' } } },
  );

  it('counts decisions and reasons, records that never became a trajectory too', () => {
    expect(comparison.same_plan).toBe(false);
    expect(comparison.decisions).toEqual([
      { name: 'duplicate', a: 1, b: 0 },
      { name: 'filtered', a: 0, b: 1 },
      { name: 'kept', a: 2, b: 2 },
      { name: 'rejected', a: 2, b: 0 },
    ]);
    expect(comparison.reasons).toEqual([
      { name: 'equal_turns', a: 1, b: 0 },
      { name: 'no_submission', a: 0, b: 1 },
      { name: 'torn_line', a: 2, b: 0 },
    ]);
    expect([comparison.tokens, comparison.trained]).toEqual([
      { a: 20, b: 16 },
      { a: 10, b: 9 },
    ]);
  });

  it('lists trajectories of one only, and those decided otherwise', () => {
    expect(comparison.trajectories).toEqual({
      both: 2,
      only_a: ['c'],
      only_b: ['d'],
      decided_otherwise: [{ trajectory_id: 'b', a: 'kept', b: 'filtered: no_submission' }],
    });
  });

  it('lists rows whose ids, masks or anchors differ', () => {
    expect(comparison.sft).toEqual({
      same: 1,
      only_a: ['gone'],
      only_b: [],
      ids: ['ids'],
      mask: ['mask'],
      anchor: ['anchor'],
    });
  });

  it('sets rewards side by side in order of value', () => {
    expect(comparison.rewards).toEqual([
      { name: '-1', a: 1, b: 0 },
      { name: '2', a: 1, b: 0 },
      { name: '2.2', a: 0, b: 1 },
      { name: 'none', a: 0, b: 1 },
    ]);
    expect(comparison.windows_paid_otherwise).toBe(2);
  });

  it('says where the plans differ, or that it does not know', () => {
    expect(comparison.config).toEqual([{ path: 'selection.quality', a: 'median', b: 'gold' }]);
    expect(compareCorpora({ digest: left, config: null }, { digest: right, config: {} }).config).toBeNull();
  });

  it('finds nothing between a corpus and itself', () => {
    const same = compareCorpora({ digest: left, config: {} }, { digest: left, config: {} });
    expect(same).toMatchObject({ same_plan: true, windows_paid_otherwise: 0, config: [] });
    expect(same.sft).toMatchObject({ same: 5, only_a: [], only_b: [], ids: [], mask: [], anchor: [] });
  });
});

describe('configDifferences', () => {
  it('goes down to plain values and whole lists', () => {
    expect(
      configDifferences({ a: { b: [1, 2], c: null }, d: 1 }, { a: { b: [1, 3], c: null }, e: 2 }),
    ).toEqual([
      { path: 'a.b', a: [1, 2], b: [1, 3] },
      { path: 'd', a: 1, b: undefined },
      { path: 'e', a: undefined, b: 2 },
    ]);
  });
});
