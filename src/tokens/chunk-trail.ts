/** Chunks of text with their ids that an engine keeps; entries are valid for one generation. */
export interface KeptChunks {
  readonly generation: number;
  bytesOf(entry: number): number;
  idsOf(entry: number): number;
  /** Whether the ids from `from` on and the bytes from `at` on are those of the entry. */
  holds(entry: number, ids: Int32Array, from: number, view: DataView, at: number): boolean;
  /** Whether the entry's ids, each by itself, are its bytes: asked of `decode` once, then remembered. */
  decodes(entry: number, decode: ChunkDecoder): boolean;
}

/** The ids and the bytes of a chunk among others. */
export interface ChunkRange {
  from: number;
  to: number;
  at: number;
  end: number;
}

/** Says whether ids[from, to) are the bytes [at, end), behind which some more can be read. The range is used again. */
export type ChunkDecoder = (ids: Int32Array, view: DataView, range: Readonly<ChunkRange>) => boolean;

/**
 * Which of the ids in a sink came out of kept chunks, so that those who hold ids against bytes can take whole chunks. It
 * is a hint: what rests on it compares ids and bytes with the chunk's own.
 */
export class ChunkTrail {
  #starts: Int32Array = new Int32Array(256);
  #entries: Int32Array = new Int32Array(256);
  #kept: KeptChunks | null = null;
  #generation = 0;
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  /** The ids from `start` on are those of the entry. */
  add(kept: KeptChunks, entry: number, start: number): void {
    if (kept !== this.#kept || kept.generation !== this.#generation) {
      this.#kept = kept;
      this.#generation = kept.generation;
      this.#length = 0;
    }
    const k = this.#length++;
    if (k === this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#entries = doubled(this.#entries);
    }
    this.#starts[k] = start;
    this.#entries[k] = entry;
  }

  /** The chunks, or null where there are none, or they were forgotten meanwhile. */
  known(): KnownChunks | null {
    const kept = this.#kept;
    if (kept === null || this.#length === 0 || kept.generation !== this.#generation) return null;
    return {
      kept,
      starts: this.#starts.subarray(0, this.#length),
      entries: this.#entries.subarray(0, this.#length),
    };
  }
}

/** Chunk k begins with the id at starts[k]. */
export interface KnownChunks {
  readonly kept: KeptChunks;
  readonly starts: Int32Array;
  readonly entries: Int32Array;
}

function doubled(numbers: Int32Array): Int32Array {
  const grown = new Int32Array(numbers.length * 2);
  grown.set(numbers);
  return grown;
}
