import { cutEndFlags } from './cut-end.js';
import type { DividedRow, DivideRequest, FittedRow } from './fitted-row.js';
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
 * turns up to half of what is left (or all before, where they fit), then as many further turns as fit, which it
 * trains. Every turn is trained by one of them at most; turns that fit beside the task in no row are told as
 * dropped. Turns that are joined are trained by one row, or dropped, together.
 */
export function* moveWindow<Row extends DividedRow>(request: DivideRequest<Row>): Generator<FittedRow<Row>> {
  const { trajectory, plan, encode, maxTokens, onDropped, joined, row: whole } = request;
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
      next = endAfter(next);
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
        flags: cutEndFlags(fitted.plan.indices.at(-1), fitted.row, whole),
      };
    }
  }

  /** Where the joined groups end that `start` begins. */
  function endAfter(start: number): number {
    let end = start + 1;
    while (end < groups.length && isJoined(end)) end++;
    return end;
  }

  /** Whether a row may not end before a group. */
  function isJoined(group: number): boolean {
    const [before = -1] = groups[group - 1]?.turns ?? [];
    const [turn = -1] = groups[group]?.turns ?? [];
    return joined?.(before, turn) ?? false;
  }

  /** The first group that is shown before `start`: the very first if all fits, else the newest up to half. */
  function contextOf(start: number, room: number): number {
    const least = endAfter(start) - 1;
    const before = groups.slice(0, least).reduce((sum, group) => sum + group.tokens, 0);
    if (before + (groups[least]?.ownTokens ?? 0) <= room) return 0;
    let first = start;
    let context = 0;
    while (first > 0 && context + (groups[first - 1]?.tokens ?? 0) <= room / 2) {
      context += groups[--first]?.tokens ?? 0;
    }
    return first;
  }

  /** The row that trains groups from `start` on. */
  function fitFrom(start: number) {
    const room = maxTokens - taskTokens;
    const least = endAfter(start);
    let first = contextOf(start, room);
    let end = start;
    let tokens = groups.slice(first, start).reduce((sum, group) => sum + group.tokens, 0);
    while (end < groups.length && tokens + (groups[end]?.ownTokens ?? 0) <= room) {
      tokens += groups[end++]?.tokens ?? 0;
    }
    // Renderings of other stretches of turns may differ by a few tokens: give up turns, then context.
    for (end = Math.max(end, least); ; ) {
      while (end > least && end < groups.length && isJoined(end)) end--;
      const indices = indicesOf(first, end);
      const trains = new Set(
        groups.slice(start, end).flatMap(({ turns: [turn = -1] }) => (plan.trains.has(turn) ? [turn] : [])),
      );
      const at = plan.joint === null ? -1 : indices.indexOf(plan.indices[plan.joint] ?? -1);
      const window = { indices, trains, preserve: plan.preserve, joint: at > 0 ? at : null };
      const row = encode({ trajectory, plan: window });
      if (row.input_ids.length <= maxTokens) return { plan: window, row, end };
      if (end > least) end--;
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

function groupTurns({
  trajectory,
  plan,
  row,
}: Pick<DivideRequest<DividedRow>, 'trajectory' | 'plan' | 'row'>) {
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
