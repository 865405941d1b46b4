import type { Layout } from './layout.js';

/** The per-token columns of a row; the arrays are large enough and reused. */
export interface TokenColumns {
  loss_mask: Uint8Array;
  /** number of the segment in which each token starts */
  segment: Int32Array;
}

export interface MaskCount {
  readonly n_trained: number;
  readonly straddled_tokens: number;
}

/**
 * Masks tokens by byte spans: a token is trained when all its bytes lie in trained segments, and straddles when
 * only some do. `ids` and the byte length of each id give the byte ends as a running sum. Linear.
 */
export function maskTokens(
  ids: Int32Array,
  options: { byteLengths: Uint16Array; layout: Layout; marks: Uint8Array; into: TokenColumns },
): MaskCount {
  const { byteLengths, layout, marks, into } = options;
  const { low } = layout;
  const runs = trainedRuns(layout, marks);
  const last = marks.length - 1;
  let run = 0;
  let segment = 0;
  let start = 0;
  let trained = 0;
  let straddled = 0;
  for (let i = 0; i < ids.length; ) {
    while (segment < last && (low[segment + 1] ?? 0) <= start) segment++;
    while (run < runs.count && (runs.outerEnd[run] ?? 0) <= start) run++;
    const first = i;
    const outside = run === runs.count || start < (runs.outerStart[run] ?? 0);
    const inside = !outside && (runs.innerStart[run] ?? 0) <= start;
    const behindSegment = segment < last ? (low[segment + 1] ?? 0) : Number.POSITIVE_INFINITY;
    const behindRun = run === runs.count ? Number.POSITIVE_INFINITY : (runs.outerStart[run] ?? 0);
    const limit = Math.min(behindSegment, outside ? behindRun : inside ? (runs.innerEnd[run] ?? 0) : start);
    // the tokens up to the next edge are alike
    for (; i < ids.length; i++) {
      const length = byteLengths[ids[i] as number] ?? 0;
      if (length === 0 || start + length > limit) break;
      start += length;
    }
    if (i > first) {
      const value = inside ? 1 : 0;
      into.loss_mask.fill(value, first, i);
      into.segment.fill(segment, first, i);
      trained += value * (i - first);
      continue;
    }
    const end = start + (byteLengths[ids[i] as number] ?? 0);
    let value = 0;
    if (run < runs.count && (runs.outerStart[run] ?? 0) < end) {
      if (inside && end <= (runs.innerEnd[run] ?? 0)) value = 1;
      else straddled++;
    }
    into.loss_mask[i] = value;
    into.segment[i] = segment;
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
