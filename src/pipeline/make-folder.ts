import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { TrajmillError } from '../errors.js';

/**
 * Makes a folder and those above it, one by one. The recursive form of mkdir never returns on file systems that deny the
 * parent's existence, such as /proc.
 *
 * @throws TrajmillError E_IO where that is not possible
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST' && statSync(path).isDirectory()) return;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TrajmillError('E_IO', `cannot make the folder: ${reason}`, { place: path, cause });
  }
}
