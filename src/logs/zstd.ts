import { Decompress } from 'fzstd';
import { RejectError } from './reject.js';

const MAGIC = 0xfd2fb528;
/** Frames that a reader passes over; parallel compressors begin with one. */
const SKIPPABLE = 0x184d2a5;

/** Whether bytes begin like a zstd stream. */
export function isZstd(head: Buffer): boolean {
  if (head.length < 4) return false;
  const magic = head.readUInt32LE(0);
  return magic === MAGIC || magic >>> 4 === SKIPPABLE;
}

/** Input goes in by small pieces: a block of four bytes can unfold to 128 KiB, and all of a piece unfolds at once. */
const PIECE_BYTES = 4 * 1024;

/**
 * The content of a zstd stream of one frame or several.
 *
 * @throws RejectError `bad_compression` on a damaged or cut stream
 */
export async function* unzstd(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const ready: Buffer[] = [];
  const stream = new Decompress((chunk) => {
    if (chunk.length > 0) ready.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  });
  const push = (piece: Uint8Array, final: boolean): void => {
    try {
      stream.push(piece, final);
    } catch (error) {
      throw new RejectError(
        'bad_compression',
        `zstd: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  for await (const chunk of packed) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      push(chunk.subarray(at, at + PIECE_BYTES), false);
      yield* ready.splice(0);
    }
  }
  push(new Uint8Array(0), true);
  yield* ready.splice(0);
}
