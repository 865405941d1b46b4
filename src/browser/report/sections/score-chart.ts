import { axisX, axisY, dot, gridY, line, pointer, ruleY, text, tip } from '@observablehq/plot';
import { count, counted, short } from '../../common/numbers.js';
import type { TaskRecord } from '../facts.js';
import { chart, TIP } from '../parts/chart.js';
import { scoreAxis, spreadValues } from './score-axis.js';
import type { ScoreLine, ScorePoint } from './score-lines.js';

interface ScoreChartOptions {
  readonly task: string;
  readonly record: TaskRecord | undefined;
  readonly lines: readonly ScoreLine[];
  readonly x: 'order' | 'turn';
  readonly scale: string;
  readonly width: number;
  readonly height: number;
}

const TIERS = ['gold', 'silver', 'bronze', 'median'] as const;

/** The scores along the runs of one task, thresholds as lines. Up is always better. */
export function scoreChart(options: ScoreChartOptions): { chart: Element; note: string | null } {
  const { task, record, lines, x, scale, width, height } = options;
  const isLower = record?.is_lower_better ?? false;
  const tiers = TIERS.flatMap((tier) => {
    const value = scale === 'test' ? (record?.thresholds?.[tier] ?? null) : null;
    return value === null ? [] : [{ tier, value, colour: `var(--${tier})` }];
  });
  const scores = lines.flatMap(({ points }) => points.map(({ score }) => score));
  const { low, high, beyond } = scoreAxis(
    scores,
    tiers.map(({ value }) => value),
  );
  const clamp = (score: number): number => Math.min(high, Math.max(low, score));
  const drawn = lines.flatMap(({ run, points }) =>
    points.map((point) => ({
      ...point,
      run: run.trajectory_id + run.source_path,
      y: clamp(point.score),
      tip: tipOf(run.trajectory_id, point),
    })),
  );
  const room = height - 60;
  const places = spreadValues({ values: tiers.map(({ value }) => value), gap: (12 * (high - low)) / room });
  const labels = tiers.map((tier, i) => ({ ...tier, place: places[i] ?? tier.value }));
  const end = drawn.reduce((most, point) => Math.max(most, point[x]), 1);
  const direction =
    record === undefined ? 'direction unknown' : isLower ? 'lower is better' : 'higher is better';
  const name = record?.metric ?? 'score';
  const solid = drawn.filter(({ state }) => state === 'kept' || state === 'anchor');
  const grey = drawn.filter(({ state }) => state === 'cut' || state === 'not kept');
  const svg = chart({
    label: `${scale} scores along ${counted(lines.length, 'trajectory', 'trajectories')} of ${task}, ${direction}.`,
    width,
    height,
    marginLeft: 58,
    marginRight: tiers.length > 0 ? 58 : 16,
    marginTop: 26,
    x: { domain: [x === 'order' ? 1 : 0, Math.max(end, 2)], insetRight: 10 },
    y: { domain: isLower ? [high, low] : [low, high] },
    color: { type: 'identity' },
    marks: [
      gridY({ stroke: 'var(--line)', strokeOpacity: 1 }),
      axisX({
        label: x === 'order' ? 'execution →' : 'turn →',
        ticks: Math.max(2, Math.min(end, Math.floor(width / 80))),
        tickFormat: (v: number) => (Number.isInteger(v) ? count(v) : ''),
      }),
      axisY({
        label: `↑ ${name}, ${direction}`,
        tickFormat: short,
        ticks: Math.max(3, Math.floor(height / 50)),
      }),
      ruleY(tiers, { y: 'value', stroke: 'colour', strokeWidth: 1.5, strokeDasharray: '6,3' }),
      text(labels, {
        y: 'place',
        text: 'tier',
        fill: 'colour',
        frameAnchor: 'right',
        textAnchor: 'start',
        dx: 5,
        fontWeight: 600,
      }),
      line(tails(lines, clamp, x), {
        x: 'x',
        y: 'y',
        z: 'run',
        stroke: 'var(--c8)',
        strokeOpacity: 0.55,
        strokeWidth: 1.25,
        strokeDasharray: '3,3',
      }),
      line(solid, { x, y: 'y', z: 'run', stroke: 'var(--c1)', strokeOpacity: 0.7, strokeWidth: 1.5 }),
      dot(grey, { x, y: 'y', r: 2.5, fill: 'var(--c8)', fillOpacity: 0.6 }),
      dot(solid, { x, y: 'y', r: 3, fill: 'var(--c1)' }),
      dot(
        solid.filter(({ state }) => state === 'anchor'),
        { x, y: 'y', r: 6, stroke: 'var(--c2)', strokeWidth: 2 },
      ),
      tip(drawn, pointer({ x, y: 'y', title: 'tip', ...TIP })),
    ],
  });
  const note =
    beyond === 0 ? null : `${counted(beyond, 'score')} of ${task} beyond the axis, drawn at its edge.`;
  return { chart: svg, note };
}

/** Lines of what is not kept: whole runs, and tails from the last kept score on. */
function tails(lines: readonly ScoreLine[], clamp: (score: number) => number, x: 'order' | 'turn') {
  return lines.flatMap(({ run, points }) => {
    const first = points.findIndex(({ state }) => state === 'cut' || state === 'not kept');
    if (first < 0) return [];
    return points
      .slice(Math.max(0, first - 1))
      .map((point) => ({ x: point[x], y: clamp(point.score), run: run.trajectory_id + run.source_path }));
  });
}

function tipOf(id: string, { order, turn, score, state }: ScorePoint): string {
  return `${id.slice(0, 12)}\nexecution ${order}, turn ${turn}\nscore ${score}\n${state}`;
}
