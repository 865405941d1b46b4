import { el } from '../common/dom.js';
import { count, counted } from '../common/numbers.js';
import type { ResultPage } from './data.js';

/** Columns whose values are ids of trajectories, which the viewer opens. */
const ID_COLUMNS: ReadonlySet<string> = new Set(['trajectory_id', 'duplicate_of']);
const FULL_ID = /^[0-9a-f]{64}$/;

function cellContent(column: string, value: string | null): Node | string {
  if (value === null) return el('span', { class: 'null' }, 'NULL');
  if (!ID_COLUMNS.has(column) || !FULL_ID.test(value)) return value;
  return el('a', { href: `/view/${value}`, title: value }, `${value.slice(0, 12)}…`);
}

/** The rows as a table. Every value is text, whatever stands in it. */
export function resultTable({ columns, rows }: ResultPage): HTMLTableElement {
  const heads = columns.map(({ name, type, numeric }) =>
    el('th', { scope: 'col', class: numeric ? 'num' : '', title: type }, name),
  );
  const lines = rows.map((row) =>
    el(
      'tr',
      {},
      ...columns.map(({ name, numeric }, index) =>
        el('td', { class: numeric ? 'num' : '' }, cellContent(name, row[index] ?? null)),
      ),
    ),
  );
  return el('table', {}, el('thead', {}, el('tr', {}, ...heads)), el('tbody', {}, ...lines));
}

/** How many rows there are, and how many are shown. */
export function rowsText({ rows, more, counted: isCounted }: ResultPage, seconds: number): string {
  const time = `${seconds.toFixed(2)} s`;
  if (more === 0) return `${counted(rows.length, 'row')} in ${time}`;
  const all = `${isCounted ? '' : 'at least '}${count(rows.length + more)} rows`;
  return `The first ${count(rows.length)} of ${all} in ${time}; a download holds all`;
}
