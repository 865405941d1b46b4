import { type FileHandle, open } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { TrajmillError } from '../errors.js';
import type { ColumnSpec } from './column.js';
import { actualSchema, expectedSchema, schemaDifference } from './parquet-schema.js';
import type { AnyRow, TableSpec } from './table-spec.js';

interface ReadValues {
  string: string;
  json: string;
  bool: boolean;
  int32: number;
  int64: number;
  float64: number;
  'list<int32>': Int32Array;
  'list<int8>': Int8Array;
  'list<float32>': readonly (number | null)[];
  'list<float64>': readonly (number | null)[];
  'list<string>': readonly string[];
}

/** A row as it is read back: integer lists are typed arrays. */
export type ReadRow<S extends TableSpec> = {
  readonly [C in S['columns'][number] as C['name']]:
    | ReadValues[C['type']]
    | (C['nullable'] extends false ? never : null);
};

export interface ShardFooter {
  /** key-value pairs of the footer */
  readonly keys: ReadonlyMap<string, string>;
  /** one line a schema element, see expectedSchema */
  readonly schema: readonly string[];
  readonly created_by: string | null;
  readonly rows: number;
  readonly row_groups: readonly number[];
}

const unreadable = (path: string, cause: unknown): TrajmillError =>
  new TrajmillError(
    'E_IO',
    `cannot read Parquet: ${cause instanceof Error ? cause.message : String(cause)}`,
    {
      place: path,
      cause,
    },
  );

/** Random access to an open file, as the reader wants it. */
async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      const from = start < 0 ? size + start : start;
      const bytes = new Uint8Array(end - from);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
      if (bytesRead < bytes.length) throw new RangeError(`the file ends at byte ${from + bytesRead}`);
      return bytes.buffer;
    },
  };
}

interface OpenShard {
  readonly handle: FileHandle;
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
}

/** Opens a shard and reads its footer; the caller closes the handle. */
async function openShard(path: string): Promise<OpenShard> {
  const handle = await open(path, 'r').catch((cause) => {
    throw unreadable(path, cause);
  });
  try {
    const file = await bufferOf(handle);
    return { handle, file, metadata: await parquetMetadataAsync(file) };
  } catch (cause) {
    await handle.close();
    throw unreadable(path, cause);
  }
}

function footerOf(metadata: FileMetaData): ShardFooter {
  return {
    keys: new Map((metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? ''])),
    schema: actualSchema(metadata.schema),
    created_by: metadata.created_by ?? null,
    rows: Number(metadata.num_rows),
    row_groups: metadata.row_groups.map((group) => Number(group.num_rows)),
  };
}

/** What the footer of a shard says. Throws TrajmillError E_IO where the file is no whole Parquet file. */
export async function readFooter(path: string): Promise<ShardFooter> {
  const { handle, metadata } = await openShard(path);
  await handle.close();
  return footerOf(metadata);
}

/** Integer lists in typed arrays, 64-bit integers as numbers; the rest as the reader gives it. */
function convert(column: ColumnSpec, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (column.type) {
    case 'int64':
      return safeInteger(value);
    case 'list<int32>':
      return integers(Int32Array, value);
    case 'list<int8>':
      return integers(Int8Array, value);
    default:
      return value;
  }
}

function safeInteger(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`integer ${String(value)} is beyond 2^53`);
  return number;
}

/** A null in the list would silently become 0, so it is refused. */
function integers<A extends Int32Array | Int8Array>(make: new (length: number) => A, value: unknown): A {
  const list = value as ArrayLike<number | null>;
  const array = new make(list.length);
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item !== 'number') throw new RangeError(`element ${i} of an integer list is null`);
    array[i] = item;
  }
  return array;
}

interface ShardSelection {
  readonly columns?: readonly string[];
  readonly groups?: ReadonlySet<number>;
}

/**
 * Rows of a shard in order, one row group in memory at a time. `columns` limits what is read (others are absent), `groups`
 * the row groups, by their number from 0.
 * Throws TrajmillError: E_VERIFY where the schema is not the table's, E_IO where the file cannot be read.
 */
export async function* readShard<S extends TableSpec>(
  path: string,
  spec: S,
  options: ShardSelection = {},
): AsyncGenerator<ReadRow<S>> {
  for await (const rows of readRowGroups(path, spec, options)) {
    yield* rows as ReadRow<S>[];
  }
}

async function* readRowGroups(
  path: string,
  spec: TableSpec,
  { columns: names, groups }: ShardSelection,
): AsyncGenerator<AnyRow[]> {
  const shard = await openShard(path);
  try {
    const footer = footerOf(shard.metadata);
    const difference = schemaDifference(footer.schema, expectedSchema(spec));
    if (difference !== null) {
      throw new TrajmillError(
        'E_VERIFY',
        `not a shard of table ${spec.name} as this version writes it: ${difference}`,
        {
          place: path,
        },
      );
    }
    const columns = spec.columns.filter((column) => names?.includes(column.name) ?? true);
    let rowStart = 0;
    for (const [group, count] of footer.row_groups.entries()) {
      const range = { rowStart, rowEnd: rowStart + count };
      rowStart += count;
      if (groups?.has(group) === false) continue;
      yield await readRows(shard, columns, range).catch((cause) => {
        throw unreadable(path, cause);
      });
    }
  } finally {
    await shard.handle.close();
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The reader's own decoder drops a byte order mark, which is text like any other here. */
const parsers = {
  stringFromBytes: (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : utf8.decode(bytes)),
};

async function readRows(
  { file, metadata }: OpenShard,
  columns: readonly ColumnSpec[],
  range: { readonly rowStart: number; readonly rowEnd: number },
): Promise<AnyRow[]> {
  const raw = await parquetReadObjects({
    file,
    metadata,
    compressors,
    parsers,
    columns: columns.map(({ name }) => name),
    ...range,
  });
  if (raw.length !== range.rowEnd - range.rowStart) {
    throw new RangeError(`rows ${range.rowStart} to ${range.rowEnd} hold ${raw.length}`);
  }
  return raw.map((row) =>
    Object.fromEntries(columns.map((column) => [column.name, convert(column, row[column.name])])),
  );
}
