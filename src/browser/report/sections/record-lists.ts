import { el } from '../../common/dom.js';
import { count, counted } from '../../common/numbers.js';
import type { RejectRecord } from '../data.js';
import type { TrajectoryRow } from '../facts.js';
import { words } from '../names.js';
import type { Page } from '../page.js';
import { disclosure } from '../parts/disclosure.js';
import { type Cell, tableOf } from '../parts/table.js';
import { trajectoryCell } from '../trajectory-link.js';
import { funnelBars } from './funnel.js';

/** Rows of a list that are put in at a time. */
const STEP = 100;

/** For each decision and reason what it fell on: one disclosure each. */
export function recordLists(page: Page): HTMLElement {
  const host = el('div', { class: 'lists', id: 'funnel-lists' });
  const title = el('h3', { id: 'lists-title' }, 'Lists');
  const frame = el('article', { class: 'panel wide', id: 'lists', 'aria-labelledby': title.id }, title, host);
  page.onChange(frame, () => {
    const lists = listsOf(page);
    host.replaceChildren(
      ...(lists.length > 0 ? lists : [el('p', { class: 'empty' }, 'There is nothing to list.')]),
    );
  });
  return frame;
}

function listsOf(page: Page): Node[] {
  const { view, data } = page;
  return funnelBars(view).map(({ id, decision, name, n }) => {
    const title = decision === name ? words(name) : `${decision}: ${words(name)}`;
    const meaning = data.meanings[name];
    return disclosure({
      id: `list-${id}`,
      summary: `${count(n)} ${title}${meaning === undefined ? '' : ` – ${meaning}`}`,
      build: () =>
        decision === 'rejected'
          ? rejectList(
              page,
              view.rejects.filter(({ code }) => code === name),
              { title, n },
            )
          : trajectoryList(
              page,
              view.trajectories.filter(
                (row) => row.decision === decision && (row.reason ?? decision) === name,
              ),
              { title, n },
            ),
    });
  });
}

interface ListOptions {
  readonly title: string;
  /** how many there are, of which the page may hold fewer */
  readonly n: number;
}

function trajectoryList(page: Page, rows: readonly TrajectoryRow[], { title, n }: ListOptions): Node {
  return growing(rows, {
    caption: title,
    n,
    columns: ['trajectory', 'task', 'model', 'source', 'why'],
    cells: (row) => [
      trajectoryCell(page, row.trajectory_id),
      row.task_id ?? '–',
      row.model ?? '–',
      row.source_path,
      [row.detail, row.duplicate_of === null ? null : `stands for it: ${row.duplicate_of.slice(0, 12)}`]
        .filter((text) => text !== null)
        .join('; ') || '–',
    ],
  });
}

function rejectList(page: Page, rows: readonly RejectRecord[], { title, n }: ListOptions): Node {
  return growing(rows, {
    caption: title,
    n,
    columns: ['source', 'line', 'stage', 'message', 'trajectory'],
    cells: (row) => [
      row.source,
      row.line === null ? '–' : count(row.line),
      row.stage || '–',
      row.message,
      row.trajectory_id === null ? '–' : trajectoryCell(page, row.trajectory_id),
    ],
  });
}

interface GrowingOptions<T> {
  readonly caption: string;
  readonly n: number;
  readonly columns: readonly string[];
  readonly cells: (row: T) => readonly Cell[];
}

/** A table that shows its first rows, and more when asked. */
function growing<T>(rows: readonly T[], { caption, n, columns, cells }: GrowingOptions<T>): Node {
  const host = el('div');
  if (rows.length === 0)
    return el('p', { class: 'empty' }, 'The page holds none of them: they are in rejects.jsonl of the run.');
  const show = (upTo: number): void => {
    const shown = rows.slice(0, upTo);
    const held = rows.length < n ? `; the page holds ${count(rows.length)}` : '';
    const counts = `${caption}: ${count(shown.length)} of ${counted(n, 'record')}${held}`;
    const table = tableOf({
      caption: counts,
      columns: columns.map((title) => ({ title })),
      rows: shown.map(cells),
    });
    const more = el(
      'button',
      { type: 'button', onclick: () => show(upTo + STEP) },
      `Show ${count(Math.min(STEP, rows.length - shown.length))} more`,
    );
    host.replaceChildren(table, ...(shown.length < rows.length ? [more] : []));
  };
  show(STEP);
  return host;
}
