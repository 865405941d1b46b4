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
class LevelRuns {
  readonly #out: ByteWriter;
  readonly #start: number;
  readonly #encoder: HybridEncoder;

  constructor(width: number, out: ByteWriter) {
    this.#out = out;
    this.#start = out.length;
    out.uint32(0);
    this.#encoder = new HybridEncoder(width, out);
  }

  run(level: number, count: number): void {
    this.#encoder.run(level, count);
  }

  finish(): void {
    this.#encoder.finish();
    this.#out.setUint32(this.#start, this.#out.length - this.#start - 4);
  }
}

/** Which elements are not null. */
class Validity {
  readonly all: boolean;
  readonly #bitmap: Uint8Array;
  readonly #offset: number;

  constructor({ nullCount, nullBitmap, offset }: Data) {
    this.all = nullCount === 0;
    this.#bitmap = nullBitmap;
    this.#offset = offset;
  }

  has(index: number): boolean {
    if (this.all) return true;
    const bit = this.#offset + index;
    return (((this.#bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  }

  /** The places of the valid ones among the first `count`, and how many come before each. */
  places(count: number): [places: Int32Array, before: Int32Array] {
    const places = new Int32Array(count);
    const before = new Int32Array(count + 1);
    let length = 0;
    for (let i = 0; i < count; i++) {
      if (this.has(i)) places[length++] = i;
      before[i + 1] = length;
    }
    return [places.subarray(0, length), before];
  }
}

class FlatShape implements ColumnShape {
  readonly rows: number;
  readonly nulls: number;
  readonly places: Places;
  readonly bounds: Int32Array;
  readonly #isValid: Validity;

  constructor(data: Data) {
    this.#isValid = new Validity(data);
    this.rows = data.length;
    const [places, bounds] = this.#isValid.places(this.rows);
    this.nulls = this.rows - places.length;
    this.places = this.#isValid.all ? { from: 0, to: this.rows } : places;
    this.bounds = bounds;
  }

  writeLevels(from: number, to: number, out: ByteWriter): number {
    const levels = new LevelRuns(1, out);
    if (this.#isValid.all) levels.run(1, to - from);
    else for (let row = from; row < to; row++) levels.run(this.#isValid.has(row) ? 1 : 0, 1);
    levels.finish();
    return to - from;
  }
}

/** Definition levels of a list: no list, no element, no value, a value. */
const LEVEL = { null: 0, empty: 1, nullElement: 2, value: 3 } as const;

class ListShape implements ColumnShape {
  readonly rows: number;
  readonly nulls: number;
  readonly places: Places;
  readonly bounds: Int32Array;
  /** of the elements, one entry more than rows */
  readonly #offsets: Int32Array;
  readonly #isList: Validity;
  readonly #isValue: Validity;

  constructor(data: Data<List>, values: Data) {
    this.rows = data.length;
    this.nulls = data.nullCount;
    this.#offsets = data.valueOffsets;
    this.#isList = new Validity(data);
    this.#isValue = new Validity(values);
    for (let row = 0; !this.#isList.all && row < this.rows; row++) {
      if (!this.#isList.has(row) && this.#elements(row) > 0) {
        throw new RangeError(`row ${row} is null and has elements`);
      }
    }
    const [first, end] = [this.#start(0), this.#start(this.rows)];
    this.bounds = new Int32Array(this.rows + 1);
    if (this.#isValue.all) {
      this.places = { from: first, to: end };
      for (let row = 0; row <= this.rows; row++) this.bounds[row] = this.#start(row) - first;
      return;
    }
    const [places, before] = this.#isValue.places(values.length);
    const skipped = before[first] ?? 0;
    this.places = places.subarray(skipped, before[end]);
    for (let row = 0; row <= this.rows; row++) this.bounds[row] = (before[this.#start(row)] ?? 0) - skipped;
  }

  writeLevels(from: number, to: number, out: ByteWriter): number {
    let count = 0;
    const repetitions = new LevelRuns(1, out);
    for (let row = from; row < to; row++) {
      const length = Math.max(1, this.#elements(row));
      repetitions.run(0, 1);
      repetitions.run(1, length - 1);
      count += length;
    }
    repetitions.finish();
    const definitions = new LevelRuns(2, out);
    for (let row = from; row < to; row++) this.#define(row, definitions);
    definitions.finish();
    return count;
  }

  #define(row: number, levels: LevelRuns): void {
    const [from, to] = [this.#start(row), this.#start(row + 1)];
    if (!this.#isList.has(row)) levels.run(LEVEL.null, 1);
    else if (from === to) levels.run(LEVEL.empty, 1);
    else if (this.#isValue.all) levels.run(LEVEL.value, to - from);
    else
      for (let i = from; i < to; i++) levels.run(this.#isValue.has(i) ? LEVEL.value : LEVEL.nullElement, 1);
  }

  #start(row: number): number {
    return this.#offsets[row] ?? 0;
  }

  #elements(row: number): number {
    return this.#start(row + 1) - this.#start(row);
  }
}

/** The shape of a column, and the Arrow data of its single values. */
export function shapeOf(data: Data, isList: boolean): { shape: ColumnShape; values: Data } {
  if (!isList) return { shape: new FlatShape(data), values: data };
  const [values] = data.children;
  if (values === undefined) throw new RangeError('a list without elements');
  return { shape: new ListShape(data as Data<List>, values), values };
}
