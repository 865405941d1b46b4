import { readFileSync, writeFileSync } from 'node:fs';
import { tableFromIPC, Vector } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { readParquet } from 'parquet-wasm/node';
import { arrowSchema } from '../../../src/tables/arrow-schema.js';
import { createBatchBuilder } from '../../../src/tables/batch-builder.js';
import type { Compression } from '../../../src/tables/parquet/compression.js';
import { ParquetWriter } from '../../../src/tables/parquet/parquet-writer.js';
import type { AnyRow, TableSpec } from '../../../src/tables/table-spec.js';
import { duckRows, plain } from '../duck.js';

export interface TableFile {
  readonly path: string;
  readonly spec: TableSpec;
  /** rows of each row group */
  readonly groups: readonly (readonly AnyRow[])[];
  readonly compression?: Compression;
}

/** Writes a table, with statistics of every column that is no list, and gives the bytes of the file. */
export async function writeTable({ path, spec, groups, compression = 'zstd' }: TableFile): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const statistics = new Set(
    spec.columns.filter(({ type }) => !type.startsWith('list')).map(({ name }) => name),
  );
  const writer = await ParquetWriter.open(
    { schema: arrowSchema(spec), compression, statistics, keys: [['k', 'v']] },
    // the writer uses its memory again
    async (bytes) => void pieces.push(Buffer.from(bytes)),
  );
  const builder = createBatchBuilder(spec);
  for (const rows of groups) {
    for (const row of rows) builder.append(row as never);
    await writer.write(builder.flush());
  }
  await writer.end();
  const bytes = Buffer.concat(pieces);
  writeFileSync(path, bytes);
  return bytes;
}

type Rows = readonly unknown[];

/** Readers that share no code with the writer nor with each other; rows as plain values. */
export const READERS: Readonly<Record<string, (path: string) => Promise<Rows>>> = {
  async hyparquet(path) {
    const file = Uint8Array.from(readFileSync(path)).buffer;
    return (await parquetReadObjects({ file, compressors })).map(plain);
  },
  async DuckDB(path) {
    return (await duckRows(`SELECT * FROM read_parquet('${path}')`)).map(plain);
  },
  async 'parquet-wasm'(path) {
    const stream = readParquet(readFileSync(path)).intoIPCStream();
    return tableFromIPC(stream)
      .toArray()
      .map((row) => arrowPlain(row.toJSON()));
  },
};

/** Arrow's vectors as lists; those without nulls at once, since one by one is slow. */
function arrowPlain(value: unknown): unknown {
  if (value instanceof Vector)
    return value.nullCount === 0 ? plain(value.toArray()) : Array.from(value, plain);
  if (value === null || typeof value !== 'object') return plain(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, arrowPlain(item)]));
}
