import { open } from 'node:fs/promises';
import { type RecordBatch, RecordBatchReader } from 'apache-arrow';
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { plainValue } from './plain-value.js';
import { RejectError } from './reject.js';

export type TableKind = 'parquet' | 'arrow file' | 'arrow stream';

export type TableRow = Readonly<Record<string, unknown>>;

const ARROW_CONTINUATION = 0xffffffff;
const MAX_SCHEMA_BYTES = 16 * 1024 * 1024;

/** What kind of columnar file begins with these bytes, or null. */
export function tableKind(head: Buffer): TableKind | null {
  if (head.length < 8) return null;
  if (head.toString('latin1', 0, 4) === 'PAR1') return 'parquet';
  if (head.toString('latin1', 0, 6) === 'ARROW1') return 'arrow file';
  const length = head.readInt32LE(4);
  const stream = head.readUInt32LE(0) === ARROW_CONTINUATION && length > 0 && length <= MAX_SCHEMA_BYTES;
  return stream ? 'arrow stream' : null;
}

/**
 * The rows of a Parquet or Arrow file in order, as plain JSON values; memory holds one row group or record batch.
 *
 * @throws RejectError `bad_table` for a damaged file or a compression that is not read, `too_large` for a row group
 *   above the limit
 */
export async function* readTableRows(
  path: string,
  kind: TableKind,
  limits: { row_group_bytes: number },
): AsyncGenerator<TableRow> {
  const handle = await open(path, 'r');
  try {
    if (kind === 'parquet') {
      const { size } = await handle.stat();
      yield* parquetRows(
        {
          byteLength: size,
          async slice(start, end = size) {
            const from = start < 0 ? size + start : start;
            const bytes = new Uint8Array(Math.max(0, end - from));
            const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
            if (bytesRead < bytes.length) throw new RangeError(`the file ends at byte ${from + bytesRead}`);
            return bytes.buffer;
          },
        },
        limits,
      );
      return;
    }
    const reader =
      kind === 'arrow file'
        ? await RecordBatchReader.from(handle)
        : await RecordBatchReader.from(handle.createReadStream({ autoClose: false }));
    for await (const batch of reader as AsyncIterable<RecordBatch>) yield* batchRows(batch);
  } catch (error) {
    if (error instanceof RejectError || isSystemError(error)) throw error;
    throw new RejectError('bad_table', `${kind}: ${describe(error)}`);
  } finally {
    await handle.close();
  }
}

/** Rows of row group after row group, so that no more than one is unpacked. */
async function* parquetRows(
  file: AsyncBuffer,
  limits: { row_group_bytes: number },
): AsyncGenerator<TableRow> {
  const metadata = await parquetMetadataAsync(file);
  let start = 0;
  for (const group of metadata.row_groups) {
    const end = start + Number(group.num_rows);
    if (Number(group.total_byte_size) > limits.row_group_bytes) {
      throw new RejectError(
        'too_large',
        `a row group of ${group.total_byte_size} bytes above the limit of ${limits.row_group_bytes}`,
      );
    }
    const rows = await parquetReadObjects({ file, metadata, rowStart: start, rowEnd: end, compressors });
    for (const row of rows) yield plainRow(Object.entries(row));
    start = end;
  }
}

function* batchRows(batch: RecordBatch): Generator<TableRow> {
  const names = batch.schema.fields.map((field) => field.name);
  const columns = names.map((_, index) => batch.getChildAt(index));
  for (let row = 0; row < batch.numRows; row++) {
    yield plainRow(names.map((name, index) => [name, columns[index]?.get(row)]));
  }
}

function plainRow(entries: readonly (readonly [string, unknown])[]): TableRow {
  return Object.fromEntries(entries.map(([name, value]) => [name, plainValue(value)]));
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').slice(0, 160);
}
