/** What a user of SQL did wrong, in one line that says where. */
export class SqlMistake extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SqlMistake';
  }
}

const flat = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** Line and column, from 1, of an offset in UTF-16 units. */
export function placeOf(sql: string, offset: number): string {
  const before = sql.slice(0, offset).split('\n');
  return `line ${before.length}, column ${Array.from(before.at(-1) ?? '').length + 1}`;
}

/** Offset in UTF-16 units of an offset in characters, which is what the parser counts. */
export function characterOffset(sql: string, characters: number): number {
  return Array.from(sql).slice(0, characters).join('').length;
}

/**
 * DuckDB shows the place as a line of the statement with a caret below, cut with dots where it is long. The offset
 * there, or null.
 */
function caretOffset(sql: string, shown: readonly string[]): number | null {
  const index = shown.findIndex((line) => /^LINE \d+: /.test(line));
  const caret = shown[index + 1]?.indexOf('^') ?? -1;
  const [label = '', number = ''] = /^LINE (\d+): /.exec(shown[index] ?? '') ?? [];
  if (label === '' || caret < label.length) return null;
  const lines = sql.split('\n');
  const line = lines[Number(number) - 1] ?? '';
  const excerpt = (shown[index] ?? '').slice(label.length);
  const dots = excerpt.startsWith('...') ? 3 : 0;
  const core = excerpt.slice(dots).replace(/\.\.\.$/, '');
  const start = line.indexOf(core);
  if (start === -1) return null;
  const before = lines.slice(0, Number(number) - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return before + start + caret - label.length - dots;
}

/** What looks like a column that does not exist is often a text: one in double quotes, or one that is compared with. */
function textHint(said: string, sql: string, place: number | null): string[] {
  const name = /Referenced column "([^"]+)" not found/.exec(said)?.[1];
  if (name === undefined || place === null) return [];
  const isCompared = /(=|[<>]|\b(LIKE|IN\s*\())\s*$/i.test(sql.slice(0, place));
  return sql[place] === '"' || isCompared ? [`(a text takes single quotes: '${name}')`] : [];
}

/**
 * One line of an error of DuckDB: its first line, its hint, and the place in the statement. Without a place where
 * DuckDB gives none.
 */
export function mistakeLine(message: string, sql: string): string {
  const lines = message.split('\n');
  const place = caretOffset(sql, lines);
  const hint = lines.find((line) => /^(Did you mean|Candidate bindings)/.test(line));
  const said = [
    lines[0] ?? '',
    ...(hint === undefined ? [] : [hint]),
    ...textHint(lines[0] ?? '', sql, place),
  ]
    .map(flat)
    .join(' ');
  return place === null ? said : `${placeOf(sql, place)}: ${said}`;
}
