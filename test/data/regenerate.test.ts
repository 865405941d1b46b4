import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATA_DIR, type ExpectedSession, readBoards, readFacts, sessionsOf } from './samples.js';

const RUNNER = fileURLToPath(new URL('../../scripts/sample-runner/main.mjs', import.meta.url));
const TASK = 'sample-seed-variety';
const NAME = `sample runner, played again on ${TASK}`;
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn(`skipped without python3: ${NAME}`);

/** What must come out the same on any machine: everything but the times. */
function withoutTimes(session: ExpectedSession): unknown {
  const { line: _, copy_of: __, ...rest } = session;
  return { ...rest, executions: rest.executions.map(({ seconds: ___, ...execution }) => execution) };
}

describe.skipIf(!hasPython)(NAME, () => {
  let out = '';
  beforeAll(() => {
    out = mkdtempSync(join(tmpdir(), 'samples-again-'));
    execFileSync('node', [RUNNER, '--out', out, '--task', TASK], { stdio: 'pipe' });
  });
  afterAll(() => {
    rmSync(out, { recursive: true, force: true });
  });

  it('grades every baseline as before', () => {
    expect(readBoards(out)).toEqual({ [TASK]: readBoards(DATA_DIR)[TASK] });
  });

  it('gives the same task record', () => {
    expect(readFacts(out).tasks).toEqual({ [TASK]: readFacts(DATA_DIR).tasks[TASK] });
  });

  it('gives every session the same outcomes and scores', () => {
    const committed = sessionsOf(readFacts(DATA_DIR)).filter((session) => session.task_id === TASK);
    const again = sessionsOf(readFacts(out));
    expect(again.length).toBeGreaterThanOrEqual(5);
    const byName = (a: ExpectedSession, b: ExpectedSession) => (a.name < b.name ? -1 : 1);
    expect(again.sort(byName).map(withoutTimes)).toEqual(committed.sort(byName).map(withoutTimes));
  });
});
