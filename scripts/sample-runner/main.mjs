import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { playCoding } from './coding-session.mjs';
import { findPython } from './python.mjs';
import { CODING_SCRIPTS } from './scenarios/coding.mjs';
import { FROST_SCRIPTS } from './scenarios/frost.mjs';
import { PARCEL_SCRIPTS } from './scenarios/parcel.mjs';
import { SEED_SCRIPTS } from './scenarios/seed.mjs';
import { playScript } from './session.mjs';
import { makeTask, TASK_IDS } from './task.mjs';
import { expectedFacts, logFiles } from './write-logs.mjs';

const DATA_DIR = fileURLToPath(new URL('../../data', import.meta.url));
const SCRIPTS = [...FROST_SCRIPTS, ...PARCEL_SCRIPTS, ...SEED_SCRIPTS];
const USAGE = `Usage: node scripts/sample-runner/main.mjs [--out DIR] [--task ID]
Really runs the scripted attempts and writes DIR/samples and DIR/tasks/samples.json (default: data).
--task ID plays the sessions of one task alone, without the coding sessions.`;

async function play({ work, python, task_id }) {
  const tasks = TASK_IDS.filter((id) => task_id === undefined || id === task_id).map((id) => {
    const task = makeTask({ python, task_id: id, folder: join(work, 'tasks', id) });
    console.error(`${id}: ${task.board.length} baselines, ${JSON.stringify(task.thresholds)}`);
    return task;
  });
  const sessions = [];
  const folderOf = (script) => join(work, 'sessions', script.name);
  for (const script of SCRIPTS) {
    const task = tasks.find((candidate) => candidate.task_id === script.task);
    if (task === undefined) continue;
    console.error(`playing ${script.name}`);
    sessions.push(await playScript({ script, task, python, folder: folderOf(script) }));
  }
  for (const script of task_id === undefined ? CODING_SCRIPTS : []) {
    console.error(`playing ${script.name}`);
    sessions.push(await playCoding({ script, python, folder: folderOf(script) }));
  }
  return { tasks, sessions };
}

function writeText(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function writeJson(path, value) {
  writeText(path, `${JSON.stringify(value, null, 2)}\n`);
}

async function main() {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, task: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  if (values.task !== undefined && !TASK_IDS.includes(values.task)) {
    throw new Error(`sample-runner: no task ${values.task}; there are ${TASK_IDS.join(', ')}`);
  }
  if (values.task !== undefined && values.out === undefined) {
    throw new Error('sample-runner: --task needs --out, since it plays a part of the samples alone');
  }
  const out = values.out ?? DATA_DIR;
  const python = findPython();
  const work = mkdtempSync(join(tmpdir(), 'sample-runner-'));
  try {
    const { tasks, sessions } = await play({ work, python, task_id: values.task });
    const files = logFiles(sessions);
    const samples = join(out, 'samples');
    rmSync(join(samples, 'logs'), { recursive: true, force: true });
    for (const file of files) writeText(join(samples, file.path), file.text);
    writeJson(join(samples, 'expected.json'), expectedFacts({ files, tasks, python }));
    writeJson(
      join(out, 'tasks', 'sample-leaderboards.json'),
      Object.fromEntries(tasks.map((task) => [task.task_id, task.board])),
    );
    writeJson(
      join(out, 'tasks', 'samples.json'),
      tasks.map((task) => task.record),
    );
    console.error(`wrote ${files.length} log files with ${sessions.length} sessions under ${samples}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

await main();
