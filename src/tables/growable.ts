/** The typed arrays that columns are built in. */
export type ColumnArray = Uint8Array | Int8Array | Int32Array | BigInt64Array | Float32Array | Float64Array;

type ArrayConstructor<A extends ColumnArray> = { new (length: number): A };

const FIRST_CAPACITY = 64;

/**
 * A typed array that grows by doubling. `take` hands its memory over, so that a finished Arrow column never
 * changes under its reader; memory that comes back by `reuse` is grown into again, with what it held.
 */
export class Growable<A extends ColumnArray> {
  readonly #make: ArrayConstructor<A>;
  #items: A;
  #view: DataView | null = null;
  /** what was taken and may come back, and what came back */
  #lent: A | null = null;
  #spare: A | null = null;
  /** items that the last ones to be taken needed: those that follow will need about as many */
  #expected = FIRST_CAPACITY;
  length = 0;

  constructor(make: ArrayConstructor<A>) {
    this.#make = make;
    this.#items = new make(0);
  }

  /** The backing array with room for `extra` more items after `length`; write there, then advance `length`. */
  reserve(extra: number): A {
    const need = this.length + extra;
    if (need > this.#items.length) {
      const grown =
        this.#spareOf(need) ?? new this.#make(Math.max(need, this.#items.length * 2, this.#expected));
      // the constructor keeps the kind of array, which the union type cannot say
      (grown as Uint8Array).set(this.#items.subarray(0, this.length) as Uint8Array);
      this.#items = grown;
      this.#view = null;
    }
    return this.#items;
  }

  /** Shows the backing array until the next `reserve` or `take`. */
  get view(): DataView {
    this.#view ??= new DataView(this.#items.buffer);
    return this.#view;
  }

  get bytes(): number {
    return this.length * this.#items.BYTES_PER_ELEMENT;
  }

  /** The items so far; the next append starts in memory of its own. */
  take(): A {
    const items = this.#items.subarray(0, this.length) as A;
    this.#expected = Math.max(this.length, FIRST_CAPACITY);
    this.#lent ??= this.#items;
    this.#items = new this.#make(0);
    this.#view = null;
    this.length = 0;
    return items;
  }

  /** Nobody reads what was taken first since the last call. */
  reuse(): void {
    this.#spare = this.#lent;
    this.#lent = null;
  }

  #spareOf(need: number): A | null {
    const spare = this.#spare;
    if (spare === null || spare.length < need) return null;
    this.#spare = null;
    return spare;
  }
}

/** A growing row of bits, lowest bit first as Arrow has them: validity, or the values of a bool column. */
export class Bits {
  readonly #bytes = new Growable(Uint8Array);
  length = 0;
  /** how many are 0 */
  zeros = 0;

  push(bit: boolean): void {
    this.pushMany(1, bit);
  }

  pushMany(count: number, bit: boolean): void {
    const end = this.length + count;
    const need = (end + 7) >> 3;
    const bytes = this.#bytes.reserve(need - this.#bytes.length);
    this.#bytes.length = need;
    if (bit) {
      for (let i = this.length; i < end; i++) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (1 << (i & 7));
    } else {
      this.zeros += count;
    }
    this.length = end;
  }

  take(): Uint8Array {
    this.length = 0;
    this.zeros = 0;
    return this.#bytes.take();
  }

  /** The bits as an Arrow null bitmap: null where every value is valid. */
  takeValidity(): Uint8Array | null {
    const some = this.zeros > 0;
    const bits = this.take();
    return some ? bits : null;
  }
}
