import { TrajmillError } from '../errors.js';

/** A record of a CSV file by its header, with its line for messages. */
export interface CsvRecord {
  /** 1-based line where it begins */
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

export interface CsvTable {
  readonly header: readonly string[];
  readonly records: readonly CsvRecord[];
}

/**
 * Reads CSV (RFC 4180, with any line end and an optional byte order mark): a header and records as long as it. Blank
 * lines are skipped. Throws E_TASK_FILE with the line of the first fault.
 */
export function parseCsv(text: string, path: string): CsvTable {
  const [first, ...rest] = csvRows(text, path);
  if (first === undefined) throw fault('no header', path, 1);
  const header = first.cells.map((name) => name.trim());
  const repeated = header.find((name, i) => header.indexOf(name) !== i);
  if (repeated !== undefined) throw fault(`column ${repeated} stands twice`, path, first.line);
  const records = rest.map(({ line, cells }) => {
    if (cells.length !== header.length) {
      throw fault(`${cells.length} cells, the header has ${header.length}`, path, line);
    }
    return { line, cells: Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ''])) };
  });
  return { header, records };
}

interface Row {
  readonly line: number;
  readonly cells: string[];
}

function csvRows(text: string, path: string): Row[] {
  const rows: Row[] = [];
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  let line = 1;
  let at = 0;
  while (at < content.length) {
    const row: Row = { line, cells: [] };
    for (;;) {
      const cell = content[at] === '"' ? quoted(row.line) : plain();
      row.cells.push(cell);
      if (content[at] !== ',') break;
      at++;
    }
    at = endOfLine();
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row);
  }
  return rows;

  function plain(): string {
    const from = at;
    while (at < content.length && !',\r\n'.includes(content[at] ?? '')) at++;
    return content.slice(from, at);
  }

  function quoted(begin: number): string {
    let value = '';
    at++;
    for (;;) {
      const close = content.indexOf('"', at);
      if (close === -1) throw fault('a quote that is never closed', path, begin);
      const piece = content.slice(at, close);
      line += piece.split('\n').length - 1;
      value += piece;
      at = close + 1;
      if (content[at] !== '"') break;
      value += '"';
      at++;
    }
    if (at < content.length && !',\r\n'.includes(content[at] ?? '')) {
      throw fault('text after a closing quote', path, begin);
    }
    return value;
  }

  function endOfLine(): number {
    line++;
    return content[at] === '\r' && content[at + 1] === '\n' ? at + 2 : at + 1;
  }
}

function fault(message: string, path: string, line: number): TrajmillError {
  return new TrajmillError('E_TASK_FILE', message, { place: `${path}:${line}` });
}
