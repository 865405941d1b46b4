import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));
const main = join(repository, 'dist', 'cli', 'main.js');

export interface ChildResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command line in a process of its own. */
export function trajmill(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildResult> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: repository,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', fail);
    child.on('close', (code, signal) => done({ code, signal, stdout, stderr }));
  });
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'trajmill-'));
}

/** The demo pipeline over the sample logs, cut into several tasks. */
export function writePipeline(folder: string, changes: (text: string) => string = (text) => text): string {
  const demo = readFileSync(join(repository, 'pipelines', 'demo.yaml'), 'utf8')
    .replaceAll('../', `${repository}/`)
    .replace(/^out:.*$/m, 'shard_bytes: 60000');
  const path = join(folder, 'pipeline.yaml');
  writeFileSync(path, changes(demo));
  return path;
}

/** sha256 of every file of the result, by path; staging and other leavings count too. */
export function fingerprint(runDir: string): Record<string, string> {
  const sums: Record<string, string> = {};
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder).sort()) {
      const path = join(folder, entry);
      if (statSync(path).isDirectory()) visit(path);
      else sums[relative(runDir, path)] = createHash('sha256').update(readFileSync(path)).digest('hex');
    }
  };
  visit(join(runDir, 'corpus'));
  sums['rejects.jsonl'] = createHash('sha256')
    .update(readFileSync(join(runDir, 'rejects.jsonl')))
    .digest('hex');
  return sums;
}
