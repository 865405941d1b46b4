import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { TrajmillError } from '../errors.js';
import { makeFolder } from './make-folder.js';

/** Flushes a folder entry to disk, so that a rename survives a power cut; ignored where folders cannot be opened. */
export function syncFolder(path: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return;
  }
  try {
    fsyncSync(descriptor);
  } catch {
    // some file systems refuse fsync on folders; the rename itself is still atomic
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a whole file so that readers see the old one, none, or all of the new one: temp, fsync, rename. Throws
 * TrajmillError E_IO, and leaves nothing behind, where that fails.
 */
export function writeFileAtomic(path: string, content: string | Uint8Array): void {
  makeFolder(dirname(path));
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  try {
    writeSynced(temporary, bytes);
    renameSync(temporary, path);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TrajmillError('E_IO', `cannot write: ${reason}`, { place: path, cause });
  }
  syncFolder(dirname(path));
}

function writeSynced(path: string, bytes: Uint8Array): void {
  const descriptor = openSync(path, 'w');
  try {
    let written = 0;
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
