import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { executeShell, openSandbox } from './sandbox.mjs';

const GIT_IDENTITY = {
  GIT_AUTHOR_NAME: 'sample',
  GIT_AUTHOR_EMAIL: 'sample@example.org',
  GIT_COMMITTER_NAME: 'sample',
  GIT_COMMITTER_EMAIL: 'sample@example.org',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** Plays a coding script: its commands really run, in a fresh repository, and a hidden test judges the result. */
export async function playCoding({ script, python, folder }) {
  const sandbox = openSandbox({ folder, name: 'repo', python, files: script.files });
  const shell = (line) => executeShell(sandbox, { line, limit: script.limit, stamp: GIT_IDENTITY });
  const ready = await shell('git init -q -b main . && git add -A && git commit -q -m "start"');
  if (ready.status !== 'ok') throw new Error(`sample-runner: git is needed\n${ready.stderr}`);
  const turns = [];
  for (const turn of script.turns) {
    turns.push({ ...turn, think: turn.think ?? null, result: await shell(turn.command) });
  }
  const hidden = join(folder, script.hidden.path);
  mkdirSync(dirname(hidden), { recursive: true });
  writeFileSync(hidden, script.hidden.text);
  const verdict = await shell(`python3 -m unittest -q ${script.hidden.module}`);
  return { script, task: null, sandbox, turns, resolved: verdict.status === 'ok' };
}
