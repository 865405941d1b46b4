import { type Data, type DataType, makeData } from 'apache-arrow';
import { arrowType, scalarType } from './arrow-schema.js';
import type { ColumnSpec } from './column.js';
import { elementType } from './column-check.js';
import { Bits, Growable } from './growable.js';
import { createValueStore, pushOffset, type ValueStore } from './value-store.js';

/** Collects the values of one column; `take` gives them as Arrow data and starts anew. */
export interface ColumnBuilder {
  /** bytes of the Arrow buffers so far, validity aside */
  readonly bytes: number;
  append(value: unknown): void;
  take(): Data;
  /** Nobody reads what was taken any more: its memory may be written again. */
  reuse(): void;
}

class ScalarBuilder implements ColumnBuilder {
  readonly #type: DataType;
  readonly #store: ValueStore;
  readonly #validity = new Bits();
  #length = 0;

  constructor(column: ColumnSpec) {
    this.#type = arrowType(column.type);
    this.#store = createValueStore(column.type);
  }

  get bytes(): number {
    return this.#store.bytes;
  }

  append(value: unknown): void {
    const valid = value !== null && value !== undefined;
    if (valid) this.#store.push(value);
    else this.#store.pushNull();
    this.#validity.push(valid);
    this.#length++;
  }

  take(): Data {
    const length = this.#length;
    this.#length = 0;
    return this.#store.take(this.#type, length, this.#validity.takeValidity());
  }

  reuse(): void {
    this.#store.reuse();
  }
}

class ListBuilder implements ColumnBuilder {
  readonly #type: DataType;
  readonly #elementType: DataType;
  readonly #elements: ValueStore;
  readonly #elementValidity: Bits | null;
  readonly #offsets = new Growable(Int32Array);
  readonly #validity = new Bits();
  #length = 0;
  #count = 0;

  constructor(column: ColumnSpec, element: string) {
    this.#type = arrowType(column.type);
    this.#elementType = scalarType(element);
    this.#elements = createValueStore(element);
    this.#elementValidity = column.nullable_elements === true ? new Bits() : null;
  }

  get bytes(): number {
    return this.#offsets.bytes + this.#elements.bytes;
  }

  append(value: unknown): void {
    const valid = value !== null && value !== undefined;
    if (valid) this.#pushElements(value as ArrayLike<unknown>);
    pushOffset(this.#offsets, this.#count);
    this.#validity.push(valid);
    this.#length++;
  }

  take(): Data {
    const length = this.#length;
    const valueOffsets = length === 0 ? new Int32Array(1) : this.#offsets.take();
    const nullBitmap = this.#elementValidity?.takeValidity() ?? null;
    const child = this.#elements.take(this.#elementType, this.#count, nullBitmap);
    this.#length = 0;
    this.#count = 0;
    return makeData({
      type: this.#type,
      length,
      nullBitmap: this.#validity.takeValidity(),
      valueOffsets,
      child,
    } as never);
  }

  reuse(): void {
    this.#offsets.reuse();
    this.#elements.reuse();
  }

  #pushElements(values: ArrayLike<unknown>): void {
    this.#count += values.length;
    const validity = this.#elementValidity;
    if (validity === null || ArrayBuffer.isView(values)) {
      this.#elements.pushAll(values);
      validity?.pushMany(values.length, true);
      return;
    }
    for (let i = 0; i < values.length; i++) {
      const item = values[i];
      if (item === null) this.#elements.pushNull();
      else this.#elements.push(item);
      validity.push(item !== null);
    }
  }
}

export function createColumnBuilder(column: ColumnSpec): ColumnBuilder {
  const element = elementType(column.type);
  return element === null ? new ScalarBuilder(column) : new ListBuilder(column, element);
}
