import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ReadLimits } from './limits.js';
import { RejectError } from './reject.js';
import { holdScratch, releaseScratch } from './scratch.js';
import type { TarMember } from './tar.js';

/** The members of an archive as files in a folder of their own. */
export interface UnpackedMembers {
  /** absolute */
  readonly root: string;
  /** relative to the root, forward slashes, in order of code units */
  readonly names: readonly string[];
}

/** A path that leads out of the archive, or that means something else on another system. */
const UNSAFE = /^\/|^[a-z]:|\\|(?:^|\/)\.\.(?:\/|$)|\0/i;
const MAX_COMPONENT_BYTES = 255;

/** What macOS puts beside each file. */
const RESOURCE_FORK = /(?:^|\/)(?:__MACOSX\/|\._[^/]*$)/;

/** A fresh folder for members; the caller removes it with removeUnpacked. */
export function unpackFolder(): string {
  const root = mkdtempSync(join(tmpdir(), 'trajmill-'));
  holdScratch(root);
  return root;
}

export function removeUnpacked(root: string): void {
  rmSync(root, { recursive: true, force: true });
  releaseScratch(root);
}

/**
 * Writes the members of an archive into a folder. Of members with one name the last counts. Nothing is written outside
 * of the folder, and no more than the limits allow.
 *
 * @throws RejectError `bad_archive` for paths that lead out of it, names that clash, or more bytes or members than
 *   the limits allow, which the message names
 */
export async function unpackMembers(
  root: string,
  members: AsyncIterable<TarMember>,
  limits: Pick<ReadLimits, 'unpacked_bytes' | 'archive_members'>,
): Promise<UnpackedMembers> {
  const names = new Set<string>();
  let total = 0;
  let count = 0;
  for await (const member of members) {
    count++;
    if (count > limits.archive_members) {
      throw new RejectError('bad_archive', `more than ${limits.archive_members} members`);
    }
    const name = safeName(member.name);
    if (name === '' || RESOURCE_FORK.test(name)) continue;
    if (total + member.size > limits.unpacked_bytes) throw tooLarge(limits);
    const file = openMember(root, name);
    try {
      for await (const chunk of member.content) {
        total += chunk.length;
        if (total > limits.unpacked_bytes) throw tooLarge(limits);
        for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
      }
    } finally {
      closeSync(file);
    }
    names.add(name);
  }
  return { root, names: [...names].sort((a, b) => (a < b ? -1 : 1)) };
}

function tooLarge(limits: Pick<ReadLimits, 'unpacked_bytes'>): RejectError {
  return new RejectError('bad_archive', `unfolds beyond the limit of ${limits.unpacked_bytes} bytes`);
}

/** The name without `./` and doubled slashes. */
function safeName(name: string): string {
  if (UNSAFE.test(name)) {
    const shown = JSON.stringify(name.slice(0, 80));
    throw new RejectError('bad_archive', `a member's path leads out of the archive: ${shown}`);
  }
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const long = parts.find((part) => Buffer.byteLength(part) > MAX_COMPONENT_BYTES);
  if (long !== undefined) {
    throw new RejectError('bad_archive', `a member's name above ${MAX_COMPONENT_BYTES} bytes`);
  }
  return parts.join('/');
}

const CLASHES: ReadonlySet<string> = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL']);

function openMember(root: string, name: string): number {
  const path = join(root, name);
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'w');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!CLASHES.has(code)) throw error;
    throw new RejectError(
      'bad_archive',
      `two members cannot lie side by side: ${JSON.stringify(name.slice(0, 80))}`,
    );
  }
}
