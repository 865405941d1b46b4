import { OUTCOMES, TRENDS } from '../../windows/window.js';
import type { RunFact, StatsSection, WindowFact } from './facts.js';
import type { Figure } from './figure.js';
import { countBy, groupRuns } from './groups.js';
import { meanFigure, shareFigure } from './intervals.js';

const windowsOf = (runs: readonly RunFact[]): WindowFact[] => runs.flatMap((run) => run.windows);

/** Share of each outcome among the execution windows, over all and by task, scaffold and model. */
export const outcomeFigures: StatsSection = ({ runs }) => {
  const figures: Figure[] = [];
  for (const [key, group] of groupRuns(runs)) {
    const windows = windowsOf(group);
    if (windows.length === 0) continue;
    const counts = countBy(windows, (window) => window.outcome);
    for (const outcome of OUTCOMES) {
      const place = { section: 'outcomes', key, figure: outcome };
      figures.push(shareFigure(place, counts.get(outcome) ?? 0, windows.length));
    }
  }
  return figures;
};

/** Share of windows that pay at all, share of each reward among those, and the mean reward by group. */
export const rewardFigures: StatsSection = ({ runs }) => {
  const figures: Figure[] = [];
  for (const [key, group] of groupRuns(runs)) {
    const windows = windowsOf(group);
    if (windows.length === 0) continue;
    const rewards = windows.flatMap(({ reward }) => (reward === null ? [] : [reward]));
    figures.push(shareFigure({ section: 'rewards', key, figure: 'paid' }, rewards.length, windows.length));
    figures.push(meanFigure({ section: 'rewards', key, figure: 'mean' }, rewards));
    if (key !== 'all') continue;
    for (const value of [...new Set(rewards)].sort((a, b) => a - b)) {
      const count = rewards.filter((reward) => reward === value).length;
      figures.push(
        shareFigure({ section: 'rewards', key, figure: `reward ${value}` }, count, rewards.length),
      );
    }
  }
  return figures;
};

/**
 * From the outcome of a window to the outcome of the next one in the same run, and to its trend. `start` stands
 * before the first window.
 */
export const transitionFigures: StatsSection = ({ runs }) => {
  const steps = runs.flatMap(({ windows }) =>
    windows.map((window, w) => ({ from: windows[w - 1]?.outcome ?? 'start', window })),
  );
  const figures: Figure[] = [];
  for (const from of ['start', ...OUTCOMES]) {
    const own = steps.filter((step) => step.from === from).map(({ window }) => window);
    if (own.length === 0) continue;
    const place = { section: 'transitions', key: `after:${from}` };
    for (const outcome of OUTCOMES) {
      const count = own.filter((window) => window.outcome === outcome).length;
      figures.push(shareFigure({ ...place, figure: outcome }, count, own.length));
    }
    for (const trend of TRENDS) {
      const count = own.filter((window) => window.trend === trend).length;
      figures.push(shareFigure({ ...place, figure: `trend ${trend}` }, count, own.length));
    }
  }
  return figures;
};
