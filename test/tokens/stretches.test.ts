import { describe, expect, it } from 'vitest';
import { planRows, type RowPlan } from '../../src/tokens/stretches.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { assistant, renderer, rowsOf, text, thought, tool, trajectoryOf, user } from './rows.js';

const thinking = (words: string) => assistant([thought(`why ${words}`), text(words)]);

function plansOf(
  trajectory: Trajectory,
  strategy: 'follow' | 'split' | 'reject' | 'preserve' = 'split',
  lastTurn = trajectory.turns.length - 1,
): [number, number, number[], number[]][] {
  const plans: RowPlan[] = planRows({ trajectory, lastTurn, strategy, renderer });
  return plans.map(({ epoch, stretch, indices, trains }) => [epoch, stretch, [...indices], [...trains]]);
}

describe('without breaks', () => {
  const trajectory = trajectoryOf([user('1'), thinking('a'), tool('t'), thinking('b')]);

  it.each(['follow', 'split', 'reject', 'preserve'] as const)('%s makes one row', (strategy) => {
    expect(plansOf(trajectory, strategy)).toEqual([[0, 0, [0, 1, 2, 3], [1, 3]]]);
  });

  it('ends at the last turn that is kept', () => {
    expect(plansOf(trajectory, 'split', 2)).toEqual([[0, 0, [0, 1, 2], [1]]]);
    expect(plansOf(trajectory, 'split', 0)).toEqual([]);
  });
});

describe('with breaks', () => {
  const turns = [user('1'), thinking('a'), tool('t'), thinking('b'), user('2'), thinking('c'), user('3')];
  const trajectory = trajectoryOf([...turns, assistant([text('d')])]);

  it('split trains each turn in the stretch whose context the model saw', () => {
    expect(plansOf(trajectory)).toEqual([
      [0, 0, [0, 1, 2, 3], [1, 3]],
      [0, 1, [0, 1, 2, 3, 4, 5], [5]],
      [0, 2, [0, 1, 2, 3, 4, 5, 6, 7], [7]],
    ]);
    const rows = rowsOf(trajectory);
    expect(rows.map((row) => row.trained_turns)).toEqual([[1, 3], [5], [7]]);
    expect(rows.flatMap((row) => row.flags)).toEqual([]);
  });

  it('the context of every turn is the rendering that the model was given', () => {
    for (const row of rowsOf(trajectory)) {
      for (const turn of row.trained_turns) {
        const before = row.segments.slice(
          0,
          row.segments.findIndex((segment) => segment.turn === turn),
        );
        const indices = [...turns.keys()].slice(0, turn);
        const seen = renderer.render({ turns: trajectory.turns, indices, tools: null });
        const join = (segments: typeof before) => segments.map((segment) => segment.text).join('');
        expect(join(before)).toBe(join([...seen.segments]));
      }
    }
  });

  it('follow makes one row, in which stripped turns are masked', () => {
    expect(plansOf(trajectory, 'follow').length).toBe(1);
    expect(rowsOf(trajectory, { strategy: 'follow' }).map((row) => row.trained_turns)).toEqual([[7]]);
  });

  it('preserve makes one row that trains everything and says how it differs', () => {
    const [row] = rowsOf(trajectory, { strategy: 'preserve' });
    expect(row?.trained_turns).toEqual([1, 3, 5, 7]);
    expect(row?.ids_differ_because).toEqual(['preserved']);
  });

  it('reject names the place', () => {
    expect(() => plansOf(trajectory, 'reject')).toThrow(
      expect.objectContaining({ code: 'template_not_prefix', message: expect.stringContaining('turn 4') }),
    );
  });

  it('leaves out a stretch that trains nothing', () => {
    expect(plansOf(trajectory, 'split', 6)).toEqual([
      [0, 0, [0, 1, 2, 3], [1, 3]],
      [0, 1, [0, 1, 2, 3, 4, 5], [5]],
    ]);
  });
});

describe('context epochs', () => {
  const turns = [user('1'), thinking('a'), tool('t'), thinking('b'), user('summary'), thinking('c')];

  it('trains a turn in the first epoch that holds it', () => {
    const trajectory = trajectoryOf(turns, {
      epochs: [
        { turns: [0, 1, 2, 3], reason: null },
        { turns: [0, 3, 4, 5], reason: 'compaction' },
      ],
    });
    expect(plansOf(trajectory)).toEqual([
      [0, 0, [0, 1, 2, 3], [1, 3]],
      [1, 1, [0, 3, 4, 5], [5]],
    ]);
  });

  it('leaves out an epoch without new turns of the model', () => {
    const trajectory = trajectoryOf(turns, {
      epochs: [
        { turns: [0, 1, 2, 3, 4, 5], reason: null },
        { turns: [0, 5], reason: 'pruning' },
      ],
    });
    expect(plansOf(trajectory).map(([epoch]) => epoch)).toEqual([0, 0]);
  });

  it('trains every generated turn once at most', () => {
    const trajectory = trajectoryOf(turns, {
      epochs: [
        { turns: [0, 1], reason: null },
        { turns: [0, 1, 2, 3], reason: 'x' },
        { turns: [4, 5, 3], reason: 'y' },
      ],
    });
    const trained = plansOf(trajectory).flatMap(([, , , trains]) => trains);
    expect(trained.toSorted()).toEqual([1, 3, 5]);
  });
});
