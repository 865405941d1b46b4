import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));

function findShared(): string | null {
  const candidates = [process.env['TRAJMILL_SHARED'], join(repository, '..', 'shared')];
  for (const candidate of candidates) {
    if (candidate !== undefined && existsSync(join(candidate, 'logs'))) return resolve(candidate);
  }
  return null;
}

/** Folder of real logs and grading facts, or null where the checkout has none. */
export const sharedDir: string | null = findShared();

/** Absolute path of a file under the shared folder; call only inside describeWithShared. */
export function sharedFile(relative: string): string {
  if (sharedDir === null) throw new Error(`no shared folder for ${relative}`);
  return join(sharedDir, relative);
}

/** A describe block that needs the real logs; without them it is skipped, by name. */
export function describeWithShared(name: string, body: () => void): void {
  if (sharedDir === null) {
    console.warn(`skipped without real logs (set TRAJMILL_SHARED): ${name}`);
    describe.skip(name, body);
    return;
  }
  describe(name, body);
}
