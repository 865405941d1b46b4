import { z } from 'zod';

const weights = z.record(z.string(), z.number().min(0)).default({});

export const mixSchema = z
  .strictObject({
    stages: weights.describe('by stage'),
    sources: weights.describe('by source, as the inputs name them'),
    as: z
      .enum(['multiplier', 'share'])
      .default('multiplier')
      .describe(
        'multiplier: the weight of a row is that of its stage times that of its source, 1 where unnamed; share: weights such that stages, and sources within a stage, have these shares of the kept trajectories, the mean being 1',
      ),
  })
  .describe('mix weights, written to the column `weight` of table sft');
export type MixOptions = z.infer<typeof mixSchema>;

/** Kept trajectories of one source in one stage. */
export interface MixCell {
  readonly stage: string | null;
  readonly source: string | null;
  readonly n: number;
}

export interface MixWeight extends MixCell {
  readonly weight: number;
}

/**
 * The weight of each stage and source. Shares are taken over the names that occur, so that they need not add up to 1;
 * an unnamed stage or source has the share of its trajectories where no name is given at all.
 */
export function mixWeights(cells: readonly MixCell[], mix: MixOptions): MixWeight[] {
  if (mix.as === 'multiplier') {
    return cells.map((cell) => ({
      ...cell,
      weight: weightOf(mix.stages, cell.stage) * weightOf(mix.sources, cell.source),
    }));
  }
  const total = sum(cells);
  const byStage = shares(cells, (cell) => cell.stage, mix.stages);
  return cells.map((cell) => {
    const within = cells.filter((other) => other.stage === cell.stage);
    const bySource = shares(within, (other) => other.source, mix.sources);
    const share = (byStage.get(cell.stage) ?? 0) * (bySource.get(cell.source) ?? 0);
    return { ...cell, weight: cell.n === 0 ? 0 : decimal((share * total) / cell.n) };
  });
}

/** Twelve digits: what lies below is the arithmetic of doubles. */
function decimal(weight: number): number {
  return Number(weight.toPrecision(12));
}

function weightOf(weights: Readonly<Record<string, number>>, name: string | null): number {
  return name !== null && Object.hasOwn(weights, name) ? (weights[name] ?? 1) : 1;
}

/** The share of each name: as asked, scaled to 1 over the names that occur, or as they occur where none is asked. */
function shares(
  cells: readonly MixCell[],
  nameOf: (cell: MixCell) => string | null,
  asked: Readonly<Record<string, number>>,
): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const cell of cells) counts.set(nameOf(cell), (counts.get(nameOf(cell)) ?? 0) + cell.n);
  if (Object.keys(asked).length === 0) {
    const total = sum(cells);
    return new Map([...counts].map(([name, n]) => [name, total === 0 ? 0 : n / total]));
  }
  const present = [...counts].filter(([, n]) => n > 0).map(([name]) => name);
  const wanted = (name: string | null): number =>
    name !== null && Object.hasOwn(asked, name) ? (asked[name] ?? 0) : 0;
  const total = present.reduce((all, name) => all + wanted(name), 0);
  return new Map(present.map((name) => [name, total === 0 ? 0 : wanted(name) / total]));
}

function sum(cells: readonly MixCell[]): number {
  return cells.reduce((total, { n }) => total + n, 0);
}
