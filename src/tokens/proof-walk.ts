import type { Segment } from '../chat/segment.js';
import { CELLS, type DecodingTable, HEAD, NEXT, SIZE, SPECIAL, START } from './decoder.js';
import type { Layout } from './layout.js';

/** Flags of bytes: outside of what is trained, trained, or composed across the edge of something trained. */
const TRAINED = 1;
const COMPOSED = 2;

/** Kinds of segments, as stop tokens see them. */
const OTHER = 0;
const STOP = 1;
/** glue that the model samples within a turn */
const FRAME = 2;

const KIND_OF_PART: Partial<Record<Segment['part'], number>> = {
  stop: STOP,
  text: FRAME,
  think_frame: FRAME,
  call_frame: FRAME,
};

export interface WalkInput {
  readonly input_ids: Int32Array;
  /** as long as the ids */
  readonly loss_mask: Uint8Array;
  readonly segments: readonly Segment[];
  readonly layout: Layout;
  /** 1 for each segment that is to be trained */
  readonly marks: Uint8Array;
  /** the normalised rendering in bytes, readable EXPECTED_PADDING bytes beyond `layout.bytes` */
  readonly expected: DataView;
  readonly table: DecodingTable;
  readonly stopIds: ReadonlySet<number | undefined>;
}

export const EXPECTED_PADDING = 8;

/** What one walk over the tokens of a row finds. */
export interface WalkFindings {
  /** every mask value is 0 or 1 */
  readonly binary: boolean;
  /** the tokens are the bytes of the rendering */
  readonly decodes: boolean;
  /** a token is trained exactly if all of its bytes are to be */
  readonly masked: boolean;
  /** tokens of which only some bytes are to be trained */
  readonly straddled: number;
  /** special ids are those of the glue, where they stand in it */
  readonly specials: boolean;
  /** trained stop tokens stand in stop segments, or between the parts of a turn */
  readonly stops: boolean;
  /** the turns whose stop token is trained, one entry a stop segment */
  readonly stoppedTurns: readonly number[];
}

/** Decodes a row and holds each token against the rendering and the marks: one pass, linear in the ids. */
export function walkTokens(input: WalkInput): WalkFindings {
  const { input_ids: ids, loss_mask: mask, segments, layout, expected, table, stopIds } = input;
  const { cells, bytes, ids: known } = table;
  const { flags, ends } = flaggedRegions(input.marks, layout);
  const kinds = Uint8Array.from(segments, ({ part }) => KIND_OF_PART[part] ?? OTHER);
  const glue = layout.pieces.filter((piece) => piece.special >= 0);
  const total = layout.bytes;
  const last = segments.length - 1;
  const stoppedTurns: number[] = [];
  let binary = true;
  let decodes = true;
  let masked = true;
  let specials = true;
  let stops = true;
  let straddled = 0;
  let region = 0;
  let segment = 0;
  let opened = -1;
  let nextGlue = 0;
  let at = 0;

  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number;
    let size = 0;
    let special = false;
    if (id >= 0 && id < known) {
      const cell = id * CELLS;
      size = cells[cell + SIZE] as number;
      special = size >= SPECIAL;
      if (special) size -= SPECIAL;
      if (at + size > total) {
        decodes = false;
      } else if (size > 0) {
        const head = expected.getInt32(at, true) ^ (cells[cell + HEAD] as number);
        if ((size < 4 ? head << ((4 - size) << 3) : head) !== 0) decodes = false;
        if (size > 4) {
          const next = expected.getInt32(at + 4, true) ^ (cells[cell + NEXT] as number);
          if ((size < 8 ? next << ((8 - size) << 3) : next) !== 0) decodes = false;
          const start = cells[cell + START] as number;
          for (let b = 8; b < size; b++) if (bytes[start + b] !== expected.getUint8(at + b)) decodes = false;
        }
      }
    } else {
      decodes = false;
    }
    const end = at + size;

    while (region < ends.length - 1 && (ends[region] as number) <= at) region++;
    let whole = size > 0 && flags[region] === TRAINED;
    let touched = flags[region] !== 0;
    for (let r = region; r < ends.length - 1 && (ends[r] as number) < end; ) {
      r++;
      if (flags[r] !== TRAINED) whole = false;
      if (flags[r] !== 0) touched = true;
    }
    const trained = mask[i] as number;
    if (trained > 1) binary = false;
    if ((trained === 1) !== whole) masked = false;
    if (size > 0 && touched && !whole) straddled++;

    if (special) {
      const piece = glue[nextGlue++];
      if (piece === undefined || piece.special !== id || piece.start !== at) specials = false;
    }
    while (segment < last && (layout.low[segment + 1] as number) <= at) segment++;
    if (trained === 1) {
      const kind = kinds[segment];
      if (kind === STOP) {
        if (!special) stops = false;
        if (opened !== segment) stoppedTurns.push(segments[segment]?.turn ?? -1);
        opened = segment;
      } else if (kind !== FRAME && special && stopIds.has(id)) {
        // a stop token may also end a part of a turn, as between harmony's channels
        stops = false;
      }
    }
    at = end;
  }
  return {
    binary,
    decodes: decodes && at === total,
    masked,
    straddled,
    specials: specials && nextGlue === glue.length,
    stops,
    stoppedTurns,
  };
}

interface Regions {
  /** flag of the bytes of each region */
  readonly flags: Uint8Array;
  /** byte behind each region, ascending; the last covers the rest */
  readonly ends: Int32Array;
}

/** Maximal runs of bytes with one flag. */
function flaggedRegions(marks: Uint8Array, layout: Layout): Regions {
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
