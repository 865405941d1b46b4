import { compareScores } from './medals.js';

export const HUMAN_RANK_FORMULAS = ['paper', 'code'] as const;
export type HumanRankFormula = (typeof HUMAN_RANK_FORMULAS)[number];

/** Place of a score on one leaderboard. */
export interface BoardPosition {
  /** 1-based; equal scores share the best place; worse than all is total + 1 */
  readonly position: number;
  readonly total: number;
}

export interface HumanRank {
  readonly public: BoardPosition | null;
  readonly private: BoardPosition | null;
  /** 1 - p/N, averaged over the boards at hand; null without a board */
  readonly paper: number | null;
  /** (N - p + 1)/N, averaged likewise */
  readonly code: number | null;
  readonly flags: readonly HumanRankFlag[];
}

export const HUMAN_RANK_FLAGS = {
  invalid_submission: 'no finite score: the rank counts as 0',
  board_missing: 'only one of the two leaderboards is at hand',
} as const satisfies Record<string, string>;
export type HumanRankFlag = keyof typeof HUMAN_RANK_FLAGS;

export interface Leaderboards {
  readonly public: readonly number[] | null;
  readonly private: readonly number[] | null;
}

export function boardPosition(
  score: number,
  board: readonly number[],
  isLowerBetter: boolean,
): BoardPosition {
  let better = 0;
  for (const other of board) if (compareScores(other, score, isLowerBetter) > 0) better += 1;
  return { position: better + 1, total: board.length };
}

/**
 * HumanRank of MLE-Dojo: the share of human competitors that a score leaves behind, in both published formulas. Values
 * below 0 count as 0, an invalid submission is 0 and flagged.
 */
export function humanRank(score: number | null, boards: Leaderboards, isLowerBetter: boolean): HumanRank {
  const given = [boards.public, boards.private].filter((board) => board !== null && board.length > 0);
  const flags: HumanRankFlag[] = given.length === 1 ? ['board_missing'] : [];
  if (score === null || !Number.isFinite(score)) {
    const zero = given.length === 0 ? null : 0;
    return { public: null, private: null, paper: zero, code: zero, flags: [...flags, 'invalid_submission'] };
  }
  const place = (board: readonly number[] | null): BoardPosition | null =>
    board === null || board.length === 0 ? null : boardPosition(score, board, isLowerBetter);
  const ranks = { public: place(boards.public), private: place(boards.private) };
  const places = [ranks.public, ranks.private].filter((found) => found !== null);
  return {
    ...ranks,
    paper: mean(places.map(({ position: p, total: n }) => Math.max(0, 1 - p / n))),
    code: mean(places.map(({ position: p, total: n }) => Math.max(0, (n - p + 1) / n))),
    flags,
  };
}

function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
