import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import { type DiscoverRequest, discover } from '../../src/logs/discover.js';

const FILES = [
  'a/b.json',
  'a/B.json',
  'a/c/ä.jsonl',
  'a/c/z.jsonl',
  'a/c/[x] (1).json',
  'a/.hidden.json',
  'b/d.txt',
];
let base = '';

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'trajmill-discover-')));
  for (const file of FILES) {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), file);
  }
  symlinkSync(join(base, 'b'), join(base, 'a', 'linked'));
  symlinkSync(join(base, 'b', 'd.txt'), join(base, 'a', 'linked.txt'));
});

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

async function paths(request: DiscoverRequest): Promise<string[]> {
  return (await discover({ cwd: base, ...request })).files.map((file) => file.path);
}

async function faultOf(request: DiscoverRequest): Promise<TrajmillError> {
  try {
    await discover({ cwd: base, ...request });
  } catch (error) {
    if (error instanceof TrajmillError) return error;
    throw error;
  }
  throw new Error('no fault');
}

describe('discovery', () => {
  it('orders by code unit and takes regular files alone', async () => {
    const found = await discover({ globs: ['**/*'], cwd: base });
    expect(found.root).toBe(base);
    expect(found.files.map((file) => file.path)).toEqual([
      'a/B.json',
      'a/b.json',
      'a/c/[x] (1).json',
      'a/c/z.jsonl',
      'a/c/ä.jsonl',
      'b/d.txt',
    ]);
    expect(found.files.find((file) => file.path === 'b/d.txt')?.bytes).toBe(7);
    expect(found.warnings).toEqual([]);
  });

  it('does not depend on the order or overlap of patterns', async () => {
    const once = await paths({ globs: ['a/**/*.json', 'b/*'] });
    expect(await paths({ globs: ['b/*', 'a/**/*', 'a/**/*.json'], ignore: ['*.jsonl'] })).toEqual(once);
  });

  it('roots paths at the deepest common folder of the fixed parts', async () => {
    expect((await discover({ globs: ['a/c/*.jsonl'], cwd: base })).root).toBe(join(base, 'a', 'c'));
    expect(await paths({ globs: ['a/c/*.jsonl'] })).toEqual(['z.jsonl', 'ä.jsonl']);
    expect(await paths({ globs: ['../a/b.json', 'd.txt'], cwd: join(base, 'b') })).toEqual([
      'a/b.json',
      'b/d.txt',
    ]);
    expect(await paths({ globs: [`${base}/a/{b,B}.json`] })).toEqual(['B.json', 'b.json']);
    expect(await paths({ globs: ['{a,b}/*.{json,txt}'] })).toEqual(['a/B.json', 'a/b.json', 'b/d.txt']);
  });

  it('takes a named file or folder at its word', async () => {
    expect(await paths({ globs: ['a/c/[x] (1).json'] })).toEqual(['[x] (1).json']);
    expect(await paths({ globs: ['a/.hidden.json'] })).toEqual(['.hidden.json']);
    expect(await paths({ globs: ['a/linked.txt'] })).toEqual(['linked.txt']);
    expect(await paths({ globs: ['a'] })).toEqual([
      'B.json',
      'b.json',
      'c/[x] (1).json',
      'c/z.jsonl',
      'c/ä.jsonl',
    ]);
  });

  it('ignores by name, by path from the root, and by absolute path', async () => {
    expect(await paths({ globs: ['**/*'], ignore: ['*.json', 'b/**'] })).toEqual([
      'a/c/z.jsonl',
      'a/c/ä.jsonl',
    ]);
    expect(await paths({ globs: ['a/*.json'], ignore: [join(base, 'a', 'b.json')] })).toEqual(['B.json']);
    expect(await paths({ globs: ['../a/*.json'], cwd: join(base, 'b'), ignore: ['../a/B*'] })).toEqual([
      'b.json',
    ]);
    expect((await faultOf({ globs: ['b/d.txt'], ignore: ['**/*.txt'] })).code).toBe('E_NO_INPUT');
  });

  it('keeps a given root, and refuses files outside it', async () => {
    expect(await paths({ globs: ['a/c/*.jsonl'], root: base })).toEqual(['a/c/z.jsonl', 'a/c/ä.jsonl']);
    expect((await faultOf({ globs: ['b/*'], root: join(base, 'a') })).code).toBe('E_USAGE');
  });

  it('warns of a pattern without a match, and ends when none matches', async () => {
    const found = await discover({ globs: ['b/*', 'b/*.json'], cwd: base });
    expect(found.warnings).toEqual(['no file matches b/*.json']);
    const fault = await faultOf({ globs: ['nowhere/**/*.json', 'x.json'] });
    expect(fault.code).toBe('E_NO_INPUT');
    expect(fault.message).toBe('no file matches nowhere/**/*.json, x.json');
  });

  it.skipIf(process.platform !== 'linux')(
    'loses no neighbour of a file whose name is not UTF-8, and names it',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'trajmill-names-'));
      try {
        writeFileSync(join(folder, 'good.json'), 'good');
        writeFileSync(Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff])]), 'bad');
        const found = await discover({ globs: ['**/*'], cwd: folder });
        expect(found.files).toEqual([
          { path: 'bad\ufffd', bytes: 0 },
          { path: 'good.json', bytes: 4 },
        ]);
        expect(found.warnings).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
