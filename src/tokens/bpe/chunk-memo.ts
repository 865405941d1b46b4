import type { ChunkDecoder, ChunkRange, KeptChunks } from '../chunk-trail.js';
import { chunkEnd, isCut, MAX_CHUNK, MIN_CHUNK } from './chunk-cut.js';
import { PADDING } from './utf8.js';

/** Bytes that are kept at most, a power of two; there is room for an id to four of them and for a chunk to 64. */
const ARENA_BYTES = 8 << 20;
const BYTES_PER_ID = 4;
const BYTES_PER_ENTRY = 64;
const ENTRY_BITS = ARENA_BYTES / BYTES_PER_ENTRY - 1;
const HASH_BITS = ~ENTRY_BITS;

/** Numbers of an entry: where its bytes start and how many they are, the same of its ids, ... */
const CELLS = 5;
const BYTES_AT = 0;
const BYTES = 1;
const IDS_AT = 2;
const IDS = 3;
/** whether the ids were found to be the bytes: 0 not asked, 1 yes, 2 no */
const DECODES = 4;

/** Share of the text that must be found until the memory is full, and for how many times its size it rests otherwise. */
const WORTHWHILE = 0.25;
const RESTS = 4;

/** No chunk of this text is known here. */
export const UNKNOWN = -1;

/**
 * Chunks of text seen before, mostly lines, with their ids: logs of agents say the same lines again and again. Typed
 * arrays of fixed size (up to 22 MB, touched as they fill). When anything is full, everything is forgotten; where little
 * of the text had been seen until then, the memo rests for a while, since looking costs as much as a quarter of what
 * finding saves.
 */
export class ChunkMemo implements KeptChunks {
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  readonly #view: DataView;
  readonly #ids: Int32Array;
  readonly #entries: Int32Array;
  /** number of an entry, plus 1, and above it bits of the hash; at least half of them are free */
  readonly #slots: Int32Array;
  #count = 0;
  #bytesUsed = 0;
  #idsUsed = 0;
  /** the entry that is likely next: what followed the last one the time before */
  #expected = 0;
  /** of the chunk that `find` missed: its hash and a slot that is free for it */
  #hash = 0;
  #free = 0;
  readonly #range: ChunkRange = { from: 0, to: 0, at: 0, end: 0 };
  /** bytes looked for and bytes found since everything was forgotten, and bytes still not to be looked for */
  #sought = 0;
  #found = 0;
  #rest = 0;
  /** how often everything was forgotten: entries are numbered anew each time */
  generation = 0;
  /** where the chunk ends that was looked for last */
  stop = 0;

  /** `bytes` to keep at most: a power of two from 4096 to 8 MB, the default. */
  constructor({ bytes = ARENA_BYTES }: { readonly bytes?: number } = {}) {
    this.#maxBytes = bytes;
    this.#maxEntries = bytes / BYTES_PER_ENTRY - 1;
    this.#view = new DataView(new ArrayBuffer(bytes + PADDING));
    this.#ids = new Int32Array(bytes / BYTES_PER_ID);
    this.#entries = new Int32Array(this.#maxEntries * CELLS);
    this.#slots = new Int32Array((bytes / BYTES_PER_ENTRY) * 2);
  }

