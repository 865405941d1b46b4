import type { KnownChunks } from './chunk-trail.js';
import type { Layout } from './layout.js';

export interface MaskCount {
  readonly n_trained: number;
  readonly straddled_tokens: number;
}

export interface MaskInput {
  /** bytes of each id */
  readonly byteLengths: Uint16Array;
  readonly layout: Layout;
  /** 1 for each segment to be trained */
  readonly marks: Uint8Array;
  readonly chunks?: KnownChunks | null;
  /** takes 0 or 1 per id; at least as long as the ids */
  readonly into: Uint8Array;
}

/**
 * Masks tokens by byte spans: a token is trained when all its bytes lie in trained segments, and straddles when
 * only some do. `ids` and the byte length of each id, or of a chunk of them, give the byte ends as a running sum. Linear.
 */
export function maskTokens(ids: Int32Array, input: MaskInput): MaskCount {
  const { byteLengths, layout, marks, chunks = null, into } = input;
  const runs = trainedRuns(layout, marks);
  let run = 0;
  let start = 0;
  let trained = 0;
  let straddled = 0;
  let chunk = 0;
  for (let i = 0; i < ids.length; ) {
    while (run < runs.count && (runs.outerEnd[run] as number) <= start) run++;
    const first = i;
    const outside = run === runs.count || start < (runs.outerStart[run] as number);
    const inside = !outside && (runs.innerStart[run] as number) <= start;
    const behind = run === runs.count ? Number.POSITIVE_INFINITY : (runs.outerStart[run] as number);
    const limit = outside ? behind : inside ? (runs.innerEnd[run] as number) : start;
    // the tokens up to the next edge are alike
    while (i < ids.length) {
      if (chunks !== null) {
        const { kept, starts, entries } = chunks;
        while (chunk < starts.length && (starts[chunk] as number) < i) chunk++;
        const entry = starts[chunk] === i ? (entries[chunk] as number) : -1;
        if (entry >= 0 && start + kept.bytesOf(entry) <= limit) {
          start += kept.bytesOf(entry);
          i += kept.idsOf(entry);
          continue;
        }
      }
      const length = byteLengths[ids[i] as number] ?? 0;
      if (length === 0 || start + length > limit) break;
      start += length;
      i++;
    }
    if (i > first) {
      into.fill(inside ? 1 : 0, first, i);
      if (inside) trained += i - first;
      continue;
    }
    const end = start + (byteLengths[ids[i] as number] ?? 0);
    let value = 0;
    if (run < runs.count && (runs.outerStart[run] as number) < end) {
      if (inside && end <= (runs.innerEnd[run] as number)) value = 1;
      else straddled++;
    }
    into[i] = value;
    trained += value;
    start = end;
    i++;
  }
  return { n_trained: trained, straddled_tokens: straddled };
}

/** Maximal runs of trained segments: inner bytes are the run's alone, outer ones include composed characters. */
interface TrainedRuns {
  readonly count: number;
  readonly innerStart: Int32Array;
  readonly innerEnd: Int32Array;
  readonly outerStart: Int32Array;
  readonly outerEnd: Int32Array;
}

function trainedRuns({ low, high }: Layout, marks: Uint8Array): TrainedRuns {
  const most = (marks.length >> 1) + 1;
  const runs = {
    count: 0,
    innerStart: new Int32Array(most),
    innerEnd: new Int32Array(most),
    outerStart: new Int32Array(most),
    outerEnd: new Int32Array(most),
  };
  for (let k = 0; k < marks.length; k++) {
    if (marks[k] === 0) continue;
    let after = k + 1;
    while (after < marks.length && marks[after] === 1) after++;
    runs.innerStart[runs.count] = high[k] ?? 0;
    runs.outerStart[runs.count] = low[k] ?? 0;
    runs.innerEnd[runs.count] = low[after] ?? 0;
    runs.outerEnd[runs.count] = high[after] ?? 0;
    runs.count++;
    k = after;
  }
  return runs;
}
