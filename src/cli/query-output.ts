import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { TrajmillError } from '../errors.js';
import { writeText } from '../report/query/write-text.js';
import type { CliStream } from './context.js';

/** A name beside a file, under which it is written until it is whole. */
const unfinishedName = (path: string): string => `${path}.${process.pid}.tmp`;

/** Text to standard output, no faster than its reader takes it. */
export async function writeTo(stream: CliStream, text: string): Promise<void> {
  if (stream instanceof Writable) await writeText(stream, text);
  else stream.write(text);
}

/**
 * Lets `write` fill a file under another name, which becomes `path` when it is whole and is gone when it is not.
 * `write` is given a function for text, and the other name for those who write the file themselves. Returns what it gave
 * once the file is there; throws TrajmillError E_IO where the file cannot be written.
 */
export async function writeWhole<T>(
  path: string,
  write: (text: (chunk: string) => Promise<void>, unfinished: string) => Promise<T>,
): Promise<T> {
  const unfinished = unfinishedName(path);
  const streams: Writable[] = [];
  const open = (): Writable => {
    const stream = createWriteStream(unfinished, { flags: 'wx' });
    // told by `finished` below
    stream.on('error', () => {});
    streams.push(stream);
    return stream;
  };
  try {
    const result = await write((chunk) => writeText(streams[0] ?? open(), chunk), unfinished);
    for (const stream of streams) await finished(stream.end());
    renameSync(unfinished, path);
    return result;
  } catch (error) {
    for (const stream of streams) stream.destroy();
    rmSync(unfinished, { force: true });
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new TrajmillError('E_IO', `cannot write: ${error.message}`, { place: path, cause: error });
  }
}
