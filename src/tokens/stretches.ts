import type { ChatRenderer, Strategy } from '../chat/renderer.js';
import { RejectError } from '../logs/reject.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';

/** One row to be written: the turns that it shows and those of them that it may train. */
export interface RowPlan {
  /** context epoch, index into trajectory.epochs */
  readonly epoch: number;
  /** number of the stretch within its epoch, from 0; skipped stretches count */
  readonly stretch: number;
  /** turns of the trajectory to render, in order */
  readonly indices: readonly number[];
  /** assistant turns that this row may train; each turn is in one plan at most */
  readonly trains: ReadonlySet<number>;
  /** render with the reasoning of every turn kept */
  readonly preserve: boolean;
  /**
   * Position in `indices` of a turn of the model with which the template rewrites what stands before it: what the
   * model saw is then rendered by itself, and the rest joined to it. Null where the rendering is one.
   */
  readonly joint: number | null;
}

export interface RowPlanning {
  readonly trajectory: Trajectory;
  /** the last turn to keep; later ones are left out */
  readonly lastTurn: number;
  /** turns before it that are left out as well */
  readonly offPath?: ReadonlySet<number>;
  readonly strategy: Strategy;
  readonly renderer: ChatRenderer;
}

/**
 * Divides a trajectory into rows: one per context epoch, and within it, where the template rewrites earlier
 * turns, as the strategy says. An assistant turn is trained in the first epoch that holds it. Rows that would
 * train nothing are left out. Throws RejectError('template_not_prefix') for `reject`, and for `preserve` where
 * the template cannot keep reasoning.
 */
export function planRows(planning: RowPlanning): RowPlan[] {
  const { trajectory, lastTurn, offPath } = planning;
  const plans: RowPlan[] = [];
  const seen = new Set<number>();
  for (const [number, epoch] of trajectory.epochs.entries()) {
    const indices = epoch.turns.filter((turn) => turn <= lastTurn && offPath?.has(turn) !== true);
    const fresh = new Set<number>();
    for (const turn of indices) {
      if (trajectory.turns[turn]?.role === 'assistant' && !seen.has(turn)) fresh.add(turn);
      seen.add(turn);
    }
    if (fresh.size > 0) plans.push(...planEpoch(planning, { epoch: number, indices, fresh }));
  }
  return plans;
}

interface EpochTurns {
  readonly epoch: number;
  readonly indices: readonly number[];
  readonly fresh: ReadonlySet<number>;
}

function planEpoch(
  { trajectory, strategy, renderer }: RowPlanning,
  { epoch, indices, fresh }: EpochTurns,
): RowPlan[] {
  const whole: RowPlan = { epoch, stretch: 0, indices, trains: fresh, preserve: false, joint: null };
  if (strategy === 'follow') return [whole];
  const input = { turns: trajectory.turns, indices, tools: trajectory.tools };
  const breaks = renderer.breaks(input);
  if (breaks.length === 0) return [whole];
  if (strategy === 'reject') {
    throw new RejectError(
      'template_not_prefix',
      `the template rewrites earlier turns at ${breaks.length} place(s), first at turn ${indices[breaks[0] ?? 0]}`,
    );
  }
  if (strategy === 'preserve') {
    if (renderer.renderPreserving(input) === null) {
      throw new RejectError('template_not_prefix', `template ${renderer.name} cannot keep earlier reasoning`);
    }
    return [{ ...whole, preserve: true }];
  }
  return cutAtBreaks({ epoch, indices, fresh }, { breaks, turns: trajectory.turns });
}

/** The joint of a stretch that starts at `start`: there, if its first turn is the model's own. */
export function jointAt(
  start: number,
  { indices, turns }: { indices: readonly number[]; turns: readonly Turn[] },
): number | null {
  return start > 0 && turns[indices[start] ?? -1]?.role === 'assistant' ? start : null;
}

/** Each stretch shows everything before the next break and trains what came after the last one. */
function cutAtBreaks(
  { epoch, indices, fresh }: EpochTurns,
  { breaks, turns }: { breaks: readonly number[]; turns: readonly Turn[] },
): RowPlan[] {
  const plans: RowPlan[] = [];
  let start = 0;
  [...breaks, indices.length].forEach((end, stretch) => {
    const trains = new Set(indices.slice(start, end).filter((turn) => fresh.has(turn)));
    const joint = jointAt(start, { indices, turns });
    if (trains.size > 0)
      plans.push({ epoch, stretch, indices: indices.slice(0, end), trains, preserve: false, joint });
    start = end;
  });
  return plans;
}
