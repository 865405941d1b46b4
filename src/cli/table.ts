import { withoutDirection } from '../report/terminal-text.js';

export interface TableColumn {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

export interface TableOptions {
  readonly indent?: number;
  /** applied to the heading after it is padded */
  readonly heading?: (text: string) => string;
}

/** Columns aligned with spaces, two between; the last one is not padded. No rows, no table. */
export function formatTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  options: TableOptions = {},
): string {
  if (rows.length === 0) return '';
  const shown = rows.map((row) => row.map(withoutDirection));
  const widths = columns.map(({ title }, index) =>
    Math.max(displayWidth(title), ...shown.map((row) => displayWidth(row[index] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align = 'left' }, index) => {
        const cell = cells[index] ?? '';
        const gap = ' '.repeat((widths[index] ?? 0) - displayWidth(cell));
        return align === 'right' ? gap + cell : cell + gap;
      })
      .join('  ')
      .trimEnd();
  const pad = ' '.repeat(options.indent ?? 0);
  const heading = line(columns.map(({ title }) => title));
  const lines = [options.heading?.(heading) ?? heading, ...shown.map(line)];
  return `${lines.map((text) => pad + text).join('\n')}\n`;
}

/** Wide East Asian characters and emoji take two places, marks none. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Places that a text takes on a terminal. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** One line without control characters and marks of direction, cut with an ellipsis: a log may hold anything. */
export function oneLine(text: string, limit: number): string {
  const flat = withoutDirection(text.replace(/[\s\p{Cc}]+/gu, ' ').trim());
  return flat.length <= limit ? flat : `${flat.slice(0, limit - 1)}…`;
}
