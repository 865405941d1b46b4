import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, temporaryFolder } from '../cli/harness.js';
import { repository } from './child-run.js';

const docs = readFileSync(join(repository, 'docs/pipeline-formats.md'), 'utf8');
const section = docs.slice(docs.indexOf('## Adapters in a run'));
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';

/** A folder with the example of the docs, two of its logs and the package in reach. */
function project(module = block('js'), pipeline = block('yaml')): string {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'runs'));
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(repository, join(cwd, 'node_modules/trajmill'));
  writeFileSync(join(cwd, 'tick-log.mjs'), module);
  writeFileSync(join(cwd, 'p.yaml'), pipeline);
  writeFileSync(join(cwd, 'runs/a.log'), '#tick\n> hello\n< hi\n');
  writeFileSync(join(cwd, 'runs/b.log'), '#tick\nwhat?\n');
  return cwd;
}

const RUN = ['run', 'p.yaml', '--out', 'out', '--json'];

describe('adapters of a module', () => {
  it('read in every worker, as the docs show', async () => {
    const cwd = project();
    const { code, out, err } = await cli(RUN, { cwd });
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ read: 2, kept: 1, rejected: 1, by_format: { 'tick-log': 1 } });
    const [reject] = readFileSync(join(cwd, 'out/rejects.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(reject ?? '')).toMatchObject({
      source: 'b.log',
      code: 'bad_shape',
      format: 'tick-log',
    });
    expect((await cli(['verify', 'out'], { cwd })).code).toBe(0);
  });

  it('are part of the plan, by sum and version, without their path', async () => {
    const planOf = async (module: string): Promise<string> => {
      const cwd = project(module);
      await cli(['plan', 'p.yaml', '--out', 'out'], { cwd });
      const plan = readFileSync(join(cwd, 'out/plan.json'), 'utf8');
      expect(plan).not.toContain(cwd);
      return plan;
    };
    const plan = await planOf(block('js'));
    expect(plan).toBe(await planOf(block('js')));
    expect(JSON.parse(plan)).toMatchObject({
      body: { adapters: { 'tick-log': '1' }, adapter_modules: [{ name: 'tick-log.mjs' }] },
    });
    expect(plan).not.toBe(await planOf(`${block('js')}\n// changed\n`));
  });

  it('that changed since they were planned are refused', async () => {
    const cwd = project();
    await cli(['plan', 'p.yaml', '--out', 'out'], { cwd });
    writeFileSync(join(cwd, 'tick-log.mjs'), `${block('js')}\n// changed\n`);
    const { executeRun } = await import('../../src/pipeline/execute-run.js');
    const { signal } = new AbortController();
    const fault = await executeRun({ outDir: join(cwd, 'out'), resume: true, workers: 1, signal }).catch(
      (error: unknown) => error,
    );
    expect(fault).toMatchObject({ code: 'E_PLAN_MISMATCH', exitCode: 2 });
  });

  it('can be named by the pipeline', async () => {
    const named = block('yaml').replace('globs: [runs/*.log]', 'globs: [runs/a.log]\n    format: tick-log');
    expect(JSON.parse((await cli(RUN, { cwd: project(block('js'), named) })).out)).toMatchObject({ kept: 1 });
  });

  it.each([
    [
      'that is missing',
      '',
      'cannot read the adapter module',
      (pipeline: string) => pipeline.replace('tick-log.mjs', 'gone.mjs'),
    ],
    ['that fails', 'throw new Error("no luck");', 'fails: no luck', (pipeline: string) => pipeline],
    ['without adapters', 'export const x = 1;', 'exports a list `adapters`', (pipeline: string) => pipeline],
    [
      'with something else',
      'export const adapters = [{ name: "a", version: "1", unit: "text", detect: 1, read: () => [] }];',
      'adapters.0.detect: must be a function',
      (pipeline: string) => pipeline,
    ],
    [
      'whose name is taken',
      'export const adapters = [{ name: "atif", version: "1", unit: "text", detect: () => null, read: () => [] }];',
      'there is a format atif already',
      (pipeline: string) => pipeline,
    ],
  ])('of a module %s are a fault of the configuration', async (_, module, said, change) => {
    const { code, err } = await cli(RUN, { cwd: project(module, change(block('yaml'))) });
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  });
});
