import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXPORTERS } from '../../src/export/exporters.js';
import { cli } from '../cli/harness.js';
import { exported, newFolder, RL_ROWS, WINDOW_ROWS, wholeCorpus, writeSplits } from './corpus.js';

/** Folders beside an export in which it is still being made. */
const partsBeside = (out: string): string[] =>
  readdirSync(dirname(out)).filter((name) => name.startsWith(`${basename(out)}.partial`));

let corpus = '';
beforeAll(async () => {
  corpus = await wholeCorpus();
});

describe('every export', () => {
  it('has a name of its own', () => {
    const names = EXPORTERS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(EXPORTERS.map(({ name }) => name))(
    '%s writes the files that it names, and a README',
    async (name) => {
      const pack = name === 'megatron-bridge' ? { options: { pack: 16 } } : {};
      const { path, files } = await exported(corpus, name, pack);
      const exporter = EXPORTERS.find((each) => each.name === name);
      for (const file of exporter?.files ?? []) {
        const [place = ''] = file.split(':');
        const where = place.startsWith('../') ? path(place.slice(3)) : path('train', place);
        expect(existsSync(where), place).toBe(true);
      }
      for (const { path: place, bytes } of files) expect(readFileSync(path(place)).length).toBe(bytes);
      expect(readFileSync(path('README.md'), 'utf8')).toContain(`--to ${name}`);
      expect(partsBeside(path())).toEqual([]);
    },
  );

  it.each(EXPORTERS.map(({ name }) => name))('%s gives the same bytes again', async (name) => {
    const pack = name === 'megatron-bridge' ? { options: { pack: 16 } } : {};
    const sums = async () => (await exported(corpus, name, pack)).files;
    expect(await sums()).toEqual(await sums());
  });
});

describe('the command', () => {
  it('says what was written, on stdout or as JSON', async () => {
    const out = join(newFolder(), 'trl');
    const text = await cli(['export', corpus, '--to', 'trl', '--out', out]);
    expect(text.code, text.err).toBe(0);
    expect(text.out).toContain('train: 3 rows, 12 tokens, 5 trained');
    const json = await cli(['export', corpus, '--to', 'trl', '--out', `${out}2`, '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ exporter: 'trl', splits: [{ split: 'train' }, {}] });
  });

  it.each([
    ['an unknown name', ['--to', 'nobody'], 'no export nobody; there are trl,'],
    ['an unknown split', ['--to', 'trl', '--split', 'test'], 'there are train, validation'],
    ['packs of unknown length', ['--to', 'megatron-bridge'], 'needs --pack LENGTH'],
    ['an option that means nothing', ['--to', 'skyrl', '--pack', '9'], '--pack means nothing'],
    ['an end of documents', ['--to', 'trl', '--eos-token', '9'], '--eos-token means nothing'],
    ['a token id of 33 bits', ['--to', 'olmo-core', '--eos-token', '4294967296'], 'a whole number from 0 to'],
    ['long rows without packs', ['--to', 'trl', '--overlong', 'drop'], 'means nothing without --pack'],
    [
      'packs that would hold nothing',
      ['--to', 'trl', '--pack', '1', '--overlong', 'drop'],
      'every row of split train is longer than a pack of 1; give a longer --pack',
    ],
    ['a consent without rewards', ['--to', 'trl', '--offline-policy'], '--offline-policy means nothing'],
    [
      'a scale without rewards',
      ['--to', 'verl', '--score-scale', 'validation'],
      '--score-scale means nothing',
    ],
    ['a consent to windows that are not there', ['--to', 'rllm', '--split', 'validation'], 'there are train'],
  ])('refuses %s', async (_, argv, message) => {
    const out = join(newFolder(), 'x');
    const { code, err } = await cli(['export', corpus, ...argv, '--out', out]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(existsSync(out)).toBe(false);
    expect(partsBeside(out)).toEqual([]);
  });

  it('refuses a folder that holds something, and takes an empty one', async () => {
    const out = newFolder();
    expect((await cli(['export', corpus, '--to', 'trl', '--out', out])).code).toBe(0);
    const again = await cli(['export', corpus, '--to', 'trl', '--out', out]);
    expect(again.code).toBe(2);
    expect(again.err).toContain('not empty');
  });

  it('leaves folders of others alone, whatever their name', async () => {
    const home = newFolder();
    mkdirSync(join(home, 'x.partial'));
    writeFileSync(join(home, 'x.partial', 'mine'), '');
    expect((await cli(['export', corpus, '--to', 'trl', '--out', join(home, 'x')])).code).toBe(0);
    expect(readdirSync(home).sort()).toEqual(['x', 'x.partial']);
    expect(existsSync(join(home, 'x.partial', 'mine'))).toBe(true);
  });

  it('leaves nothing behind where it fails half way', async () => {
    const rl = RL_ROWS.map((row) => ({ ...row, rollout_log_probs: Array.from(row.input_ids, () => null) }));
    const dir = await writeSplits({ train: { rl, windows: WINDOW_ROWS } });
    const out = join(newFolder(), 'x');
    const { code } = await cli(['export', dir, '--to', 'areal-rl', '--out', out]);
    expect(code).toBe(65);
    expect([existsSync(out), partsBeside(out)]).toEqual([false, []]);
  });

  it('takes the flags of consent', async () => {
    const rl = RL_ROWS.map((row) => ({
      ...row,
      policy_data: 'offline' as const,
      rollout_log_probs: null,
    }));
    const dir = await writeSplits({ train: { rl, windows: WINDOW_ROWS } });
    const argv = ['export', dir, '--to', 'rllm', '--out', join(newFolder(), 'x')];
    const refused = await cli(argv);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--offline-policy');
    expect((await cli([...argv, '--offline-policy'])).code).toBe(0);
  });

  it('needs a committed corpus', async () => {
    const dir = newFolder();
    mkdirSync(join(dir, 'staging'));
    writeFileSync(join(dir, 'plan.json'), '{}');
    const { code, err } = await cli(['export', dir, '--to', 'trl', '--out', join(dir, 'out')]);
    expect([code, err.includes('not committed')]).toEqual([2, true]);
  });
});
