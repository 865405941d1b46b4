/** Words longer than this are merged anew every time. */
export const MAX_CACHED_BYTES = 160;

/** Words up to this length are compared as three machine words, without their bytes. */
const SHORT_BYTES = 12;

// Cells of a slot: three words of the key (of a long word: hash, place of its bytes, 0), then the sizes (bytes,
// and tokens from bit 8 on; 0 marks a free slot), then up to four ids (or the place of the ids).
const CELLS = 8;
const SIZES = 3;
const IDS = 4;
const INLINE_IDS = CELLS - IDS;

/** Of each of the two tables. */
const SLOTS = 1 << 17;
const MAX_WORDS = SLOTS * 0.6;
const ARENA_BYTES = 1 << 20;
const ARENA_IDS = 1 << 18;

/** A hash table of words, and the bytes and ids that its slots have no room for. */
class WordTable {
  readonly slots = new Int32Array(SLOTS * CELLS);
  readonly bytes = new Uint8Array(ARENA_BYTES);
  readonly ids = new Int32Array(ARENA_IDS);
  words = 0;
  bytesUsed = 0;
  idsUsed = 0;

  hasRoom(bytes: number, ids: number): boolean {
    return this.words < MAX_WORDS && this.bytesUsed + bytes <= ARENA_BYTES && this.idsUsed + ids <= ARENA_IDS;
  }

  clear(): void {
    this.slots.fill(0);
    this.words = 0;
    this.bytesUsed = 0;
    this.idsUsed = 0;
  }
}

/**
 * Words seen before, with their ids: open addressing in typed arrays of fixed size (two tables of 6.3 MB, touched as they
 * fill). When a table is full it becomes the older one, whose words are taken over as they are met again; what the
 * one before held is forgotten.
 */
export class WordCache {
  #recent = new WordTable();
  #older = new WordTable();
  /** of the word that `append` missed: the first slot to look at, the free one found, and its key */
  #home = 0;
  #free = 0;
  #key0 = 0;
  #key1 = 0;
  #key2 = 0;

  /**
   * Writes the ids of the word of `length` bytes (2 to MAX_CACHED_BYTES) at `at` into `out`; returns their count, or
   * 0 where the word is unknown. `view` shows the same memory as `bytes`, readable four bytes past the word.
   */
  append(bytes: Uint8Array, view: DataView, at: number, length: number, out: Int32Array, to: number): number {
    let key0 = view.getInt32(at, true);
    let key1 = 0;
    let key2 = 0;
    let hash: number;
    if (length < 4) {
      key0 &= 0xffffff >>> ((3 - length) << 3);
      hash = mix(key0);
    } else if (length <= SHORT_BYTES) {
      // The words overlap; with the length they still say every byte.
      key2 = view.getInt32(at + length - 4, true);
      if (length > 8) key1 = view.getInt32(at + 4, true);
      hash = mix(mix(mix(key0) ^ key1) ^ key2);
    } else {
      hash = mix(key0);
      for (let i = 4; i + 4 < length; i += 4) hash = mix(hash ^ view.getInt32(at + i, true));
      hash = mix(hash ^ view.getInt32(at + length - 4, true));
      key0 = hash;
      key2 = 0;
    }
    hash ^= length;
    const recent = this.#recent;
    const { slots } = recent;
    const last = slots.length - CELLS;
    let slot = (hash * CELLS) & last;
    for (;;) {
      const sizes = slots[slot + SIZES] as number;
      if (sizes === 0) break;
      if (slots[slot] === key0 && (sizes & 0xff) === length) {
        const same =
          length <= SHORT_BYTES
            ? slots[slot + 1] === key1 && slots[slot + 2] === key2
            : sameBytes(recent, bytes, at, length, slots[slot + 1] as number);
        if (same) return copyIds(recent, slot, sizes >>> 8, out, to);
      }
      slot = (slot + CELLS) & last;
    }
    this.#home = (hash * CELLS) & last;
    this.#free = slot;
    this.#key0 = key0;
    this.#key1 = key1;
    this.#key2 = key2;
    return this.#takeOver(bytes, at, length, out, to);
  }

  /** Remembers the `count` ids at `ids[from]` for the word that `append` has just missed. */
  store(bytes: Uint8Array, at: number, length: number, ids: Int32Array, from: number, count: number): void {
    const long = length > SHORT_BYTES;
    if (!this.#recent.hasRoom(length, count)) {
      [this.#recent, this.#older] = [this.#older, this.#recent];
      this.#recent.clear();
      this.#free = this.#home;
    }
    const recent = this.#recent;
    const { slots } = recent;
    const slot = this.#free;
    slots[slot] = this.#key0;
    slots[slot + 1] = long ? recent.bytesUsed : this.#key1;
    slots[slot + 2] = this.#key2;
    slots[slot + SIZES] = length | (count << 8);
    if (long) {
      for (let i = 0; i < length; i++) recent.bytes[recent.bytesUsed + i] = bytes[at + i] as number;
      recent.bytesUsed += length;
    }
    if (count <= INLINE_IDS) {
      for (let i = 0; i < count; i++) slots[slot + IDS + i] = ids[from + i] as number;
    } else {
      slots[slot + IDS] = recent.idsUsed;
      for (let i = 0; i < count; i++) recent.ids[recent.idsUsed + i] = ids[from + i] as number;
      recent.idsUsed += count;
    }
    recent.words++;
  }

  /** `append` for a word that only the older table may hold; it is then in both. */
  #takeOver(bytes: Uint8Array, at: number, length: number, out: Int32Array, to: number): number {
    const older = this.#older;
    if (older.words === 0) return 0;
    const { slots } = older;
    const last = slots.length - CELLS;
    for (let slot = this.#home; ; slot = (slot + CELLS) & last) {
      const sizes = slots[slot + SIZES] as number;
      if (sizes === 0) return 0;
      if (slots[slot] !== this.#key0 || (sizes & 0xff) !== length) continue;
      const same =
        length <= SHORT_BYTES
          ? slots[slot + 1] === this.#key1 && slots[slot + 2] === this.#key2
          : sameBytes(older, bytes, at, length, slots[slot + 1] as number);
      if (!same) continue;
      const count = copyIds(older, slot, sizes >>> 8, out, to);
      this.store(bytes, at, length, out, to, count);
      return count;
    }
  }
}

function copyIds(table: WordTable, slot: number, count: number, out: Int32Array, to: number): number {
  const inline = count <= INLINE_IDS;
  const ids = inline ? table.slots : table.ids;
  const first = inline ? slot + IDS : (table.slots[slot + IDS] as number);
  for (let i = 0; i < count; i++) out[to + i] = ids[first + i] as number;
  return count;
}

function sameBytes(table: WordTable, bytes: Uint8Array, at: number, length: number, kept: number): boolean {
  const own = table.bytes;
  for (let i = 0; i < length; i++) {
    if (own[kept + i] !== bytes[at + i]) return false;
  }
  return true;
}

function mix(value: number): number {
  const product = Math.imul(value, 0x9e3779b1);
  return product ^ (product >>> 15);
}
