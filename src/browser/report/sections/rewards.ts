import { axisX, barY, gridY, pointerX, ruleY, stackY, tip } from '@observablehq/plot';
import type { RunFact, WindowFact } from '../../../report/stats/facts.js';
import { groupBy, UNKNOWN } from '../../../report/stats/groups.js';
import { meanFigure } from '../../../report/stats/intervals.js';
import { count, counted, percent, short } from '../../common/numbers.js';
import { OUTCOME_COLOURS, words } from '../names.js';
import { chart, TIP, wholeTicks } from '../parts/chart.js';
import { intervalText, valueText } from '../parts/figure-text.js';
import { heatMap } from '../parts/heat-map.js';
import type { Panel } from '../parts/panel.js';
import { OUTCOME_ORDER, type View } from '../view.js';

interface Paid {
  readonly run: RunFact;
  readonly window: WindowFact;
  readonly reward: number;
}

const NO_REWARDS = 'No window of these trajectories pays a reward.';
/** More different rewards than this are put into as many bins. */
const MOST_VALUES = 24;
const SHOWN_GROUPS = 16;

function paidWindows(view: View): Paid[] {
  return view.runs.flatMap((run) =>
    run.windows.flatMap((window) => (window.reward === null ? [] : [{ run, window, reward: window.reward }])),
  );
}

/** Names each reward by its value, or by its bin where there are too many values. */
function rewardBins(rewards: readonly number[]): {
  readonly names: readonly string[];
  nameOf(reward: number): string;
} {
  const values = [...new Set(rewards)].sort((a, b) => a - b);
  if (values.length <= MOST_VALUES) return { names: values.map(String), nameOf: String };
  const low = values[0] ?? 0;
  const high = values.at(-1) ?? 0;
  const step = (high - low) / MOST_VALUES;
  const nameAt = (bin: number): string => `${short(low + bin * step)} to ${short(low + (bin + 1) * step)}`;
  return {
    names: Array.from({ length: MOST_VALUES }, (_, bin) => nameAt(bin)),
    nameOf: (reward) => nameAt(Math.min(MOST_VALUES - 1, Math.floor((reward - low) / step))),
  };
}

