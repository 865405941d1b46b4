import { el } from '../../common/dom.js';
import { count, counted } from '../../common/numbers.js';
import type { Page } from '../page.js';
import { disclosure } from '../parts/disclosure.js';
import { type Cell, tableOf } from '../parts/table.js';

/** Tokens of a table or file; those without token columns have none to count. */
const tokensCell = (tokens: number): Cell => (tokens === 0 ? '–' : { text: count(tokens), value: tokens });

/** What the corpus was made by and from, and the files that it consists of. The filters do not touch it. */
export function lineageParts({ data }: Page): HTMLElement {
  const { lineage, files, n_files: all, totals } = data;
  return el(
    'div',
    { id: 'lineage-parts' },
    el(
      'dl',
      { class: 'pairs' },
      ...lineage.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, el('code', {}, value))]),
    ),
    totals.length === 0
      ? null
      : tableOf({
          caption: 'Tables of the corpus',
          columns: [
            { title: 'table' },
            { title: 'rows', isNumber: true },
            { title: 'tokens', isNumber: true },
          ],
          rows: totals.map(({ table, rows, tokens }) => [
            table,
            { text: count(rows), value: rows },
            tokensCell(tokens),
          ]),
        }),
    disclosure({
      id: 'lineage-files',
      summary: `${counted(all, 'file')} with sha256`,
      build: () =>
        tableOf({
          caption: files.length < all ? `The first ${count(files.length)} of ${count(all)} files` : 'Files',
          columns: [
            { title: 'file' },
            { title: 'rows', isNumber: true },
            { title: 'tokens', isNumber: true },
            { title: 'bytes', isNumber: true },
            { title: 'sha256' },
          ],
          rows: files.map(({ path, rows, tokens, bytes, sha256 }) => [
            path,
            { text: count(rows), value: rows },
            tokensCell(tokens),
            { text: count(bytes), value: bytes },
            el('code', {}, sha256),
          ]),
        }),
    }),
  );
}
