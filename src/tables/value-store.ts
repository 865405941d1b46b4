import { type Data, type DataType, makeData } from 'apache-arrow';
import { Bits, type ColumnArray, Growable } from './growable.js';
import { JsonValue } from './json-value.js';
import { writeJson } from './json-writer.js';

/** Values of one column in Arrow's own layout, without validity. Values were checked before they come here. */
export interface ValueStore {
  readonly bytes: number;
  push(value: unknown): void;
  pushNull(): void;
  pushAll(values: ArrayLike<unknown>): void;
  /** Arrow data over the `length` values pushed since the last take */
  take(type: DataType, length: number, nullBitmap: Uint8Array | null): Data;
  /** Nobody reads what was taken any more: its memory may be written again. */
  reuse(): void;
}

class NumberStore<A extends ColumnArray> implements ValueStore {
  readonly #items: Growable<A>;
  readonly #convert: (value: unknown) => number | bigint;

  constructor(make: { new (length: number): A }, convert: (value: unknown) => number | bigint = Number) {
    this.#items = new Growable(make);
    this.#convert = convert;
  }

  get bytes(): number {
    return this.#items.bytes;
  }

  push(value: unknown): void {
    const items = this.#items.reserve(1);
    items[this.#items.length++] = this.#convert(value);
  }

  pushNull(): void {
    this.push(0);
  }

  pushAll(values: ArrayLike<unknown>): void {
    const items = this.#items.reserve(values.length);
    (items as Int32Array).set(values as ArrayLike<number>, this.#items.length);
    this.#items.length += values.length;
  }

  take(type: DataType, length: number, nullBitmap: Uint8Array | null): Data {
    return makeData({ type, length, nullBitmap, data: this.#items.take() } as never);
  }

  reuse(): void {
    this.#items.reuse();
  }
}

class BoolStore implements ValueStore {
  readonly #bits = new Bits();

  get bytes(): number {
    return (this.#bits.length + 7) >> 3;
  }

  push(value: unknown): void {
    this.#bits.push(value === true);
  }

  pushNull(): void {
    this.push(false);
  }

  pushAll(values: ArrayLike<unknown>): void {
    for (let i = 0; i < values.length; i++) this.push(values[i]);
  }

  take(type: DataType, length: number, nullBitmap: Uint8Array | null): Data {
    return makeData({ type, length, nullBitmap, data: this.#bits.take() } as never);
  }

  /** Bits are set in memory that must be zero. */
  reuse(): void {}
}

const utf8 = new TextEncoder();

/** UTF-8 with 32-bit offsets. A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD. */
class TextStore implements ValueStore {
  readonly #offsets = new Growable(Int32Array);
  readonly #text = new Growable(Uint8Array);

  get bytes(): number {
    return this.#offsets.bytes + this.#text.bytes;
  }

  push(value: unknown): void {
    if (value instanceof JsonValue) writeJson(value.value, this.#text);
    else this.#pushText(String(value));
    this.#mark();
  }

  #pushText(text: string): void {
    // three bytes a UTF-16 unit always suffice; large texts are measured, so that memory does not triple
    const room = text.length < 65_536 ? text.length * 3 : Buffer.byteLength(text, 'utf8');
    const bytes = this.#text.reserve(room);
    const start = this.#text.length;
    this.#text.length += utf8.encodeInto(text, bytes.subarray(start)).written;
  }

  pushNull(): void {
    this.#mark();
  }

  pushAll(values: ArrayLike<unknown>): void {
    for (let i = 0; i < values.length; i++) this.push(values[i]);
  }

  take(type: DataType, length: number, nullBitmap: Uint8Array | null): Data {
    const valueOffsets = this.#offsets.length === 0 ? new Int32Array(1) : this.#offsets.take();
    return makeData({ type, length, nullBitmap, valueOffsets, data: this.#text.take() } as never);
  }

  reuse(): void {
    this.#offsets.reuse();
    this.#text.reuse();
  }

  #mark(): void {
    pushOffset(this.#offsets, this.#text.length);
  }
}

/** Offsets start with a 0, then one end a value. */
export function pushOffset(offsets: Growable<Int32Array>, end: number): void {
  const first = offsets.length === 0 ? 1 : 0;
  const items = offsets.reserve(1 + first);
  if (first === 1) items[offsets.length++] = 0;
  items[offsets.length++] = end;
}

const STORES: Record<string, () => ValueStore> = {
  string: () => new TextStore(),
  json: () => new TextStore(),
  bool: () => new BoolStore(),
  int8: () => new NumberStore(Int8Array),
  int32: () => new NumberStore(Int32Array),
  int64: () => new NumberStore(BigInt64Array, (value) => BigInt(Number(value))),
  float32: () => new NumberStore(Float32Array),
  float64: () => new NumberStore(Float64Array),
};

export function createValueStore(type: string): ValueStore {
  const make = STORES[type];
  if (make === undefined) throw new RangeError(`no column store for ${type}`);
  return make();
}
