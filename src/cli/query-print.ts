import type { ResultPage } from '../browser/query/data.js';
import type { Question } from '../report/query/question.js';
import type { Paint } from './style.js';
import { formatTable, oneLine } from './table.js';

/** Places of a cell, enough for an id: longer texts are cut. */
const CELL = 64;

const thousands = (n: number): string => n.toLocaleString('en-US');

/** The rows of a page as a table, and how many are not shown. */
export function formatPage({ columns, rows, more, counted }: ResultPage, paint: Paint): string {
  const titles = columns.map(({ name, numeric }) => ({
    title: oneLine(name, CELL),
    align: numeric ? ('right' as const) : ('left' as const),
  }));
  const cells = rows.map((row) => row.map((cell) => (cell === null ? 'NULL' : oneLine(cell, CELL))));
  const table = formatTable(titles, cells, { heading: (text) => paint('bold', text) });
  const n = rows.length + more;
  if (n === 0) return `${titles.map(({ title }) => title).join('  ')}\n${paint('dim', '0 rows')}\n`;
  if (more > 0) {
    const least = counted ? '' : 'at least ';
    const line = `… ${least}${thousands(more)} more ${more === 1 ? 'row' : 'rows'} (--limit shows more, --format csv all)`;
    return `${table}${paint('dim', line)}\n`;
  }
  return `${table}${paint('dim', `${thousands(n)} ${n === 1 ? 'row' : 'rows'}`)}\n`;
}

/** The named questions with their titles and parameters. */
export function formatQuestions(questions: readonly Question[], paint: Paint): string {
  const entries = questions.map(({ name, title, description, parameters }) => {
    const values = parameters.map((each) => {
      const fallback = each.default === null ? 'any' : String(each.default);
      return `    --param ${each.name}=${each.type.toUpperCase()}  ${each.meaning} (default: ${fallback})\n`;
    });
    const said = description === '' ? '' : `    ${description}\n`;
    return `${paint('bold', `@${name}`)}  ${title}\n${said}${values.join('')}`;
  });
  return entries.join('\n');
}
