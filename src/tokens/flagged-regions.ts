import type { Layout } from './layout.js';

/** Flags of bytes: outside of what is trained (0), trained, or composed across the edge of something trained. */
export const TRAINED = 1;
export const COMPOSED = 2;

export interface Regions {
  /** flag of the bytes of each region */
  readonly flags: Uint8Array;
  /** byte behind each region, ascending; the last covers the rest */
  readonly ends: Int32Array;
}

/** Maximal runs of bytes with one flag. */
export function flaggedRegions(marks: Uint8Array, layout: Layout): Regions {
  const { low, high, bytes } = layout;
  const flags: number[] = [];
  const ends: number[] = [];
  const add = (flag: number, end: number): void => {
    if (end <= (ends.at(-1) ?? 0)) return;
    if (flags.at(-1) === flag) ends[ends.length - 1] = end;
    else {
      flags.push(flag);
      ends.push(end);
    }
  };
  if (low.every((byte, k) => byte === high[k])) {
    for (let k = 0; k < marks.length; k++) add(marks[k] ?? 0, low[k + 1] ?? 0);
  } else {
    byteFlags(marks, layout).forEach((flag, byte) => {
      add(flag, byte + 1);
    });
  }
  add(0, bytes);
  if (ends.length === 0) add(0, 1);
  return { flags: Uint8Array.from(flags), ends: Int32Array.from(ends) };
}

/** One flag a byte, where characters compose across edges, which may then overlap. */
function byteFlags(marks: Uint8Array, { low, high, bytes }: Layout): Uint8Array {
  const flags = new Uint8Array(bytes);
  for (let k = 0; k < marks.length; k++) {
    if (marks[k] === 0) continue;
    flags.fill(TRAINED, high[k] ?? 0, Math.max(low[k + 1] ?? 0, high[k] ?? 0));
  }
  for (let k = 0; k <= marks.length; k++) {
    const before = marks[k - 1] ?? 0;
    const after = marks[k] ?? 0;
    if (before + after === 0) continue;
    flags.fill(before + after === 2 ? TRAINED : COMPOSED, low[k] ?? 0, high[k] ?? 0);
  }
  return flags;
}
