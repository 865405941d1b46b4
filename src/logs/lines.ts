import { createReadStream } from 'node:fs';
import { DEFAULT_LIMITS } from './limits.js';

/** One line of a file, without its line break. */
export interface Line {
  /** 1-based number in the file */
  readonly number: number;
  readonly byte_start: number;
  /** exclusive; neither the newline nor a carriage return before it counts */
  readonly byte_end: number;
  /** null where the line is longer than the limit: it was never held in memory */
  readonly bytes: Buffer | null;
  /** a newline follows; only the last line of a file can lack one */
  readonly terminated: boolean;
}

export interface LineRange {
  readonly byte_start: number;
  readonly byte_end: number;
  /** 1-based number of the line at byte_start */
  readonly first_line: number;
}

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Lines of a file or of a byte range of it that starts and ends at line borders. Blank lines are counted and
 * skipped. Memory holds one chunk and one line.
 */
export function readLines(
  path: string,
  options: { range?: LineRange | null; maxLineBytes?: number } = {},
): AsyncGenerator<Line> {
  const range = options.range ?? null;
  if (range !== null && range.byte_end <= range.byte_start) return splitLines([], {});
  const stream = createReadStream(path, {
    highWaterMark: CHUNK_BYTES,
    ...(range === null ? {} : { start: range.byte_start, end: range.byte_end - 1 }),
  });
  return splitLines(stream, {
    byteStart: range?.byte_start ?? 0,
    firstLine: range?.first_line ?? 1,
    ...(options.maxLineBytes === undefined ? {} : { maxLineBytes: options.maxLineBytes }),
  });
}

/** Lines of any stream of bytes; `byteStart` and `firstLine` say where in the file the stream begins. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  options: { byteStart?: number; firstLine?: number; maxLineBytes?: number },
): AsyncGenerator<Line> {
  const maxLineBytes = options.maxLineBytes ?? DEFAULT_LIMITS.line_bytes;
  let number = options.firstLine ?? 1;
  /** where the open line starts, and what of it earlier chunks held */
  let lineStart = options.byteStart ?? 0;
  let chunkStart = lineStart;
  const held = new HeldLine(maxLineBytes);

  for await (const chunk of chunks) {
    let from = 0;
    for (;;) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline === -1) break;
      const bytes = held.finish(chunk.subarray(from, newline));
      const line = makeLine(bytes, { number, lineStart, lineEnd: chunkStart + newline, terminated: true });
      if (line !== null) yield line;
      from = newline + 1;
      lineStart = chunkStart + from;
      number++;
    }
    if (from < chunk.length) held.add(chunk.subarray(from));
    chunkStart += chunk.length;
  }
  if (lineStart < chunkStart) {
    const bytes = held.finish(Buffer.alloc(0));
    const line = makeLine(bytes, { number, lineStart, lineEnd: chunkStart, terminated: false });
    if (line !== null) yield line;
  }
}

function makeLine(
  bytes: Buffer | null,
  at: { number: number; lineStart: number; lineEnd: number; terminated: boolean },
): Line | null {
  const { number, lineStart, lineEnd, terminated } = at;
  if (bytes === null) return { number, byte_start: lineStart, byte_end: lineEnd, bytes, terminated };
  const end = terminated && bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  const content = bytes.subarray(0, end);
  if (isBlank(content)) return null;
  return { number, byte_start: lineStart, byte_end: lineStart + end, bytes: content, terminated };
}

/** Whether a line holds nothing, or only a byte order mark. */
function isBlank(line: Buffer): boolean {
  const bytes = line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line;
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== CARRIAGE_RETURN) return false;
  return true;
}

/** The pieces of a line that spans chunks; beyond the limit they are counted, not kept. */
class HeldLine {
  private pieces: Buffer[] = [];
  private length = 0;

  constructor(private readonly limit: number) {}

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > this.limit) this.pieces = [];
    else this.pieces.push(piece);
  }

  /** The whole line with its last piece, or null above the limit; ready for the next line. */
  finish(last: Buffer): Buffer | null {
    const length = this.length + last.length;
    const pieces = this.pieces;
    this.pieces = [];
    this.length = 0;
    if (length > this.limit) return null;
    if (pieces.length === 0) return last;
    pieces.push(last);
    return Buffer.concat(pieces, length);
  }
}
