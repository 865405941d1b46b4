import { el } from '../common/dom.js';
import { short } from '../common/numbers.js';
import type { ViewScore } from './data.js';
import type { PageState } from './page-state.js';
import { outcomeName, outcomeSign } from './turn-view.js';

const SVG = 'http://www.w3.org/2000/svg';
const SIZE = { width: 360, height: 220, left: 46, right: 58, top: 12, bottom: 30 };
/** of a chart that only shows when something ran */
const BARE_HEIGHT = 62;

type Attributes = Readonly<Record<string, string | number>>;

function svg(tag: string, attributes: Attributes, ...children: readonly (Node | string)[]): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** The scores of a run along its turns, one scale at a time; each point leads to its turn. Null without executions. */
export function scoreChart(state: PageState, jump: (position: number) => void): HTMLElement | null {
  const { scores } = state.data;
  if (scores.length === 0) return null;
  const scales = [...new Set(scores.flatMap((score) => Object.keys(score.scores)))];
  const figure = el('figure', { class: 'scores' });
  const draw = (scale: string | null): void => {
    const chart = drawing(state, { scale, jump });
    figure.querySelector('svg')?.remove();
    figure.prepend(chart);
  };
  figure.append(el('figcaption', { class: 'muted' }, caption(state, scales)));
  if (scales.length > 1) {
    const select = el(
      'select',
      { 'aria-label': 'Scale of the scores', onchange: () => draw(select.value) },
      ...scales.map((scale) => el('option', { value: scale }, outcomeName(scale))),
    );
    figure.append(select);
  }
  draw(scales[0] ?? null);
  return figure;
}

function caption({ data }: PageState, scales: readonly string[]): string {
  const direction =
    data.lower_is_better === null
      ? ''
      : data.lower_is_better
        ? ', lower is better, so the axis is turned'
        : ', higher is better';
  const name = data.metric === null ? 'Score' : `Score (${data.metric})`;
  const what = scales.length === 0 ? 'No execution has a score' : `${name} by turn${direction}`;
  return `${what}. A point leads to its turn.`;
}

interface DrawRequest {
  readonly scale: string | null;
  readonly jump: (position: number) => void;
}

function drawing(state: PageState, { scale, jump }: DrawRequest): SVGElement {
  const { data, anchor, row } = state;
  const { width, left, right, top, bottom } = SIZE;
  const thresholds = scale === 'test' ? data.thresholds : [];
  const valueIn = (score: ViewScore): number | null =>
    scale === null ? null : (score.scores[scale] ?? null);
  const values = [...data.scores.flatMap((score) => valueIn(score) ?? []), ...thresholds.map((t) => t.score)];
  const height = values.length === 0 ? BARE_HEIGHT : SIZE.height;
  const low = Math.min(...values);
  const high = Math.max(...values);
  const span = high - low || Math.abs(high) || 1;
  const last = Math.max(1, data.turns.length - 1);
  const x = (turn: number): number => left + (turn / last) * (width - left - right);
  const base = height - bottom;
  // up is better, as in the report
  const rise = (value: number): number => (data.lower_is_better === true ? high - value : value - low) / span;
  const y = (value: number): number => base - 14 - rise(value) * (base - 24 - top);
  const label = `Scores by turn, ${data.scores.length} executions`;
  const chart = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': label });
  if (anchor !== null && row !== null && row.cut_turns > 0) {
    chart.append(
      svg('rect', {
        class: 'cut',
        x: x(anchor),
        y: top,
        width: Math.max(0, width - right - x(anchor)),
        height: base - top,
      }),
    );
  }
  chart.append(svg('line', { class: 'axis', x1: left, x2: width - right, y1: base, y2: base }));
  for (const tick of [0, Math.round(last / 2), last]) {
    const { number } = data.turns[tick] ?? { number: tick };
    chart.append(svg('text', { x: x(tick), y: base + 14, 'text-anchor': 'middle' }, String(number)));
  }
  chart.append(
    svg('text', { class: 'title', x: x(last / 2), y: height - 3, 'text-anchor': 'middle' }, 'turn'),
  );
  if (values.length > 0) {
    for (const value of new Set([low, high])) {
      chart.append(svg('text', { x: left - 6, y: y(value) + 3, 'text-anchor': 'end' }, short(value)));
    }
  }
  let taken = Number.POSITIVE_INFINITY;
  for (const { name, score } of thresholds.toSorted((a, b) => y(b.score) - y(a.score))) {
    // labels of close thresholds give way upwards
    taken = Math.min(y(score) + 3, taken - 11);
    chart.append(
      svg('line', { class: `threshold ${name}`, x1: left, x2: width - right, y1: y(score), y2: y(score) }),
      svg('text', { class: `threshold ${name}`, x: width - right + 4, y: taken }, name),
    );
  }
  if (anchor !== null) {
    chart.append(
      svg('line', { class: 'anchor', x1: x(anchor), x2: x(anchor), y1: top, y2: base }),
      svg('text', { class: 'anchor', x: x(anchor), y: top - 2, 'text-anchor': 'middle' }, '⚓'),
    );
  }
  const points = data.scores.flatMap((score) => {
    const value = valueIn(score);
    return value === null ? [] : [`${x(score.turn)},${y(value)}`];
  });
  if (points.length > 1) chart.append(svg('polyline', { class: 'curve', points: points.join(' ') }));
  for (const score of data.scores) {
    const value = valueIn(score);
    const at = { x: x(score.turn), y: value === null ? base - 3 : y(value) };
    chart.append(point(score, { at, value, jump, state }));
  }
  return chart;
}

function point(
  score: ViewScore,
  {
    at,
    value,
    jump,
    state,
  }: {
    at: { readonly x: number; readonly y: number };
    value: number | null;
    jump: DrawRequest['jump'];
    state: PageState;
  },
): SVGElement {
  const turn = state.data.turns[score.turn];
  const said = value === null ? 'no score' : `score ${value}`;
  const void_ = score.invalidated ? ', invalidated' : '';
  const label = `Turn ${turn?.number ?? score.turn}: ${outcomeName(score.outcome)}, ${said}${void_}`;
  const link = svg(
    'a',
    { href: `#${turn?.anchor ?? ''}`, class: 'point', 'data-outcome': score.outcome, 'aria-label': label },
    svg('title', {}, `${label} (${score.execution})`),
    svg('circle', { class: 'hit', cx: at.x, cy: at.y, r: 9 }),
    svg('text', { x: at.x, y: at.y + 4, 'text-anchor': 'middle' }, outcomeSign(score.outcome)),
  );
  link.addEventListener('click', (event) => {
    event.preventDefault();
    jump(score.turn);
  });
  return link;
}
