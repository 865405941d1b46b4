import { findMerge, type MergeTable, mergedAt, rankAt } from './merge-table.js';
import { PairQueue } from './pair-queue.js';

/** Words up to this many bytes are merged by looking through all pairs, longer ones through a queue. */
const SCANNED_BYTES = 256;
const NO_MERGE = -1;
const NO_RANK = 0x7fffffff;

/** Merges the bytes of words into tokens: always the pair of lowest rank, of equals the leftmost. */
export class WordMerger {
  /** pairs looked at so far: what merging costs, apart from the machine */
  work = 0;
  readonly #byteIds: Int32Array;
  readonly #merges: MergeTable;
  /** the cell of the merge of two bytes, by first * 256 + second */
  readonly #bytePairs: Int32Array;
  readonly #ids = new Int32Array(SCANNED_BYTES);
  /** of the token at i and the one behind it: the rank of their merge, and what they merge to */
  readonly #ranks = new Int32Array(SCANNED_BYTES);
  readonly #merged = new Int32Array(SCANNED_BYTES);

  /** `byteIds` are the ids of the 256 single bytes. */
  constructor(byteIds: Int32Array, merges: MergeTable) {
    this.#byteIds = byteIds;
    this.#merges = merges;
    this.#bytePairs = Int32Array.from({ length: 1 << 16 }, (_, pair) =>
      findMerge(merges, byteIds[pair >> 8] as number, byteIds[pair & 0xff] as number),
    );
  }

  /** Writes the ids of bytes[start, end) into `out` at `at` and returns their count (at most one a byte). */
  merge(bytes: Uint8Array, start: number, end: number, out: Int32Array, at: number): number {
    const length = end - start;
    if (length > SCANNED_BYTES) return this.#mergeByQueue(bytes, start, length, out, at);
    const ids = this.#ids;
    const ranks = this.#ranks;
    const merged = this.#merged;
    let byte = bytes[start] as number;
    ids[0] = this.#byteIds[byte] as number;
    for (let i = 1; i < length; i++) {
      const next = bytes[start + i] as number;
      ids[i] = this.#byteIds[next] as number;
      this.#setPair(i - 1, this.#bytePairs[(byte << 8) | next] as number);
      byte = next;
    }
    let count = length;
    while (count > 1) {
      const best = this.#lowest(count - 1);
      if (best < 0) break;
      ids[best] = merged[best] as number;
      count--;
      for (let i = best + 1; i < count; i++) {
        ids[i] = ids[i + 1] as number;
        ranks[i] = ranks[i + 1] as number;
        merged[i] = merged[i + 1] as number;
      }
      if (best + 1 < count) this.#findPair(best);
      if (best > 0) this.#findPair(best - 1);
    }
    for (let i = 0; i < count; i++) out[at + i] = ids[i] as number;
    return count;
  }

  #findPair(i: number): void {
    this.#setPair(i, findMerge(this.#merges, this.#ids[i] as number, this.#ids[i + 1] as number));
  }

  #setPair(i: number, cell: number): void {
    const merges = this.#merges;
    this.#ranks[i] = cell < 0 ? NO_RANK : rankAt(merges, cell);
    this.#merged[i] = cell < 0 ? NO_MERGE : mergedAt(merges, cell);
  }

  /** Index of the pair with the lowest rank among the first `pairs`, or -1. */
  #lowest(pairs: number): number {
    const ranks = this.#ranks;
    let lowest = NO_RANK;
    let best = -1;
    for (let i = 0; i < pairs; i++) {
      const rank = ranks[i] as number;
      if (rank < lowest) {
        lowest = rank;
        best = i;
      }
    }
    this.work += pairs;
    return best;
  }

  /** The same in n log n steps: a linked list of tokens, and a queue of pairs that may be out of date. */
  #mergeByQueue(bytes: Uint8Array, start: number, length: number, out: Int32Array, at: number): number {
    const merges = this.#merges;
    const ids = new Int32Array(length);
    const next = new Int32Array(length + 1);
    const previous = new Int32Array(length + 1);
    for (let i = 0; i < length; i++) {
      ids[i] = this.#byteIds[bytes[start + i] as number] as number;
      next[i] = i + 1;
      previous[i] = i - 1;
    }
    const cellOf = (i: number): number => {
      const right = next[i] as number;
      return right < length ? findMerge(merges, ids[i] as number, ids[right] as number) : NO_MERGE;
    };
    const queue = new PairQueue(length);
    for (let i = 0; i + 1 < length; i++) {
      const cell = cellOf(i);
      if (cell >= 0) queue.append(rankAt(merges, cell), i);
    }
    queue.order();
    while (queue.size > 0) {
      this.work++;
      const rank = queue.lowestRank;
      const i = queue.take();
      if (ids[i] === NO_MERGE) continue;
      const cell = cellOf(i);
      if (cell < 0 || rankAt(merges, cell) !== rank) continue;
      const right = next[i] as number;
      const after = next[right] as number;
      ids[i] = mergedAt(merges, cell);
      ids[right] = NO_MERGE;
      next[i] = after;
      previous[after] = i;
      const left = previous[i] as number;
      const before = left < 0 ? NO_MERGE : cellOf(left);
      if (before >= 0) queue.add(rankAt(merges, before), left);
      const behind = cellOf(i);
      if (behind >= 0) queue.add(rankAt(merges, behind), i);
    }
    let count = 0;
    for (let i = 0; i < length; i = next[i] as number) out[at + count++] = ids[i] as number;
    return count;
  }
}
