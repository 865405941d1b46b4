import { createReadStream, type ReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { bunzip2, isBzip2 } from './bzip2.js';
import { RejectError } from './reject.js';
import { isXz, unxz } from './xz.js';
import { isZstd, unzstd } from './zstd.js';

export interface LogFile {
  readonly path: string;
  /** size on disk */
  readonly bytes: number;
  readonly compression: Compression | null;
}

export type Compression = keyof typeof COMPRESSIONS;

/** By name: how a compression begins, and how it is undone. */
const COMPRESSIONS = {
  gzip: { begins: (head: Buffer) => head[0] === 0x1f && head[1] === 0x8b, unpack: gunzip },
  zstd: { begins: isZstd, unpack: unzstd },
  bzip2: { begins: isBzip2, unpack: bunzip2 },
  xz: { begins: isXz, unpack: unxz },
} as const satisfies Record<
  string,
  { begins: (head: Buffer) => boolean; unpack: (raw: ReadStream) => AsyncGenerator<Buffer> }
>;

/** More than any of them needs to be told. */
const MAGIC_BYTES = 16;

const CHUNK_BYTES = 1024 * 1024;
const SMALL_BYTES = 64 * 1024;

/** Bytes to ask for at once: a corpus of very many small files must not pay a large buffer for each. */
export function chunkBytes(fileBytes: number): number {
  return Math.min(CHUNK_BYTES, Math.max(SMALL_BYTES, fileBytes));
}

/** Opens nothing for long: size and compression of a file, by its magic bytes. */
export async function statLog(path: string): Promise<LogFile> {
  const { size } = await stat(path);
  const compression = compressionOf(await readHead(path, MAGIC_BYTES));
  return { path, bytes: size, compression };
}

function compressionOf(head: Buffer): Compression | null {
  for (const [name, { begins }] of Object.entries(COMPRESSIONS)) if (begins(head)) return name as Compression;
  return null;
}

/** The first bytes of a file on disk, at most `length`. */
export async function readHead(path: string, length: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

/**
 * The content of a log in chunks, unpacked where it is compressed.
 *
 * @throws RejectError `bad_compression` on a damaged stream, `too_large` when it unfolds beyond the limit
 */
export async function* readChunks(file: LogFile, limits: { unpacked_bytes: number }): AsyncGenerator<Buffer> {
  const raw = createReadStream(file.path, { highWaterMark: chunkBytes(file.bytes) });
  if (file.compression === null) {
    yield* raw;
    return;
  }
  let total = 0;
  for await (const chunk of COMPRESSIONS[file.compression].unpack(raw)) {
    total += chunk.length;
    if (total > limits.unpacked_bytes) {
      throw new RejectError(
        'too_large',
        `${file.compression} unfolds beyond the limit of ${limits.unpacked_bytes} bytes`,
      );
    }
    yield chunk;
  }
}

async function* gunzip(raw: ReadStream): AsyncGenerator<Buffer> {
  // pipeline destroys both streams when either fails; the failure itself reaches the loop below.
  const unpacked = pipeline(raw, createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  try {
    yield* unpacked as AsyncIterable<Buffer>;
  } catch (error) {
    if (isZlibError(error)) throw new RejectError('bad_compression', `gzip: ${error.message}`);
    throw error;
  }
}

function isZlibError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && error.code.startsWith('Z_');
}

/**
 * The content up to a limit, or to the chunk at which `until` is satisfied; `whole` says whether that is all of it.
 *
 * @throws RejectError as readChunks
 */
export async function readUpTo(
  file: LogFile,
  options: { maxBytes: number; unpacked_bytes: number; until?: (chunk: Buffer) => boolean },
): Promise<{ bytes: Buffer; whole: boolean }> {
  const pieces: Buffer[] = [];
  let total = 0;
  let satisfied = false;
  for await (const chunk of readChunks(file, options)) {
    // One more chunk tells that the content does not end here.
    if (satisfied) return { bytes: Buffer.concat(pieces, total), whole: false };
    pieces.push(chunk);
    total += chunk.length;
    if (total > options.maxBytes) {
      return { bytes: Buffer.concat(pieces, total).subarray(0, options.maxBytes), whole: false };
    }
    satisfied = options.until?.(chunk) ?? false;
  }
  return { bytes: Buffer.concat(pieces, total), whole: true };
}
