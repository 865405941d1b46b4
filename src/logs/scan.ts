import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { chunkBytes } from './bytes.js';
import type { LineRange } from './lines.js';

export interface FileScan {
  readonly bytes: number;
  /** hex, of the file as it lies on disk */
  readonly sha256: string;
  /** in order, touching, covering the file; one range where the file cannot be cut */
  readonly ranges: readonly LineRange[];
}

const NEWLINE = 10;

/**
 * One pass over a file: its sum and, where it is splittable, cuts after the first newline at or beyond each multiple
 * of `rangeBytes`. The cuts follow from the content alone, so that every machine makes the same tasks. A signal breaks it
 * off with its reason.
 */
export async function scanFile(
  path: string,
  options: { rangeBytes: number; splittable: boolean; signal?: AbortSignal },
): Promise<FileScan> {
  const { rangeBytes, splittable, signal } = options;
  if (!(rangeBytes > 0)) throw new RangeError(`rangeBytes must be positive, not ${rangeBytes}`);
  const hash = createHash('sha256');
  const cuts: { at: number; line: number }[] = [];
  let bytes = 0;
  let line = 1;
  let target = rangeBytes;

  for await (const piece of readThrough(path)) {
    signal?.throwIfAborted();
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

/** The content of a file in one buffer, which holds a piece until the next is asked for. */
async function* readThrough(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.allocUnsafe(chunkBytes(size));
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
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
