import { el } from '../../common/dom.js';

/** A cell: text, an element, or a number as it is read with its exact value. */
export type Cell = string | Node | { readonly text: string; readonly value: number | null };

export interface DataTable {
  readonly caption: string;
  readonly columns: readonly { readonly title: string; readonly isNumber?: boolean }[];
  readonly rows: readonly (readonly Cell[])[];
}

/** On paper a table ends after so many rows; on the screen it is whole. */
const PRINTED_ROWS = 25;

/** A table whose first column names the row. */
export function tableOf({ caption, columns, rows }: DataTable): HTMLElement {
  const isNumber = (i: number): boolean => columns[i]?.isNumber === true;
  const head = columns.map(({ title }, i) =>
    el('th', { scope: 'col', class: isNumber(i) ? 'num' : null }, title),
  );
  const body = rows.map((row) =>
    el(
      'tr',
      {},
      ...row.map((cell, i) =>
        i === 0
          ? el('th', { scope: 'row', class: isNumber(i) ? 'num' : null }, content(cell))
          : el('td', { class: isNumber(i) ? 'num' : null }, content(cell)),
      ),
    ),
  );
  const cut =
    rows.length > PRINTED_ROWS
      ? el('p', { class: 'paper muted' }, `On paper: the first ${PRINTED_ROWS} of ${rows.length} rows.`)
      : null;
  return el(
    'div',
    { class: 'table', tabindex: 0, role: 'region', 'aria-label': caption },
    el(
      'table',
      {},
      el('caption', {}, caption),
      el('thead', {}, el('tr', {}, ...head)),
      el('tbody', {}, ...body),
    ),
    cut,
  );
}

function content(cell: Cell): Node {
  if (typeof cell === 'string') return document.createTextNode(cell);
  if (cell instanceof Node) return cell;
  return el('data', { value: cell.value ?? '' }, cell.text);
}