export const rewardHistogram: Panel = {
  id: 'reward-histogram',
  title: 'Rewards of windows, by outcome',
  draw: ({ view, width }) => {
    const paid = paidWindows(view);
    if (paid.length === 0) return { chart: null, sentence: NO_REWARDS, table: null };
    const { names, nameOf } = rewardBins(paid.map(({ reward }) => reward));
    const outcomes = OUTCOME_ORDER.filter((name) => paid.some(({ window }) => window.outcome === name));
    const counts = new Map<string, number>();
    for (const { window, reward } of paid) {
      const key = `${nameOf(reward)}\n${window.outcome}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const at = (name: string, outcome: string): number => counts.get(`${name}\n${outcome}`) ?? 0;
    const bars = names.flatMap((name) =>
      outcomes.flatMap((outcome) => {
        const n = at(name, outcome);
        const share = percent(n / paid.length);
        const line = `reward ${name}, ${words(outcome)}\n${counted(n, 'window')} of ${count(paid.length)} (${share})`;
        return n === 0 ? [] : [{ name, outcome, n, colour: OUTCOME_COLOURS[outcome], text: line }];
      }),
    );
    const sentence = `${counted(paid.length, 'window')} with a reward, counted by reward and outcome.`;
    const most = Math.max(
      ...names.map((name) => paid.filter(({ reward }) => nameOf(reward) === name).length),
    );
    const ticks = wholeTicks(most, 6);
    const isTight = names.length * 44 > width;
    return {
      chart: chart({
        label: sentence,
        width,
        height: 300,
        marginLeft: 52,
        marginBottom: isTight ? 80 : 42,
        x: { type: 'band', domain: names, label: 'reward →', padding: 0.2 },
        y: { domain: [0, most], label: '↑ windows', ticks, tickFormat: count },
        color: { type: 'identity' },
        marks: [
          gridY({ ticks, stroke: 'var(--line)', strokeOpacity: 1 }),
          axisX({ label: 'reward →', tickSize: 0, ...(isTight ? { tickRotate: -60 } : {}) }),
          barY(bars, stackY({ x: 'name', y: 'n', fill: 'colour', order: null, insetTop: 1 })),
          ruleY([0], { stroke: 'var(--line-strong)' }),
          tip(bars, pointerX(stackY({ x: 'name', y: 'n', title: 'text', order: null, ...TIP }))),
        ],
      }),
      sentence,
      legend: outcomes.map((outcome) => ({ text: words(outcome), colour: OUTCOME_COLOURS[outcome] })),
      table: {
        caption: 'Windows by reward and outcome',
        columns: [{ title: 'reward' }, ...outcomes.map((name) => ({ title: words(name), isNumber: true }))],
        rows: names.map((name) => [
          name,
          ...outcomes.map((outcome) => ({ text: count(at(name, outcome)), value: at(name, outcome) })),
        ]),
      },
    };
  },
};

const OUTCOME_NAMES = OUTCOME_ORDER.map(words);

const GROUPS: Readonly<Record<string, (paid: Paid) => string>> = {
  outcome: ({ window }) => words(window.outcome),
  task: ({ run }) => run.task_id ?? UNKNOWN,
  model: ({ run }) => run.model ?? UNKNOWN,
  scaffold: ({ run }) => run.scaffold ?? UNKNOWN,
};

export const rewardGroups: Panel = {
  id: 'reward-groups',
  title: 'Rewards by group',
  choices: [{ name: 'by', label: 'By', options: () => Object.keys(GROUPS).map((name) => [name, name]) }],
  draw: ({ view, width, chosen }) => {
    const paid = paidWindows(view);
    if (paid.length === 0) return { chart: null, sentence: NO_REWARDS, table: null };
    const { names, nameOf } = rewardBins(paid.map(({ reward }) => reward));
    const groupOf = GROUPS[chosen['by'] ?? ''] ?? (() => UNKNOWN);
    const groups = [...groupBy(paid, groupOf)]
      .map(([group, own]) => ({ group, own, counts: groupBy(own, ({ reward }) => nameOf(reward)) }))
      .sort((a, b) => b.own.length - a.own.length || (a.group < b.group ? -1 : 1));
    // from worst to best, as everywhere
    if (chosen['by'] === 'outcome')
      groups.sort((a, b) => OUTCOME_NAMES.indexOf(a.group) - OUTCOME_NAMES.indexOf(b.group));
    const shown = groups.slice(0, SHOWN_GROUPS);
    const cells = shown.flatMap(({ group, own, counts }) =>
      names.map((name) => {
        const n = counts.get(name)?.length ?? 0;
        const share = n / own.length;
        return {
          group,
          name,
          share,
          of: own.length,
          text: `${group}, reward ${name}\n${count(n)} of ${count(own.length)} windows (${percent(share)})`,
        };
      }),
    );
    const meanOf = (own: readonly Paid[]) =>
      meanFigure(
        { section: 'rewards', key: '', figure: 'mean' },
        own.map(({ reward }) => reward),
      );
    const sentence = `Share of each reward among the paid windows of each ${chosen['by'] ?? 'group'}.`;
    return {
      chart: heatMap({
        label: sentence,
        width,
        cells,
        x: names,
        xLabel: 'reward →',
      }),
      sentence,
      note:
        shown.length < groups.length
          ? `The ${SHOWN_GROUPS} with most windows of ${count(groups.length)}; the table has all.`
          : null,
      table: {
        caption: `Rewards by ${chosen['by'] ?? 'group'}`,
        columns: [
          { title: chosen['by'] ?? 'group' },
          { title: 'windows', isNumber: true },
          { title: 'mean reward', isNumber: true },
          { title: '95% interval', isNumber: true },
          ...names.map((name) => ({ title: `reward ${name}`, isNumber: true })),
        ],
        rows: groups.map(({ group, own, counts }) => {
          const mean = meanOf(own);
          return [
            group,
            { text: count(own.length), value: own.length },
            { text: valueText(mean, mean.value), value: mean.value },
            intervalText(mean),
            ...names.map((name) => {
              const n = counts.get(name)?.length ?? 0;
              return { text: count(n), value: n };
            }),
          ];
        }),
      },
    };
  },
};
