import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('the benchmarks', () => {
  let folder = '';

  beforeAll(() => {
    // inside the package, as the build of `npm run bench` is
    mkdirSync('out', { recursive: true });
    folder = mkdtempSync(join('out', 'bench-'));
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const build = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.bench.json', '--outDir', folder]);
    expect(build.stdout.toString()).toBe('');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('load from a build of their own, and name those that there are', () => {
    const main = join(folder, 'bench', 'main.js');
    const { status, stderr } = spawnSync(process.execPath, [main, 'speed'], { encoding: 'utf8' });
    expect(stderr).toBe('no benchmark speed; there are encoder, masks, pipeline, peers\n');
    expect(status).toBe(2);
  });
});
