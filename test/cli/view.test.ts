import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder, trajmill, writePipeline } from '../pipeline/child-run.js';
import { duckRows } from '../tables/duck.js';
import { cli } from './harness.js';

const home = temporaryFolder();
const run = join(home, 'run');
afterAll(() => rmSync(home, { recursive: true, force: true }));

beforeAll(async () => {
  const done = await trajmill(['run', writePipeline(home), '--out', run, '--workers', '1']);
  expect(done.code, done.stderr).toBe(0);
});

const idsWhere = async (condition: string): Promise<string[]> => {
  const tables = `'${run}/corpus/data/trajectories/*.parquet'`;
  const rows = await duckRows(`select distinct trajectory_id as id from ${tables} where ${condition}`);
  return rows.map(({ id }) => String(id)).sort();
};

describe('view', () => {
  it('writes a page of every trajectory that was kept or has rows', async () => {
    const { code, out: stdout, err: stderr } = await cli(['view', run, '--all']);
    expect(code, stderr).toBe(0);
    const held = `trajectory_id in (select trajectory_id from '${run}/corpus/data/rl/*.parquet')`;
    const ids = await idsWhere(`decision = 'kept' or ${held}`);
    expect(readdirSync(join(run, 'view')).sort()).toEqual(ids.map((id) => `${id}.html`));
    expect(stdout.trim().split('\n').length).toBe(ids.length);
    // there and back: the report of the run, written anew, knows the pages, and they know it
    expect(stderr).toBe(`trajmill report ${run} writes the report anew, with links to these pages\n`);
    expect(readFileSync(join(run, 'view', `${ids[0]}.html`), 'utf8')).toContain(
      '<a href="../report.html">Report</a>',
    );
    expect((await cli(['report', run])).code).toBe(0);
    expect(readFileSync(join(run, 'report.html'), 'utf8')).toContain(
      `"pattern":"view/{id}.html","ids":["${ids[0]}"`,
    );
  });

  it('takes the beginning of an id, and writes where it is told', async () => {
    const [id = ''] = await idsWhere("decision = 'kept'");
    const out = join(home, 'deep', 'page.html');
    const { code, err: stderr } = await cli(['view', join(run, 'corpus'), id.slice(0, 14), '--out', out]);
    expect(code, stderr).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain(id);
    expect(readFileSync(out, 'utf8')).not.toContain('report.html');
    // the corpus is as it was
    expect((await cli(['verify', run])).code).toBe(0);
  });

  it('shows trajectories that were filtered or rejected too', async () => {
    for (const decision of ['filtered', 'rejected']) {
      const [id = ''] = await idsWhere(`decision = '${decision}'`);
      const out = join(home, `${decision}.html`);
      const { code, err: stderr } = await cli(['view', run, id, '--out', out]);
      expect(code, stderr).toBe(0);
      expect(readFileSync(out, 'utf8')).toContain(`"decision":"${decision}: `);
    }
  });

  it('refuses what names nothing, several, or both one and all', async () => {
    const several = [...'0123456789abcdef'];
    const ids = await idsWhere('true');
    const initial = several.find((letter) => ids.filter((id) => id.startsWith(letter)).length > 1) ?? '';
    for (const args of [['zzzz'], [initial], [], [ids[0] ?? '', '--all'], ['--all', '--out', 'x.html']]) {
      const { code, err: stderr } = await cli(['view', run, ...args]);
      expect([args, code]).toEqual([args, 2]);
      expect(stderr.trim().split('\n').length).toBe(1);
    }
    expect(existsSync('x.html')).toBe(false);
  });
});
