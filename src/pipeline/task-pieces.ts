import type { Piece } from './plan.js';

const MIB = 1024 * 1024;

/** Raw bytes of a task: a sixteenth of all input, between 4 MiB and 256 MiB, computed from the inputs alone. */
export function taskBytes(totalBytes: number): number {
  return Math.min(Math.max(Math.ceil(totalBytes / 16), 4 * MIB), 256 * MIB);
}

/**
 * Groups pieces, in order, into tasks: a task is closed as soon as it holds `target` bytes. A piece is never
 * split here, so a large document is a task of its own.
 */
export function groupPieces(pieces: readonly Piece[], target: number): Piece[][] {
  const tasks: Piece[][] = [];
  let current: Piece[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    const size = piece.byte_end - piece.byte_start;
    if (current.length > 0 && bytes + size > target) {
      tasks.push(current);
      current = [];
      bytes = 0;
    }
    current.push(piece);
    bytes += size;
  }
  if (current.length > 0) tasks.push(current);
  return tasks;
}
