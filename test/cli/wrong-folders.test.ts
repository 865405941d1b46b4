import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, temporaryFolder } from './harness.js';

/** Every command that takes a run folder or a corpus, with the words behind the folder. */
const READERS: readonly (readonly [command: string, ...rest: string[]])[] = [
  ['verify'],
  ['stats'],
  ['report'],
  ['explain', 'x'],
  ['view', 'x'],
  ['compare', '.'],
  ['diff', '.'],
  ['query', 'SELECT 1'],
  ['ui'],
  ['export', '--to', 'trl', '--out', 'exported'],
  ['collapse', '--out', 'collapsed'],
  ['status'],
  ['commit'],
];

describe('a folder that is not there', () => {
  it.each(READERS)('is what `%s` says, in one line and with 2', async (command, ...rest) => {
    const cwd = temporaryFolder();
    const { code, out, err } = await cli([command, 'nope', ...rest], { cwd });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^trajmill: [^\n]*nope: there is no such folder[^\n]*\n$/);
  });
});

describe('a path that is no corpus', () => {
  it('is named a file where it is one', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'file'), '{}');
    const { code, err } = await cli(['verify', 'file'], { cwd });
    expect({ code, err }).toEqual({ code: 2, err: `trajmill: ${join(cwd, 'file')}: is no folder\n` });
  });

  it('says that the corpus is not committed only where that is so', async () => {
    const cwd = temporaryFolder();
    const { code, err } = await cli(['stats', '.'], { cwd });
    expect(code).toBe(2);
    expect(err).toContain('the corpus is not committed');
  });

  // a link to itself stands for all that the system refuses: unlike a closed folder it also stops the superuser
  it('and cannot be read is 74 with the reason, for nobody knows whether it is committed', async () => {
    const cwd = temporaryFolder();
    for (const name of ['manifest.json', 'plan.json']) symlinkSync(name, join(cwd, name));
    for (const command of ['stats', 'verify', 'status', 'commit']) {
      const { code, err } = await cli([command, '.'], { cwd });
      expect(code, command).toBe(74);
      expect(err, command).toMatch(/^trajmill: [^\n]*\.json: cannot be read: ELOOP[^\n]*\n$/);
    }
  });
});

describe('a pipeline file that cannot be read', () => {
  it('is told with its reason: 2 for a wrong name, 74 for what the system refuses', async () => {
    const cwd = temporaryFolder();
    symlinkSync('loop.yaml', join(cwd, 'loop.yaml'));
    const run = async (pipeline: string) => cli(['run', pipeline], { cwd });
    const place = (name: string) => `trajmill: cannot read the pipeline file ${join(cwd, name)}`;
    expect(await run('nope.yaml')).toMatchObject({ code: 2, err: `${place('nope.yaml')}: no such file\n` });
    expect(await run('.')).toMatchObject({ code: 2, err: `${place('.')}: it is a folder\n` });
    const refused = await run('loop.yaml');
    expect(refused.code).toBe(74);
    expect(refused.err).toContain(`${place('loop.yaml')}: ELOOP`);
  });
});

describe('an empty name of a run folder', () => {
  it('is refused, on the command line and in the file: it would be the folder one stands in', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'log.jsonl'), '{"messages":[{"role":"user","content":"a"}]}\n');
    writeFileSync(join(cwd, 'p.yaml'), 'version: 1\ninputs: [{globs: [log.jsonl]}]\nout: ""\n');
    const inFile = await cli(['run', 'p.yaml'], { cwd });
    expect({ code: inFile.code, out: inFile.out }).toEqual({ code: 2, out: '' });
    expect(inFile.err).toContain('p.yaml:3:1: out: ');
    const onLine = await cli(['run', 'p.yaml', '--out', ''], { cwd });
    expect({ code: onLine.code, out: onLine.out }).toEqual({ code: 2, out: '' });
    expect(onLine.err).toContain('expected the name of a folder');
  });
});
