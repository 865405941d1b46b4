import type { ReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import xz from 'xz-decompress';
import { RejectError } from './reject.js';

const MAGIC = Buffer.from('\xfd7zXZ\0', 'latin1');

/** Whether bytes begin like an xz stream. */
export function isXz(head: Buffer): boolean {
  return head.subarray(0, MAGIC.length).equals(MAGIC);
}

/** What the library's codes mean, as far as a damaged or strange stream gives them. */
const FAULTS: Readonly<Record<string, string>> = {
  3: 'not enough memory',
  4: 'a dictionary that is too large',
  5: 'damaged',
  6: 'a filter or a check that is not read (of checks CRC32, CRC64 and none are)',
  7: 'damaged',
  8: 'cut off',
};

/**
 * The content of an xz stream, or of several one after another. One thread unpacks one such file at a time: a second
 * waits for the end of the first.
 *
 * @throws RejectError `bad_compression` on a damaged or cut stream, or one with a filter or check that is not read
 */
export async function* unxz(raw: ReadStream): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of new xz.XzReadableStream(Readable.toWeb(raw) as ReadableStream<Uint8Array>)) {
      if (chunk.length > 0) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
  } catch (error) {
    // The library passes on what the disk said as if the stream had said it.
    if (raw.errored !== null) throw raw.errored;
    const message = error instanceof Error ? error.message : String(error);
    const code = /error code (\d+)$/.exec(message)?.[1] ?? '';
    throw new RejectError('bad_compression', `xz: ${FAULTS[code] ?? message}`);
  } finally {
    raw.destroy();
  }
}
