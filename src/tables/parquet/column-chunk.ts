import type { Data } from 'apache-arrow';
import { valuesAt } from './arrow-values.js';
import type { ByteWriter } from './byte-writer.js';
import { type ColumnShape, shapeOf } from './column-shape.js';
import { ENCODING, type EncodableValues, type PlainValues } from './column-values.js';
import type { PageOutput, PageSizes } from './page-output.js';
import type { Leaf } from './schema.js';
import { binary, i32, i64, list, struct, type ThriftValue, text } from './thrift.js';

/** A page ends before its values would exceed this, at the end of a row: readers hold whole pages. */
const PAGE_BYTES = 2 ** 20;

const PAGE = { data: 0, dictionary: 2 } as const;

/** A column chunk as it lies in the file. */
export interface WrittenChunk {
  /** for the footer */
  readonly chunk: ThriftValue;
  readonly start: number;
  readonly plain: number;
  readonly compressed: number;
}

/** Ends of the pages of a chunk, in rows: as many rows as fit, but at least one. */
function* pageEnds({ rows, bounds }: ColumnShape, values: EncodableValues): Generator<number> {
  let start = 0;
  for (let row = 1; row < rows; row++) {
    if (values.bytes(bounds[start] ?? 0, bounds[row + 1] ?? 0) <= PAGE_BYTES) continue;
    yield row;
    start = row;
  }
  if (rows > 0) yield rows;
}

/**
 * Bounds that let readers skip a row group; of lists nobody asks for them. Copies: they wait for the footer, when the
 * column is long gone.
 */
function statisticsOf(shape: ColumnShape, values: PlainValues): ThriftValue {
  const range = values.range();
  return struct({
    3: i64(shape.nulls),
    5: range === null ? undefined : binary(range.greatest.slice()),
    6: range === null ? undefined : binary(range.least.slice()),
  });
}

export interface ChunkOptions {
  readonly leaf: Leaf;
  readonly data: Data;
  readonly hasStatistics: boolean;
  /** memory for a page, used again and again */
  readonly body: ByteWriter;
}

/** Writes the pages of a column of a row group: by a dictionary where its values repeat, else as they are. */
export async function writeChunk(
  output: PageOutput,
  { leaf, data, hasStatistics, body }: ChunkOptions,
): Promise<WrittenChunk> {
  const { shape, values: elements } = shapeOf(data, leaf.isList);
  const plain = valuesAt(elements, shape.places);
  const indexed = plain.dictionary();
  const values = indexed ?? plain;

  let dictionary: PageSizes | null = null;
  if (indexed !== null) {
    const { count, encoding } = indexed.dictionary;
    body.clear();
    indexed.dictionary.write(0, count, body);
    const header = struct({ 1: i32(count), 2: i32(encoding) });
    dictionary = await output.page(PAGE.dictionary, body.written, { 7: header });
  }

  const pages: PageSizes[] = [];
  let levels = 0;
  let row = 0;
  for (const end of pageEnds(shape, values)) {
    body.clear();
    const count = shape.writeLevels(row, end, body);
    values.write(shape.bounds[row] ?? 0, shape.bounds[end] ?? 0, body);
    const rle = i32(ENCODING.rle);
    const header = struct({ 1: i32(count), 2: i32(values.encoding), 3: rle, 4: rle });
    pages.push(await output.page(PAGE.data, body.written, { 5: header }));
    levels += count;
    row = end;
  }

  const all = dictionary === null ? pages : [dictionary, ...pages];
  const sum = (key: 'plain' | 'compressed'): number => all.reduce((total, page) => total + page[key], 0);
  const sizes = { plain: sum('plain'), compressed: sum('compressed'), start: all[0]?.start ?? 0 };
  const encodings = [...new Set([ENCODING.plain, ENCODING.rle, values.encoding])];
  const pagesOf = (type: number, encoding: number, count: number): ThriftValue =>
    struct({ 1: i32(type), 2: i32(encoding), 3: i32(count) });
  const metadata = struct({
    1: i32(leaf.physical),
    2: list(encodings.map(i32)),
    3: list(leaf.path.map(text)),
    4: i32(output.codec),
    5: i64(levels),
    6: i64(sizes.plain),
    7: i64(sizes.compressed),
    9: i64(pages[0]?.start ?? 0),
    11: dictionary === null ? undefined : i64(dictionary.start),
    12: hasStatistics ? statisticsOf(shape, plain) : undefined,
    13: list([
      ...(dictionary === null ? [] : [pagesOf(PAGE.dictionary, ENCODING.plain, 1)]),
      pagesOf(PAGE.data, values.encoding, pages.length),
    ]),
  });
  // the offset is the one that the format calls deprecated and wants to be 0
  return { chunk: struct({ 2: i64(0), 3: metadata }), ...sizes };
}
