import { el } from '../../common/dom.js';
import { count, counted } from '../../common/numbers.js';
import type { Choice, LegendItem, Panel } from '../parts/panel.js';
import { trajectoryCell } from '../trajectory-link.js';
import type { View } from '../view.js';
import { scoreChart } from './score-chart.js';
import { SCALES, type Scale, scoreLines } from './score-lines.js';

/** Charts beside each other, and lines in one of them. */
const SHOWN_TASKS = 6;
const SHOWN_LINES = 40;
const MOST = '';

const LEGEND: readonly LegendItem[] = [
  { text: 'kept', colour: 'var(--c1)', mark: 'line' },
  { text: 'anchor: a kept prefix ends here', colour: 'var(--c2)', mark: 'ring' },
  { text: 'cut tail, or not kept', colour: 'var(--c8)', mark: 'dashes' },
];

const scaleOf = (view: View): Scale[] =>
  (Object.keys(SCALES) as Scale[]).filter((scale) =>
    view.runs.some(({ executions }) => executions.some((each) => each[scale] !== null)),
  );

const CHOICES: readonly Choice[] = [
  {
    name: 'task',
    label: 'Task',
    options: (view) => {
      const tasks = [
        ...new Set(scaleOf(view).flatMap((scale) => scoreLines(view, scale).map(({ task }) => task))),
      ];
      const names = tasks.map((task) => [task, task] as const);
      return tasks.length === 1 ? names : [[MOST, 'those with most scores'], ...names];
    },
  },
  { name: 'scale', label: 'Scale', options: (view) => scaleOf(view).map((scale) => [scale, SCALES[scale]]) },
  {
    name: 'x',
    label: 'Along',
    options: () => [
      ['order', 'executions'],
      ['turn', 'turns'],
    ],
  },
];

export const scorePanel: Panel = {
  id: 'scores-chart',
  title: 'Scores along trajectories',
  lead: 'Every score that a log holds, in the order in which it was made. Up is better wherever the direction of the metric is known.',
  isWide: true,
  choices: CHOICES,
  draw: ({ view, page, width, chosen }) => {
    const scale = (chosen['scale'] || 'score_test') as Scale;
    const tasks = scoreLines(view, scale);
    if (tasks.length === 0) {
      return { chart: null, sentence: 'No execution of these trajectories has a score.', table: null };
    }
    const one = tasks.find(({ task }) => task === chosen['task']);
    const shown = one === undefined ? tasks.slice(0, SHOWN_TASKS) : [one];
    const columns = shown.length === 1 ? 1 : Math.max(1, Math.min(3, Math.floor(width / 360)));
    const cut = shown.map(({ task, lines }) => ({
      task,
      lines: lines.slice(0, SHOWN_LINES),
      of: lines.length,
    }));
    const drawn = cut.map(({ task, lines, of }) => ({
      task,
      of,
      n: lines.length,
      ...scoreChart({
        task,
        record: view.tasks.get(task),
        lines,
        x: chosen['x'] === 'turn' ? 'turn' : 'order',
        scale: SCALES[scale],
        width: Math.floor((width - 16 * (columns - 1)) / columns),
        height: columns === 1 ? 360 : 260,
      }),
    }));
    const grid = el(
      'div',
      { class: 'multiples' },
      ...drawn.map(({ task, chart, n, of }) =>
        el(
          'div',
          {},
          el(
            'h4',
            {},
            task,
            el(
              'span',
              { class: 'muted' },
              ` ${n < of ? `${count(n)} of ${count(of)} trajectories` : counted(n, 'trajectory', 'trajectories')}`,
            ),
          ),
          chart,
        ),
      ),
    );
    grid.style.setProperty('--columns', String(columns));
    const lines = drawn.reduce((sum, { n }) => sum + n, 0);
    const all = tasks.reduce((sum, task) => sum + task.lines.length, 0);
    const sampled =
      lines < all
        ? `Drawn: ${count(lines)} of ${count(all)} trajectories with scores, ${count(shown.length)} of ${counted(tasks.length, 'task')}; of a task the first ${SHOWN_LINES} by id, which is a random draw.`
        : null;
    const notes = [sampled, ...drawn.map(({ note }) => note)].filter((note) => note !== null);
    return {
      chart: grid,
      sentence: `Scores on the ${SCALES[scale]} scale, of ${counted(shown.length, 'task')}; thresholds of the task are dashed lines.`,
      legend: LEGEND,
      note: notes.length === 0 ? null : notes.join(' '),
      table: {
        caption: 'The scores that are drawn',
        columns: [
          { title: 'trajectory' },
          { title: 'task' },
          { title: 'execution', isNumber: true },
          { title: 'turn', isNumber: true },
          { title: 'score', isNumber: true },
          { title: 'selection' },
        ],
        rows: cut.flatMap(({ task, lines: own }) =>
          own.flatMap(({ run, points }) =>
            points.map(({ order, turn, score, state }) => [
              trajectoryCell(page, run.trajectory_id),
              task,
              { text: count(order), value: order },
              { text: count(turn), value: turn },
              { text: String(score), value: score },
              state,
            ]),
          ),
        ),
      },
    };
  },
};
