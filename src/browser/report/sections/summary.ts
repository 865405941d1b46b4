import { el } from '../../common/dom.js';
import { count, counted, percent } from '../../common/numbers.js';
import type { Page } from '../page.js';
import { intervalText, valueText } from '../parts/figure-text.js';
import type { View } from '../view.js';

interface Tile {
  readonly name: string;
  readonly value: string;
  readonly detail: string;
}

/** The corpus in a dozen numbers. */
export function summaryTiles(page: Page): HTMLElement {
  const list = el('dl', { class: 'tiles', id: 'summary-tiles' });
  page.onChange(list, () => {
    list.replaceChildren(
      ...tilesOf(page.view).map(({ name, value, detail }) =>
        el(
          'div',
          { class: 'tile' },
          el('dt', {}, name),
          el('dd', {}, el('strong', {}, value), el('span', {}, detail)),
        ),
      ),
    );
  });
  return list;
}

function tilesOf(view: View): Tile[] {
  const { trajectories, rows, runs, lengths } = view;
  const decided = trajectories.filter(({ decision }) => decision !== 'rejected').length;
  const windows = runs.flatMap((run) => run.windows);
  // a corpus of windows alone has its tokens there
  const [held, where] =
    rows.length > 0 || lengths.length === 0 ? [rows, 'training rows'] : [lengths, 'windows'];
  const tokens = sum(held.map((row) => row.n_tokens));
  const trained = sum(held.map((row) => row.n_trained));
  const kept = trajectories.filter(({ decision }) => decision === 'kept').length;
  const distinct = (values: readonly (string | null)[]): number =>
    new Set(values.filter((value) => value !== null)).size;
  return [
    { name: 'Read', value: count(decided + view.rejected), detail: 'trajectories and records' },
    { name: 'Kept', value: count(kept), detail: shareOf(view, 'funnel', 'decision', 'kept') },
    {
      name: 'Rejected',
      value: count(view.rejected),
      detail: shareOf(view, 'funnel', 'decision', 'rejected'),
    },
    {
      name: 'Training rows',
      value: count(rows.length),
      detail: `of ${counted(view.prefixes.length, 'prefix', 'prefixes')}`,
    },
    { name: 'Tokens', value: count(tokens), detail: `in ${where}` },
    {
      name: 'Trained tokens',
      value: count(trained),
      detail: tokens === 0 ? `no ${where}` : `${percent(trained / tokens)} of the tokens`,
    },
    {
      name: 'Windows',
      value: count(windows.length),
      detail: `of ${counted(sum(runs.map((run) => run.executions.length)), 'execution')}`,
    },
    { name: 'Mean reward', ...meanReward(view) },
    {
      name: 'Tasks',
      value: count(distinct(trajectories.map((row) => row.task_id))),
      detail: 'named by the logs',
    },
    {
      name: 'Models',
      value: count(distinct(trajectories.map((row) => row.model))),
      detail: `on ${counted(distinct(trajectories.map((row) => row.scaffold)), 'scaffold')}`,
    },
  ];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function shareOf(view: View, section: string, key: string, name: string): string {
  const figure = view.figuresOf(section).find((each) => each.key === key && each.figure === name);
  if (figure === undefined) return 'nothing was read';
  return `${valueText(figure, figure.value)} (95%: ${intervalText(figure)})`;
}

function meanReward(view: View): { value: string; detail: string } {
  const figure = view.figuresOf('rewards').find((each) => each.key === 'all' && each.figure === 'mean');
  if (figure === undefined || figure.value === null) return { value: '–', detail: 'no window pays' };
  return {
    value: valueText(figure, figure.value),
    detail: `95%: ${intervalText(figure)}, n = ${count(figure.n)}`,
  };
}
