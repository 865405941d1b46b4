import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collapseSequence, expandSequence, type StoredSequence } from '../../src/tables/expanded-rows.js';
import type { ExpandedRow } from '../../src/tables/table-specs.js';
import { verifyCorpus } from '../../src/tables/verify.js';
import { rlRow, secondWindow, windowRow, writeCorpus } from './corpus.js';
import { temporaryFolder } from './temporary.js';

/** Lists as plain arrays, so that rows compare value by value whatever holds their numbers. */
function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/** A sequence of windows of some lengths with gaps before them, and a tail. */
const sequences: fc.Arbitrary<StoredSequence> = fc
  .record({
    windows: fc.array(
      fc.record({
        gap: fc.nat(4),
        mask: fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 6 }),
        reward: fc.constantFrom(null, -1, -0.6, 1.2, 2.2),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    tail: fc.nat(5),
    recorded: fc.boolean(),
    flags: fc.subarray(['a', 'b']),
  })
  .map(({ windows, tail, recorded, flags }) => {
    const loss_mask: number[] = [];
    const window_index: number[] = [];
    const rows = windows.map(({ gap, mask, reward }, w) => {
      loss_mask.push(...new Array<number>(gap).fill(0), ...mask);
      window_index.push(...new Array<number>(gap).fill(-1), ...mask.map(() => w));
      const n_trained = mask.filter((bit) => bit === 1).length;
      const token_end = loss_mask.length;
      const token_start = token_end - mask.length;
      return windowRow({ window_id: `w${w}`, token_start, token_end, reward, n_trained, flags: [`f${w}`] });
    });
    loss_mask.push(...new Array<number>(tail).fill(0));
    window_index.push(...new Array<number>(tail).fill(-1));
    const rl = rlRow({
      flags,
      input_ids: loss_mask.map((_, i) => 100 + i),
      loss_mask,
      window_index,
      window_rewards: windows.map(({ reward }) => reward),
      window_n_trained: rows.map(({ n_trained }) => n_trained),
      rollout_log_probs: recorded ? loss_mask.map((bit, i) => (bit === 1 ? -i / 8 : null)) : null,
      weight_version: recorded ? '3' : null,
      policy_data: recorded ? 'recorded' : 'offline',
    });
    return { rl, windows: rows };
  });

const STORED: StoredSequence = {
  rl: rlRow(),
  windows: [windowRow(), secondWindow()],
};

describe('expanded rows', () => {
  it('give back the stored form, value by value, in whatever order they come', () => {
    fc.assert(
      fc.property(sequences, fc.nat(), (stored, turn) => {
        const rows = expandSequence(stored);
        const turned = rows.map((_, i) => rows[(i + turn) % rows.length] as ExpandedRow);
        expect(plain(collapseSequence(turned))).toEqual(plain(stored));
      }),
    );
  });

  it('train each trained token of the sequence exactly once, at its place', () => {
    fc.assert(
      fc.property(sequences, (stored) => {
        const times = new Int32Array(stored.rl.input_ids.length);
        for (const { input_ids, loss_mask } of expandSequence(stored)) {
          expect([...input_ids]).toEqual([...stored.rl.input_ids].slice(0, input_ids.length));
          Array.from(loss_mask).forEach((trained, i) => {
            times[i] = (times[i] ?? 0) + trained;
          });
        }
        expect([...times]).toEqual([...stored.rl.loss_mask]);
      }),
    );
  });

  it('are the sequence up to the last token of the window; what is behind the last window stands apart', () => {
    const [first, second] = expandSequence(STORED);
    expect(plain(first)).toMatchObject({ input_ids: [1, 2, 3], loss_mask: [0, 1, 1], tail_ids: [] });
    expect(plain(second)).toMatchObject({
      input_ids: [1, 2, 3, 4, 5, 6, 7],
      loss_mask: [0, 0, 0, 0, 1, 0, 1],
      tail_ids: [8],
      window: 1,
      n_windows: 2,
      is_correction: 'none',
    });
  });

  it.each([
    ['a window that is not there', { ...STORED, windows: [windowRow()] }, 'table windows has 1'],
    [
      'another reward',
      { ...STORED, windows: [windowRow({ reward: 1 }), secondWindow()] },
      'window_rewards[0]',
    ],
    [
      'a window of another run',
      { ...STORED, windows: [windowRow({ trajectory_id: 'u' }), secondWindow()] },
      'another trajectory_id',
    ],
    ['no windows', { ...STORED, windows: [] }, 'has no windows'],
  ])('are not made of %s', (_, stored, message) => {
    expect(() => expandSequence(stored)).toThrow(message);
  });

  const changed = (change: Partial<ExpandedRow>): ExpandedRow[] => {
    const [first, second] = expandSequence(STORED);
    return [{ ...(first as ExpandedRow), ...change }, second as ExpandedRow];
  };

  it.each([
    ['a changed id', changed({ input_ids: [1, 9, 3] }), 'differs from its sequence at token 1'],
    ['a trained token of the context', changed({ loss_mask: [1, 1, 0] }), 'trains token 0 of its context'],
    ['a missing window', changed({}).slice(1), 'is number 1 of 2, but 1 are here'],
    ['a window twice', [...changed({}), ...changed({}).slice(0, 1)], 'is number 0 of 2, but 3 are here'],
    ['other flags of the sequence', changed({ sequence_flags: ['x'] }), 'other flags'],
    ['a false count', changed({ n_trained: 1 }), 'trains 2 tokens'],
  ])('do not go back with %s', (_, rows, message) => {
    expect(() => collapseSequence(rows)).toThrow(message);
  });
});

describe('verify of a corpus with expanded rows', () => {
  const folder = temporaryFolder();
  let corpora = 0;
  const failuresOf = async (expanded: readonly ExpandedRow[]): Promise<string[]> => {
    const dir = `${folder}/expanded-${corpora++}`;
    await writeCorpus(dir, { rl: [STORED.rl], windows: STORED.windows, expanded });
    const { checks } = await verifyCorpus(dir);
    return checks.flatMap(({ name, failures }) => failures.map(({ message }) => `${name}: ${message}`));
  };

  it('holds where they are those of the stored form', async () => {
    expect(await failuresOf(expandSequence(STORED))).toEqual([]);
  });

  it('finds rows that are right in themselves but not of this sequence', async () => {
    const other = { rl: rlRow({ input_ids: [1, 2, 3, 4, 5, 6, 7, 9] }), windows: STORED.windows };
    expect(await failuresOf(expandSequence(other))).toEqual(['windows: they do not give back its row of rl']);
    const scored = { ...STORED, windows: [windowRow({ seconds: 9 }), secondWindow()] };
    expect(await failuresOf(expandSequence(scored))).toEqual(['windows: they do not give back window w0']);
  });

  it('finds a missing one and a sequence without any', async () => {
    expect(await failuresOf(expandSequence(STORED).slice(1))).toEqual([
      'windows: 1 of 2 are there',
      'windows: has no expanded rows',
    ]);
  });
});
