const BREAK = 0x0a;
const BLANK = 0x20;
const SLASH = 0x2f;

/** Chunks have at least this many bytes, unless the text ends. */
export const MIN_CHUNK = 16;
/** From here on a chunk also ends before a blank between two words. */
export const SOFT_CHUNK = 96;
/** Text without a place to cut for as long as this has no chunk. */
export const MAX_CHUNK = 1024;

/**
 * Whether every pre-tokenizer with a scanner ends a word at `at`, whatever follows, so that the text on both sides
 * has the ids that it has alone: behind a line break, if the next line has more than white space and does not begin with
 * a slash (which o200k takes along with the breaks before it), or before a single blank. Only ASCII is taken into account.
 */
export function isCut(bytes: Uint8Array, at: number, end: number): boolean {
  if (at >= end) return true;
  const next = bytes[at] as number;
  const before = bytes[at - 1] as number;
  if (before === BREAK) {
    if (isVisible(next)) return next !== SLASH;
    let i = at;
    while (bytes[i] === BLANK || bytes[i] === 0x09) i++;
    return i > at && (i >= end || isVisible(bytes[i] as number));
  }
  return next === BLANK && isVisible(before) && isVisible(bytes[at + 1] as number);
}

/**
 * The first place to end a chunk that starts at `at`; a place in the middle of a word where none is near enough. `view`
 * shows the same memory as `bytes`.
 */
export function chunkEnd(bytes: Uint8Array, view: DataView, at: number, end: number): number {
  const limit = Math.min(end, at + MAX_CHUNK);
  const soft = Math.min(limit, at + SOFT_CHUNK);
  let i = at + MIN_CHUNK;
  // Four bytes at a time: the top bits of `breaks` mark the line breaks among those before i, i + 1, ...
  while (i < soft) {
    const other = view.getInt32(i - 1, true) ^ 0x0a0a0a0a;
    const breaks = (other - 0x01010101) & ~other & 0x80808080;
    if (breaks === 0) {
      i += 4;
      continue;
    }
    i += (31 - Math.clz32(breaks & -breaks)) >> 3;
    if (i <= soft && isCut(bytes, i, end)) return i;
    i++;
  }
  for (i = Math.min(i, soft); i < limit; i++)
    if ((bytes[i - 1] === BREAK || bytes[i] === BLANK) && isCut(bytes, i, end)) return i;
  return limit;
}

function isVisible(byte: number): boolean {
  return byte > BLANK && byte < 0x7f;
}
