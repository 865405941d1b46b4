import { createHash } from 'node:crypto';
import { RejectError } from '../logs/reject.js';
import { readTableRows, type TableKind, type TableRow } from '../logs/table-rows.js';
import type { Siblings } from './adapter.js';
import { type ColumnMapping, chatRow } from './column-mapping.js';
import type { Verdict } from './detect.js';
import { type ReadResult, type RecordReader, readRecord, rejectResult } from './record.js';
import type { JsonObject } from './shape.js';

type Chosen = Exclude<Verdict, { adapter: null }>;

/**
 * The rows of a columnar file through the adapter that knows them: one for chat messages, or any other of single rows
 * that recognises the row as it stands. Each row fails alone.
 */
export async function* readTable(request: {
  readonly absolute: string;
  readonly path: string;
  readonly kind: TableKind;
  readonly columns: ColumnMapping;
  readonly limits: { readonly row_group_bytes: number };
  readonly judge: (row: JsonObject) => Verdict;
  readonly reader: (chosen: Chosen) => RecordReader;
}): AsyncGenerator<ReadResult> {
  const { absolute, path, kind, columns, limits } = request;
  const rows = readTableRows(absolute, kind, limits);
  let number = 0;
  for (;;) {
    let next: IteratorResult<TableRow>;
    try {
      next = await rows.next();
    } catch (error) {
      if (!(error instanceof RejectError)) throw error;
      yield rejectResult(error, { place: { ...rowPlace(path, number + 1), sha256: null }, stage: 'read' });
      return;
    }
    if (next.done === true) break;
    number++;
    yield* readRow(request, { row: next.value, number, columns });
  }
  if (number > 0) return;
  const error = new RejectError('empty_file', 'a table without rows');
  yield rejectResult(error, { place: { ...rowPlace(path, 0), line: null, sha256: null }, stage: 'read' });
}

function* readRow(
  request: Parameters<typeof readTable>[0],
  at: { row: TableRow; number: number; columns: ColumnMapping },
): Generator<ReadResult> {
  const { row, number, columns } = at;
  const sha256 = createHash('sha256').update(JSON.stringify(row)).digest('hex');
  const place = { ...rowPlace(request.path, number), sha256 };
  let input: JsonObject;
  let verdict: Verdict;
  try {
    const named = Object.keys(columns).length > 0;
    const own = named ? null : request.judge(row);
    const claimed = own !== null && own.adapter !== null && own.unit === 'line' && own.adapter.name !== CHAT;
    input = claimed ? row : chatRow(row, columns);
    verdict = claimed && own !== null ? own : request.judge(input);
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    yield rejectResult(error, { place, stage: 'format' });
    return;
  }
  if (verdict.adapter === null || verdict.unit !== 'line') {
    const names = Object.keys(row).slice(0, 12).join(', ');
    const error = new RejectError('unknown_format', `no format of rows recognises the columns ${names}`);
    yield rejectResult(error, { place, stage: 'detect' });
    return;
  }
  yield* readRecord(request.reader(verdict), { input, place, flags: [] });
}

const CHAT = 'openai-messages';

/** A row has no bytes of its own in a columnar file: its place is its number. */
function rowPlace(path: string, number: number) {
  return { path, line: number, byte_start: 0, byte_end: 0 };
}

/** What detection sees of a row: one line of a file that stands alone. */
export function rowSniff(path: string, row: JsonObject, siblings: Siblings) {
  return { path, head: '', json: undefined, lines: [row], siblings };
}
