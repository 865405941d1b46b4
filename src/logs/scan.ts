import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { LineRange } from './lines.js';

export interface FileScan {
  readonly bytes: number;
  /** hex, of the file as it lies on disk */
  readonly sha256: string;
  /** in order, touching, covering the file; one range where the file cannot be cut */
  readonly ranges: readonly LineRange[];
}

const NEWLINE = 10;
const CHUNK_BYTES = 1024 * 1024;

/**
 * One pass over a file: its sum and, where it is splittable, cuts after the first newline at or beyond each multiple
 * of `rangeBytes`. The cuts follow from the content alone, so that every machine makes the same tasks.
 */
export async function scanFile(
  path: string,
  options: { rangeBytes: number; splittable: boolean },
): Promise<FileScan> {
  const { rangeBytes, splittable } = options;
  if (!(rangeBytes > 0)) throw new RangeError(`rangeBytes must be positive, not ${rangeBytes}`);
  const hash = createHash('sha256');
  const cuts: { at: number; line: number }[] = [];
  let bytes = 0;
  let line = 1;
  let target = rangeBytes;

  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const piece = chunk as Buffer;
    hash.update(piece);
    if (splittable) {
      for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, at + 1)) {
        line++;
        const end = bytes + at + 1;
        if (end < target) continue;
        cuts.push({ at: end, line });
        target = (Math.floor(end / rangeBytes) + 1) * rangeBytes;
      }
    }
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex'), ranges: toRanges(cuts, bytes) };
}

function toRanges(cuts: readonly { at: number; line: number }[], bytes: number): LineRange[] {
  const ranges: LineRange[] = [];
  let start = 0;
  let firstLine = 1;
  for (const cut of cuts) {
    if (cut.at === bytes) break;
    ranges.push({ byte_start: start, byte_end: cut.at, first_line: firstLine });
    start = cut.at;
    firstLine = cut.line;
  }
  ranges.push({ byte_start: start, byte_end: bytes, first_line: firstLine });
  return ranges;
}
