import type { StatsSection } from './facts.js';
import type { Figure } from './figure.js';
import { countBy, groupBy } from './groups.js';
import { meanFigure, ratioFigure, shareFigure } from './intervals.js';

/**
 * What became of everything that was read, and why: shares of decisions, filter reasons and reject codes among all
 * records read.
 */
export const funnelFigures: StatsSection = ({ trajectories, rejects }) => {
  const decided = trajectories.filter(({ decision }) => decision !== 'rejected');
  const rejected = Object.values(rejects).reduce((sum, count) => sum + count, 0);
  const read = decided.length + rejected;
  const figures: Figure[] = [];
  if (read === 0) return figures;
  const section = 'funnel';
  const decisions = countBy(decided, ({ decision }) => decision);
  for (const decision of ['kept', 'filtered', 'duplicate'] as const) {
    figures.push(
      shareFigure({ section, key: 'decision', figure: decision }, decisions.get(decision) ?? 0, read),
    );
  }
  figures.push(shareFigure({ section, key: 'decision', figure: 'rejected' }, rejected, read));
  const filtered = decided.filter(({ decision }) => decision === 'filtered');
  for (const [reason, count] of countBy(filtered, (each) => each.reason ?? 'unknown')) {
    figures.push(shareFigure({ section, key: 'filtered', figure: reason }, count, read));
  }
  for (const [code, count] of Object.entries(rejects).sort(([a], [b]) => (a < b ? -1 : 1))) {
    figures.push(shareFigure({ section, key: 'rejected', figure: code }, count, read));
  }
  return figures;
};

/** What selection cut off the end of the prefixes that it kept, and how much of what is left is trained. */
export const cutFigures: StatsSection = ({ prefixes }) => {
  const section = 'cut';
  const groups = new Map([
    ['all', prefixes],
    ...groupBy(prefixes, ({ rules }) => `rules:${rules.join('+')}`),
  ]);
  const figures: Figure[] = [];
  for (const [key, list] of groups) {
    if (list.length === 0) continue;
    const shorter = list.filter((prefix) => prefix.cut_turns > 0);
    figures.push(
      shareFigure({ section, key, figure: 'prefixes that were cut' }, shorter.length, list.length),
      meanFigure(
        { section, key, figure: 'turns cut, mean' },
        list.map((prefix) => prefix.cut_turns),
      ),
      meanFigure(
        { section, key, figure: 'tokens cut, mean' },
        list.map((prefix) => prefix.cut_tokens),
      ),
      ratioFigure(
        { section, key, figure: 'share of tokens cut' },
        list.map((prefix) => [prefix.cut_tokens, prefix.cut_tokens + prefix.n_tokens]),
      ),
      ratioFigure(
        { section, key, figure: 'share of tokens trained' },
        list.map((prefix) => [prefix.n_trained, prefix.n_tokens]),
      ),
    );
  }
  return figures;
};

/** Share of trajectories, and of windows, that carry each flag. */
export const flagFigures: StatsSection = ({ runs, trajectories }) => {
  const windows = runs.flatMap((run) => run.windows);
  const over = (key: string, rows: readonly { readonly flags: readonly string[] }[]): Figure[] => {
    const flags = rows.flatMap((row) => [...new Set(row.flags)]);
    return [...countBy(flags, (flag) => flag)].map(([flag, count]) =>
      shareFigure({ section: 'flags', key, figure: flag }, count, rows.length),
    );
  };
  return [...over('trajectories', trajectories), ...over('windows', windows)];
};
