const EMPTY = -1;

/** Ids of whole tokens by their bytes (FNV hash, open addressing); -1 is free. */
export type VocabIndex = Int32Array;

/** Cells of an index of `count` tokens. */
export function vocabIndexCells(count: number): number {
  let cells = 16;
  while (cells < count * 2) cells *= 2;
  return cells;
}

/** Adds `ids` to an empty index; the bytes of id i are `bytes[offsets[i]..offsets[i + 1]]`. */
export function fillVocabIndex(
  index: VocabIndex,
  ids: Iterable<number>,
  { offsets, bytes }: { readonly offsets: Uint32Array; readonly bytes: Uint8Array },
): void {
  index.fill(EMPTY);
  for (const id of ids) {
    let cell = hashOf(bytes, offsets[id] as number, offsets[id + 1] as number) & (index.length - 1);
    while (index[cell] !== EMPTY) cell = (cell + 1) & (index.length - 1);
    index[cell] = id;
  }
}

/** The id of the token that is exactly word[start, end), or -1. */
export function findToken(
  index: VocabIndex,
  { offsets, bytes }: { readonly offsets: Uint32Array; readonly bytes: Uint8Array },
  word: Uint8Array,
  start: number,
  end: number,
): number {
  let cell = hashOf(word, start, end) & (index.length - 1);
  for (;;) {
    const id = index[cell] as number;
    if (id === EMPTY) return EMPTY;
    const first = offsets[id] as number;
    if ((offsets[id + 1] as number) - first === end - start) {
      let i = start;
      while (i < end && word[i] === bytes[first + i - start]) i++;
      if (i === end) return id;
    }
    cell = (cell + 1) & (index.length - 1);
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}
