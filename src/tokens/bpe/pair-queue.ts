// A key holds rank * 2^32 + position: exact in a double for ranks below 2^21.
const RANK_UNIT = 2 ** 32;

/** A binary heap of (rank, position): the lowest rank first, of equal ranks the leftmost position. */
export class PairQueue {
  size = 0;
  #keys: Float64Array;

  constructor(capacity: number) {
    this.#keys = new Float64Array(Math.max(capacity, 16));
  }

  /** Adds without keeping order; `order` must follow. */
  append(rank: number, position: number): void {
    if (this.size === this.#keys.length) this.#grow();
    this.#keys[this.size++] = rank * RANK_UNIT + position;
  }

  order(): void {
    for (let i = (this.size >> 1) - 1; i >= 0; i--) this.#sink(i, this.#keys[i] as number);
  }

  add(rank: number, position: number): void {
    if (this.size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const key = rank * RANK_UNIT + position;
    let i = this.size++;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = keys[parent] as number;
      if (above <= key) break;
      keys[i] = above;
      i = parent;
    }
    keys[i] = key;
  }

  get lowestRank(): number {
    return Math.floor((this.#keys[0] as number) / RANK_UNIT);
  }

  /** Removes the first pair and returns its position. */
  take(): number {
    const first = this.#keys[0] as number;
    const last = this.#keys[--this.size] as number;
    if (this.size > 0) this.#sink(0, last);
    return first % RANK_UNIT;
  }

  #sink(from: number, key: number): void {
    const keys = this.#keys;
    let i = from;
    for (let child = 2 * i + 1; child < this.size; child = 2 * i + 1) {
      if (child + 1 < this.size && (keys[child + 1] as number) < (keys[child] as number)) child++;
      if ((keys[child] as number) >= key) break;
      keys[i] = keys[child] as number;
      i = child;
    }
    keys[i] = key;
  }

  #grow(): void {
    const grown = new Float64Array(this.#keys.length * 2);
    grown.set(this.#keys);
    this.#keys = grown;
  }
}
