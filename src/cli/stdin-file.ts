import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { holdScratch, releaseScratch } from '../logs/scratch.js';

/** The name under which a command takes standard input in the place of a file. */
export const STDIN = '-';

/** Writes standard input into a file, since logs are looked at before they are read; `remove` takes it away again. */
export async function stdinFile(input: Readable): Promise<{ absolute: string; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'trajmill-stdin-'));
  const absolute = join(folder, 'stdin');
  holdScratch(folder);
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
    releaseScratch(folder);
  };
  try {
    await pipeline(input, createWriteStream(absolute));
  } catch (error) {
    remove();
    throw error;
  }
  return { absolute, remove };
}
