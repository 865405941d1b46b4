import type { ResultPage } from '../../browser/query/data.js';
import type { Answer } from './answer.js';
import { jsonCell, textCell } from './cell.js';

/** Takes text; resolved when more may follow. */
export type TextSink = (text: string) => Promise<void>;

const csvField = (text: string | null): string => {
  if (text === null) return '';
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvLine = (fields: readonly (string | null)[]): string => `${fields.map(csvField).join(',')}\r\n`;

/** RFC 4180: lines end with CRLF; NULL is an empty field, an empty text is `""`. */
export async function writeCsv(answer: Answer, sink: TextSink): Promise<number> {
  let n = 0;
  await sink(csvLine(answer.columns.map(({ name }) => name)));
  for await (const rows of answer.blocks()) {
    n += rows.length;
    await sink(rows.map((row) => csvLine(row.map(textCell))).join(''));
  }
  return n;
}

/** One JSON array with an object a row, each on a line of its own. */
export async function writeJson(answer: Answer, sink: TextSink): Promise<number> {
  const names = answer.columns.map(({ name }) => name);
  let n = 0;
  await sink('[');
  for await (const rows of answer.blocks()) {
    const lines = rows.map((row) =>
      JSON.stringify(Object.fromEntries(names.map((name, index) => [name, jsonCell(row[index] ?? null)]))),
    );
    await sink(`${n === 0 ? '\n' : ',\n'}${lines.join(',\n')}`);
    n += rows.length;
  }
  await sink(n === 0 ? ']\n' : '\n]\n');
  return n;
}

/** UTF-16 units of a cell of a page. */
const CELL_LENGTH = 2000;
/** How long rows behind a page are counted. */
const COUNT_MILLISECONDS = 3000;

const cut = (text: string | null): string | null =>
  text === null || text.length <= CELL_LENGTH
    ? text
    : `${text.slice(0, CELL_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;

/** The first `limit` rows as one JSON document (ResultPage), with the number of those behind them. */
export async function writePage(answer: Answer, sink: TextSink, limit: number): Promise<number> {
  const rows: (string | null)[][] = [];
  let total = 0;
  let counted = true;
  const end = performance.now() + COUNT_MILLISECONDS;
  for await (const found of answer.blocks()) {
    for (const row of found.slice(0, limit - rows.length))
      rows.push(row.map((value) => cut(textCell(value))));
    total += found.length;
    if (rows.length >= limit && performance.now() > end) {
      counted = false;
      break;
    }
  }
  const page: ResultPage = { columns: answer.columns, rows, more: total - rows.length, counted };
  await sink(JSON.stringify(page));
  return rows.length;
}
