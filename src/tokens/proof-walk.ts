import type { Segment } from '../chat/segment.js';
import type { KnownChunks } from './chunk-trail.js';
import { CELLS, type DecodingTable, isAt, SIZE, SPECIAL } from './decoder.js';
import { flaggedRegions, TRAINED } from './flagged-regions.js';
import type { Layout } from './layout.js';
import { LOOK, likeZones } from './like-zones.js';
import { chunkDecoder } from './proof-chunks.js';

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
  /** the normalised rendering in bytes, readable DECODING_PADDING bytes beyond `layout.bytes` */
  readonly expected: DataView;
  readonly chunks: KnownChunks | null;
  readonly table: DecodingTable;
  readonly stopIds: ReadonlySet<number | undefined>;
}

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
  const { input_ids: ids, loss_mask: mask, segments, layout, expected, chunks, table, stopIds } = input;
  const { cells, ids: known } = table;
  const decode = chunkDecoder(table);
  const regions = flaggedRegions(input.marks, layout);
  const { flags, ends } = regions;
  const kinds = new Uint8Array(segments.length);
  segments.forEach(({ part }, k) => {
    kinds[k] = KIND_OF_PART[part] ?? OTHER;
  });
  const glue = layout.pieces.filter((piece) => piece.special >= 0);
  const zones = likeZones(regions, (segment) => kinds[segment] === STOP, layout);
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
  let zone = 0;
  let opened = -1;
  let nextGlue = 0;
  let chunk = 0;
  let at = 0;
  const maskWords = new DataView(mask.buffer, mask.byteOffset, mask.byteLength);
  /** of mask value 0 and of 1: all tokens from the one that is looked at up to here have it */
  const alike = new Int32Array(2);

  for (let i = 0; i < ids.length; ) {
    while (zone < zones.ends.length && (zones.ends[zone] as number) <= at) zone++;
    // Most tokens lie well inside a zone, have its mask, and are no special ones.
    const wanted = zones.masks[zone] as number;
    const limit = wanted === LOOK ? 0 : (zones.ends[zone] as number);
    while (i < ids.length) {
      if (chunks !== null && wanted !== LOOK) {
        const { kept, starts, entries } = chunks;
        if ((alike[wanted] as number) <= i) alike[wanted] = alikeUntil(maskWords, i, wanted);
        while (chunk < starts.length && (starts[chunk] as number) < i) chunk++;
        const entry = starts[chunk] === i ? (entries[chunk] as number) : -1;
        if (
          entry >= 0 &&
          at + kept.bytesOf(entry) <= limit &&
          kept.decodes(entry, decode) &&
          kept.holds(entry, ids, i, expected, at) &&
          i + kept.idsOf(entry) <= (alike[wanted] as number)
        ) {
          at += kept.bytesOf(entry);
          i += kept.idsOf(entry);
          continue;
        }
      }
      const id = ids[i] as number;
      if (id < 0 || id >= known || mask[i] !== wanted) break;
      const cell = id * CELLS;
      const size = cells[cell + SIZE] as number;
      if (size === 0 || size >= SPECIAL || at + size > limit) break;
      if (!isAt(expected, at, table, cell, size)) decodes = false;
      at += size;
      i++;
    }
    if (i === ids.length) break;

    const id = ids[i] as number;
    let size = 0;
    let special = false;
    if (id >= 0 && id < known) {
      size = cells[id * CELLS + SIZE] as number;
      special = size >= SPECIAL;
      if (special) size -= SPECIAL;
      if (at + size > total || !isAt(expected, at, table, id * CELLS, size)) decodes = false;
    } else {
      decodes = false;
    }
    const end = at + size;

    while (region < ends.length - 1 && (ends[region] as number) <= at) region++;
    while (segment < last && (layout.low[segment + 1] as number) <= at) segment++;
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
    i++;
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

/** The first place from `from` on where the mask is not `wanted`: four values at a time. */
function alikeUntil(mask: DataView, from: number, wanted: number): number {
  const four = wanted * 0x01010101;
  let i = from;
  while (i + 4 <= mask.byteLength && mask.getInt32(i, true) === four) i += 4;
  while (i < mask.byteLength && mask.getUint8(i) === wanted) i++;
  return i;
}
