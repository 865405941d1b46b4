import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { trajmill } from '../../pipeline/child-run.js';

export interface ChatLog {
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

/** Runs made-up chats through a pipeline that keeps them whole, and gives the run folder. */
export async function runChats(
  home: string,
  { name, logs, options = '' }: { name: string; logs: readonly ChatLog[]; options?: string },
): Promise<string> {
  const folder = join(home, name);
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const lines = logs.map((log) => `${JSON.stringify(log)}\n`);
  writeFileSync(join(folder, 'logs', 'chats.jsonl'), lines.join(''));
  writeFileSync(
    join(folder, 'pipeline.yaml'),
    `version: 1\ninputs: [{globs: ['logs/*'], format: openai-messages}]\nselection: {rules: [whole]}\n${options}`,
  );
  const out = join(folder, 'out');
  const run = await trajmill(['run', join(folder, 'pipeline.yaml'), '--out', out, '--workers', '1']);
  expect(run.code, run.stderr).toBe(0);
  return out;
}

/** Writes the page of a trajectory and gives its path. */
export async function viewPage(run: string, id: string, name = 'page.html'): Promise<string> {
  const path = join(run, name);
  const view = await trajmill(['view', run, id, '--out', path]);
  expect(view.code, view.stderr).toBe(0);
  return path;
}
