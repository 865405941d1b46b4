import { createWriteStream, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TrajmillError } from '../errors.js';
import { makeFolder } from './make-folder.js';
import type { RunFolder } from './run-folder.js';

/** How an input names standard input; also the path of what came from it, in the plan and in the corpus. */
export const STDIN_PATH = '-';

/** Standard input as a file of the run folder, since a run reads its inputs more than once. */
export interface StdinSpool {
  /** absolute; the file in it is named STDIN_PATH */
  readonly root: string;
  /** puts it where the run looks for it */
  keep(): void;
  /** takes it away again, where it is not the run's already */
  discard(): void;
}

/**
 * Writes standard input into the run folder, under a name of its own until `keep`. With `reuse` what an earlier call
 * kept stands in for it, and nothing is read.
 *
 * @throws TrajmillError E_INTERRUPTED where the signal ends it
 */
export async function spoolStdin(
  folder: RunFolder,
  options: { input: Readable; reuse: boolean; signal: AbortSignal | null },
): Promise<StdinSpool> {
  const { input, reuse, signal } = options;
  const kept = join(folder.stdin, STDIN_PATH);
  if (reuse && existsSync(kept)) return { root: folder.stdin, keep: () => {}, discard: () => {} };
  if (!reuse) removeTorn(folder);
  const root = `${folder.stdin}.${process.pid}.tmp`;
  const discard = (): void => rmSync(root, { recursive: true, force: true });
  makeFolder(root);
  try {
    // Raw logs may hold credentials that the corpus does not.
    const file = createWriteStream(join(root, STDIN_PATH), { mode: 0o600 });
    await pipeline(input, file, signal === null ? {} : { signal });
  } catch (error) {
    discard();
    if (signal?.aborted === true) {
      throw new TrajmillError('E_INTERRUPTED', 'interrupted while standard input was read', { cause: error });
    }
    throw error;
  }
  const keep = (): void => {
    makeFolder(folder.stdin);
    renameSync(join(root, STDIN_PATH), kept);
    discard();
  };
  return { root, keep, discard };
}

/** What a killed process left of its own reading. */
function removeTorn(folder: RunFolder): void {
  if (!existsSync(folder.dir)) return;
  for (const name of readdirSync(folder.dir)) {
    if (/^stdin\.\d+\.tmp$/.test(name)) rmSync(join(folder.dir, name), { recursive: true, force: true });
  }
}
