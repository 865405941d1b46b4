import type { Data, List } from 'apache-arrow';
import type { ByteWriter } from './byte-writer.js';
import { HybridEncoder } from './hybrid-encoder.js';

/** Places of the values of a column among the elements of its Arrow data: a range, or each where nulls lie between. */
export type Places = { readonly from: number; readonly to: number } | Int32Array;

/** How the values of a column are spread over its rows. */
export interface ColumnShape {
  readonly rows: number;
  /** null rows; of a list also those elements that are null do not count */
  readonly nulls: number;
  readonly places: Places;
  /** values before each row, and in all of them */
  readonly bounds: Int32Array;
  /** Writes the levels of rows as a data page begins; gives how many. */
  writeLevels(from: number, to: number, out: ByteWriter): number;
}

/** Levels: runs behind the number of their bytes. */
function writeRuns(width: number, out: ByteWriter, fill: (encoder: HybridEncoder) => void): void {
  const start = out.length;
  out.uint32(0);
  const encoder = new HybridEncoder(width, out);
  fill(encoder);
  encoder.finish();
  out.setUint32(start, out.length - start - 4);
}

/** Tells of each element whether it is not null; null where all are. */
function validityOf({ nullCount, nullBitmap, offset }: Data): ((index: number) => boolean) | null {
  if (nullCount === 0) return null;
  return (index) => {
    const bit = offset + index;
    return (((nullBitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  };
}

/** The places of those that a filter lets pass, and how many come before each. */
function placesOf(
  count: number,
  passes: (index: number) => boolean,
): [places: Int32Array, before: Int32Array] {
  const places = new Int32Array(count);
  const before = new Int32Array(count + 1);
  let length = 0;
  for (let i = 0; i < count; i++) {
    if (passes(i)) places[length++] = i;
    before[i + 1] = length;
  }
  return [places.subarray(0, length), before];
}

function flatShape(data: Data): ColumnShape {
  const isValid = validityOf(data);
  const rows = data.length;
  const [places, bounds] = placesOf(rows, isValid ?? (() => true));
  return {
    rows,
    nulls: rows - places.length,
    places: isValid === null ? { from: 0, to: rows } : places,
    bounds,
    writeLevels(from, to, out) {
      writeRuns(1, out, (levels) => {
        if (isValid === null) levels.run(1, to - from);
        else for (let row = from; row < to; row++) levels.run(isValid(row) ? 1 : 0, 1);
      });
      return to - from;
    },
  };
}

/** Definition levels of a list: no list, no element, no value, a value. */
const LEVEL = { null: 0, empty: 1, nullElement: 2, value: 3 } as const;

function listShape(data: Data<List>): ColumnShape {
  const [child] = data.children;
  if (child === undefined) throw new RangeError('a list without elements');
  const { length: rows, valueOffsets } = data;
  const isList = validityOf(data);
  const isValue = validityOf(child);
  const start = (row: number): number => valueOffsets[row] ?? 0;
  const lengthOf = (row: number): number => start(row + 1) - start(row);
  for (let row = 0; isList !== null && row < rows; row++) {
    if (!isList(row) && lengthOf(row) > 0) throw new RangeError(`row ${row} is null and has elements`);
  }

  const first = start(0);
  const bounds = new Int32Array(rows + 1);
  let places: Places = { from: first, to: start(rows) };
  if (isValue === null) {
    for (let row = 0; row <= rows; row++) bounds[row] = start(row) - first;
  } else {
    const [values, before] = placesOf(child.length, isValue);
    const skipped = before[first] ?? 0;
    places = values.subarray(skipped, before[start(rows)]);
    for (let row = 0; row <= rows; row++) bounds[row] = (before[start(row)] ?? 0) - skipped;
  }

  function pushDefinitions(levels: HybridEncoder, row: number): void {
    const [from, to] = [start(row), start(row + 1)];
    if (isList !== null && !isList(row)) levels.run(LEVEL.null, 1);
    else if (from === to) levels.run(LEVEL.empty, 1);
    else if (isValue === null) levels.run(LEVEL.value, to - from);
    else for (let i = from; i < to; i++) levels.run(isValue(i) ? LEVEL.value : LEVEL.nullElement, 1);
  }

  return {
    rows,
    nulls: data.nullCount,
    places,
    bounds,
    writeLevels(from, to, out) {
      let count = 0;
      writeRuns(1, out, (levels) => {
        for (let row = from; row < to; row++) {
          const length = Math.max(1, lengthOf(row));
          levels.run(0, 1);
          levels.run(1, length - 1);
          count += length;
        }
      });
      writeRuns(2, out, (levels) => {
        for (let row = from; row < to; row++) pushDefinitions(levels, row);
      });
      return count;
    },
  };
}

/** The shape of a column, and the Arrow data of its single values. */
export function shapeOf(data: Data, isList: boolean): { shape: ColumnShape; values: Data } {
  if (!isList) return { shape: flatShape(data), values: data };
  const [values] = data.children;
  if (values === undefined) throw new RangeError('a list without elements');
  return { shape: listShape(data as Data<List>), values };
}