  /** Whether the next `bytes` of text are not worth looking for, since the last ones were not. */
  rests(bytes: number): boolean {
    if (this.#rest <= 0) return false;
    this.#rest -= bytes;
    return true;
  }

  /**
   * Looks for the chunk that starts at `at`, a start of a word, and says in `stop` where it ends. Returns its entry
   * or UNKNOWN. `view` shows the same memory as `bytes`.
   */
  find(bytes: Uint8Array, view: DataView, at: number, end: number): number {
    if (this.#expected < this.#count) {
      const entry = this.#expected;
      const stop = at + this.bytesOf(entry);
      if (stop <= end && this.#isAt(entry, view, at, stop) && isCut(bytes, stop, end)) {
        this.#expected = entry + 1;
        this.stop = stop;
        this.#sought += stop - at;
        this.#found += stop - at;
        return entry;
      }
    }
    const stop = chunkEnd(bytes, view, at, end);
    this.stop = stop;
    this.#sought += stop - at;
    if (stop - at < MIN_CHUNK || stop - at >= MAX_CHUNK) return UNKNOWN;
    const hash = hashOf(view, at, stop);
    this.#hash = hash;
    const slots = this.#slots;
    const mark = hash & HASH_BITS;
    const last = slots.length - 1;
    let slot = hash & last;
    for (; ; slot = (slot + 1) & last) {
      const cell = slots[slot] as number;
      if (cell === 0) break;
      if ((cell & HASH_BITS) !== mark) continue;
      const entry = (cell & ENTRY_BITS) - 1;
      if (this.bytesOf(entry) !== stop - at || !this.#isAt(entry, view, at, stop)) continue;
      this.#expected = entry + 1;
      this.#found += stop - at;
      return entry;
    }
    this.#free = slot;
    return UNKNOWN;
  }

  /** Remembers the chunk that `find` has just missed, with its `count` ids at `ids[from]`; returns its entry. */
  store(view: DataView, at: number, ids: Int32Array, from: number, count: number): number {
    const size = this.stop - at;
    if (size < MIN_CHUNK || size >= MAX_CHUNK) return UNKNOWN;
    if (
      this.#count >= this.#maxEntries ||
      this.#bytesUsed + size > this.#maxBytes ||
      this.#idsUsed + count > this.#ids.length
    ) {
      this.#forget();
      this.#free = this.#hash & (this.#slots.length - 1);
    }
    const entry = this.#count++;
    const cells = this.#entries;
    cells[entry * CELLS + BYTES_AT] = this.#bytesUsed;
    cells[entry * CELLS + BYTES] = size;
    cells[entry * CELLS + IDS_AT] = this.#idsUsed;
    cells[entry * CELLS + IDS] = count;
    cells[entry * CELLS + DECODES] = 0;
    this.#keepBytes(view, at, size);
    for (let i = 0; i < count; i++) this.#ids[this.#idsUsed + i] = ids[from + i] as number;
    this.#bytesUsed += size;
    this.#idsUsed += count;
    this.#slots[this.#free] = (this.#hash & HASH_BITS) | (entry + 1);
    this.#expected = entry + 1;
    return entry;
  }

  bytesOf(entry: number): number {
    return this.#entries[entry * CELLS + BYTES] as number;
  }

  idsOf(entry: number): number {
    return this.#entries[entry * CELLS + IDS] as number;
  }

  holds(entry: number, ids: Int32Array, from: number, view: DataView, at: number): boolean {
    const own = this.#ids;
    const first = this.#entries[entry * CELLS + IDS_AT] as number;
    const count = this.#entries[entry * CELLS + IDS] as number;
    for (let i = 0; i < count; i++) if (ids[from + i] !== own[first + i]) return false;
    return this.#isAt(entry, view, at, at + this.bytesOf(entry));
  }

  decodes(entry: number, decode: ChunkDecoder): boolean {
    // what was found of a forgotten entry says nothing of what lies there now
    if (entry >= this.#count) return false;
    const cells = this.#entries;
    const known = cells[entry * CELLS + DECODES] as number;
    if (known !== 0) return known === 1;
    const range = this.#range;
    range.from = cells[entry * CELLS + IDS_AT] as number;
    range.to = range.from + this.idsOf(entry);
    range.at = cells[entry * CELLS + BYTES_AT] as number;
    range.end = range.at + this.bytesOf(entry);
    const found = decode(this.#ids, this.#view, range);
    cells[entry * CELLS + DECODES] = found ? 1 : 2;
    return found;
  }

  /** Writes the ids of an entry into `out` from `to` on; returns their count. */
  copyIds(entry: number, out: Int32Array, to: number): number {
    const ids = this.#ids;
    const first = this.#entries[entry * CELLS + IDS_AT] as number;
    const count = this.#entries[entry * CELLS + IDS] as number;
    for (let i = 0; i < count; i++) out[to + i] = ids[first + i] as number;
    return count;
  }

  /** Four bytes at a time, which is faster than `set` for so few; the last four overlap the ones before. */
  #keepBytes(view: DataView, at: number, size: number): void {
    const own = this.#view;
    const to = this.#bytesUsed;
    const last = size - 4;
    for (let i = 0; i < last; i += 4) own.setInt32(to + i, view.getInt32(at + i, true), true);
    own.setInt32(to + last, view.getInt32(at + last, true), true);
  }

  #isAt(entry: number, view: DataView, at: number, stop: number): boolean {
    const own = this.#view;
    const size = stop - at;
    const last = size - 4;
    const start = this.#entries[entry * CELLS + BYTES_AT] as number;
    for (let i = 0; i < last; i += 4) {
      if (own.getInt32(start + i, true) !== view.getInt32(at + i, true)) return false;
    }
    return own.getInt32(start + last, true) === view.getInt32(at + last, true);
  }

  #forget(): void {
    if (this.#found < this.#sought * WORTHWHILE) this.#rest = this.#maxBytes * RESTS;
    this.#sought = 0;
    this.#found = 0;
    this.#slots.fill(0);
    this.#count = 0;
    this.#bytesUsed = 0;
    this.#idsUsed = 0;
    this.generation++;
  }
}

/** Of at least MIN_CHUNK bytes. */
export function hashOf(view: DataView, at: number, stop: number): number {
  let even = stop - at;
  let odd = 0;
  let i = at;
  for (; i + 8 <= stop; i += 8) {
    even = Math.imul(even ^ view.getInt32(i, true), 0x9e3779b1);
    odd = Math.imul(odd ^ view.getInt32(i + 4, true), 0x85ebca6b);
    even ^= even >>> 15;
    odd ^= odd >>> 13;
  }
  even = Math.imul(even ^ view.getInt32(stop - 8, true), 0x9e3779b1);
  odd = Math.imul(odd ^ view.getInt32(stop - 4, true), 0x85ebca6b);
  const mixed = Math.imul(even ^ (even >>> 16) ^ odd, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
