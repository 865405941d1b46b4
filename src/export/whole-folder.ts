import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TrajmillError } from '../errors.js';
import { holdScratch, releaseScratch } from '../logs/scratch.js';
import { ExportSink } from './export-sink.js';

/**
 * Has a folder written that appears under its name when it is whole, or not at all. Throws TrajmillError E_USAGE
 * where there is something already.
 */
export async function writeWholeFolder<Result>(
  out: string,
  write: (root: ExportSink) => Promise<Result>,
): Promise<Result> {
  await refuseOccupied(out);
  await mkdir(dirname(out), { recursive: true });
  // beside it, so that a rename suffices, and under a name that nobody has
  const staging = `${out}.partial-${randomUUID()}`;
  await mkdir(staging);
  holdScratch(staging);
  const root = new ExportSink(staging);
  try {
    const result = await write(root);
    await rmdir(out).catch(() => {});
    await rename(staging, out);
    return result;
  } catch (error) {
    await root.abandon();
    await rm(staging, { recursive: true, force: true });
    throw error;
  } finally {
    releaseScratch(staging);
  }
}

async function refuseOccupied(out: string): Promise<void> {
  const entries = await readdir(out).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new TrajmillError('E_USAGE', 'is not a folder', { place: out, cause: error });
  });
  if (entries.length > 0) {
    throw new TrajmillError('E_USAGE', 'the folder is not empty; name another one', { place: out });
  }
}
