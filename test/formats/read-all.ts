import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type ReadRequest, type ReadResult, readTrajectories } from '../../src/formats/reader.js';
import type { Reject } from '../../src/logs/reject.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';

/** Everything that a file yields; by default the whole file, format auto, companions from disk. */
export async function readAll(
  request: Pick<ReadRequest, 'root' | 'path'> & Partial<ReadRequest>,
): Promise<ReadResult[]> {
  const results: ReadResult[] = [];
  const defaults = { range: null, format: 'auto', siblings: null };
  for await (const result of readTrajectories({ ...defaults, ...request })) results.push(result);
  return results;
}

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A fresh folder with these files, gone after the tests; the values are text, bytes or JSON. */
export function folderWith(files: Readonly<Record<string, unknown>>): string {
  const root = mkdtempSync(join(tmpdir(), 'trajmill-read-'));
  folders.push(root);
  for (const [name, content] of Object.entries(files)) {
    const raw = typeof content === 'string' || content instanceof Buffer;
    writeFileSync(join(root, name), raw ? content : JSON.stringify(content));
  }
  return root;
}

/** Reads the first of the files, with the others beside it. */
export async function readFiles(
  files: Readonly<Record<string, unknown>>,
  rest: Partial<ReadRequest> = {},
): Promise<ReadResult[]> {
  const [path = ''] = Object.keys(files);
  return readAll({ root: folderWith(files), path, ...rest });
}

export function trajectoriesOf(results: readonly ReadResult[]): Trajectory[] {
  return results.flatMap((result) => (result.kind === 'trajectory' ? [result.trajectory] : []));
}

export function rejectsOf(results: readonly ReadResult[]): Reject[] {
  return results.flatMap((result) => (result.kind === 'reject' ? [result.reject] : []));
}

/** The one trajectory that results hold. */
export function onlyTrajectory(results: readonly ReadResult[]): Trajectory {
  const [trajectory] = trajectoriesOf(results);
  if (trajectory === undefined || results.length !== 1) {
    throw new Error(`expected one trajectory, found ${JSON.stringify(results).slice(0, 400)}`);
  }
  return trajectory;
}

/** The one reject that results hold. */
export function onlyReject(results: readonly ReadResult[]): Reject {
  const [reject] = rejectsOf(results);
  if (reject === undefined || results.length !== 1) {
    throw new Error(`expected one reject, found ${JSON.stringify(results).slice(0, 400)}`);
  }
  return reject;
}
