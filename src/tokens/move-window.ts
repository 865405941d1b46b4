import type { FittedRow, OverLongRow } from './fitted-row.js';
import { tokensOfTurns } from './turn-tokens.js';

/** Turns that are kept or left out together: one of the model, and what follows it until the next. */
interface Group {
  readonly turns: readonly number[];
  readonly tokens: number;
  /** tokens without what follows the model's turn, which the last group of a row leaves out */
  readonly ownTokens: number;
}

/**
 * Several rows in place of one: each shows the task (everything before the model's first turn), then the newest
 * turns up to half of what is left, then as many further turns as fit, which it trains. Every turn is trained by
 * one of them at most; a turn that fits beside the task in no row is told as dropped.
 */
export function* moveWindow(request: OverLongRow): Generator<FittedRow> {
  const { trajectory, plan, encode, maxTokens, onDropped } = request;
  const { task, taskTokens, groups } = groupTurns(request);
  let part = 0;
  let next = 0;
  while (next < groups.length) {
    if (!plan.trains.has(groups[next]?.turns[0] ?? -1)) {
      next++;
      continue;
    }
    const fitted = fitFrom(next);
    if (fitted === null) {
      onDropped();
      next++;
      continue;
    }
    next = fitted.end;
    if (fitted.row.n_trained > 0) {
      yield {
        turns: trajectory.turns,
        plan: fitted.plan,
        row: fitted.row,
        part: part++,
        outcome: 'context_cut',
      };
    }
  }

  /** The row that trains groups from `start` on. */
  function fitFrom(start: number) {
    const room = maxTokens - taskTokens;
    let first = start;
    let context = 0;
    while (first > 0 && context + (groups[first - 1]?.tokens ?? 0) <= room / 2) {
      context += groups[--first]?.tokens ?? 0;
    }
    let end = start;
    let tokens = context;
    while (end < groups.length && tokens + (groups[end]?.ownTokens ?? 0) <= room) {
      tokens += groups[end++]?.tokens ?? 0;
    }
    // Renderings of other stretches of turns may differ by a few tokens: give up turns, then context.
    for (end = Math.max(end, start + 1); ; ) {
      const indices = indicesOf(first, end);
      const trains = new Set(
        groups.slice(start, end).flatMap(({ turns: [turn = -1] }) => (plan.trains.has(turn) ? [turn] : [])),
      );
      const at = plan.joint === null ? -1 : indices.indexOf(plan.indices[plan.joint] ?? -1);
      const window = { indices, trains, preserve: plan.preserve, joint: at > 0 ? at : null };
      const row = encode({ trajectory, plan: window });
      if (row.input_ids.length <= maxTokens) return { plan: window, row, end };
      if (end > start + 1) end--;
      else if (first < start) first = Math.min(start, first + Math.max(1, (start - first) >> 1));
      else return null;
    }
  }

  function indicesOf(first: number, end: number): number[] {
    const shown = groups.slice(first, end).flatMap((group) => group.turns);
    const behind = (groups[end - 1]?.turns.length ?? 1) - 1;
    return [...task, ...(behind > 0 ? shown.slice(0, -behind) : shown)];
  }
}

function groupTurns({ trajectory, plan, row }: OverLongRow) {
  const counts = tokensOfTurns(row);
  const tokensOf = (turns: readonly number[]) =>
    turns.reduce((sum, turn) => sum + (counts.get(turn) ?? 0), 0);
  const starts = plan.indices.flatMap((turn, at) =>
    trajectory.turns[turn]?.role === 'assistant' ? [at] : [],
  );
  const task = plan.indices.slice(0, starts[0] ?? plan.indices.length);
  const groups = starts.map((start, k): Group => {
    const turns = plan.indices.slice(start, starts[k + 1] ?? plan.indices.length);
    return { turns, tokens: tokensOf(turns), ownTokens: tokensOf(turns.slice(0, 1)) };
  });
  return { task, taskTokens: tokensOf(task) + (counts.get(-1) ?? 0), groups };
}
