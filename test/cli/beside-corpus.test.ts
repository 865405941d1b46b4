import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson, canonicalSha256 } from '../../src/pipeline/canonical-json.js';
import { cli, temporaryFolder } from './harness.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const chat = (n: number): string =>
  JSON.stringify({
    messages: [
      { role: 'user', content: `question ${n}` },
      { role: 'assistant', content: `answer ${n}` },
    ],
  });

let cwd = '';

/** A run of two tasks, each with a reject. */
beforeEach(async () => {
  cwd = temporaryFolder();
  mkdirSync(join(cwd, 'logs'));
  for (const name of ['a', 'b']) {
    writeFileSync(
      join(cwd, 'logs', `${name}.jsonl`),
      `${chat(name.charCodeAt(0))}\n${chat(7)}\n{"messages": [oops\n`,
    );
  }
  writeFileSync(
    join(cwd, 'p.yaml'),
    "version: 1\ninputs:\n  - globs: ['logs/*.jsonl']\nselection:\n  rules: [whole]\nshard_bytes: 10\n",
  );
  const { code, err } = await cli(['run', 'p.yaml', '--out', 'out', '--workers', '1', '--no-report'], {
    cwd,
  });
  expect(code, err).toBe(0);
});

const at = (...names: string[]): string => join(cwd, 'out', ...names);
const verify = async () => {
  const { code, out } = await cli(['verify', 'out', '--json'], { cwd });
  const { checks } = JSON.parse(out) as {
    checks: { name: string; failures: { place: string; message: string }[] }[];
  };
  const failed = checks.flatMap(({ name, failures }) => failures.map(({ place }) => `${name}: ${place}`));
  return { code, failed, checks };
};

/** Changes each of some bytes of a file in turn, and gives what is found of each. */
async function flipped(path: string, places: (bytes: Buffer) => number[]): Promise<Set<string>> {
  const good = readFileSync(path);
  const found = new Set<string>();
  for (const place of places(good)) {
    const bad = Buffer.from(good);
    bad.writeUInt8(bad.readUInt8(place) ^ 1, place);
    writeFileSync(path, bad);
    const { code, failed } = await verify();
    found.add(`${code} ${failed.join()}`);
  }
  writeFileSync(path, good);
  return found;
}

const spread = (bytes: Buffer): number[] =>
  [0.13, 0.5, 0.87].map((share) => Math.floor(bytes.length * share));

describe('verify of a run folder', () => {
  it('looks at five files beside the shards and finds nothing in what a run wrote', async () => {
    expect(JSON.parse(readFileSync(at('plan.json'), 'utf8')).body.tasks.length).toBeGreaterThan(1);
    const { code, checks } = await verify();
    expect(code).toBe(0);
    expect(checks.find(({ name }) => name === 'beside')).toMatchObject({ checked: 5, failed: 0 });
  });

  it.each([
    ['plan.json', '../plan.json'],
    ['rejects.jsonl', '../rejects.jsonl'],
    ['corpus/croissant.json', 'croissant.json'],
  ])('finds any changed byte of %s', async (name, place) => {
    expect([...(await flipped(at(name), spread))]).toEqual([`65 beside: ${place}`]);
  });

  it('finds a changed count, a lost file and what is added', async () => {
    const good = readFileSync(at('summary.json'), 'utf8');
    const summary = JSON.parse(good);
    for (const change of [{ kept: 9 }, { by_format: {} }, { rows: {} }, { extra: 1 }, { plan_id: 'x' }]) {
      writeFileSync(at('summary.json'), JSON.stringify({ ...summary, ...change }));
      expect((await verify()).failed, JSON.stringify(change)).toEqual(['beside: ../summary.json']);
    }
    writeFileSync(at('summary.json'), JSON.stringify({ ...summary, out_dir: '/elsewhere' }));
    expect((await verify()).code).toBe(0);
    rmSync(at('summary.json'));
    expect((await verify()).failed).toEqual(['beside: ../summary.json']);
  });

  it('finds a reject that is gone, also where the markers of the tasks are', async () => {
    const lines = readFileSync(at('rejects.jsonl'), 'utf8').split('\n');
    expect(lines.length).toBeGreaterThan(2);
    writeFileSync(at('rejects.jsonl'), lines.slice(1).join('\n'));
    expect((await verify()).failed).toEqual(['beside: ../rejects.jsonl']);
    rmSync(at('completions'), { recursive: true });
    expect((await verify()).failed).toEqual(['beside: ../rejects.jsonl']);
    writeFileSync(at('rejects.jsonl'), lines.join('\n'));
    expect((await verify()).code).toBe(0);
  });

  it('lets people edit a card, but not what loaders read in its head', async () => {
    const card = readFileSync(at('corpus/README.md'), 'utf8');
    writeFileSync(at('corpus/README.md'), `${card.replace('---\n', '---\nlicense: mit\n')}\nOur notes.\n`);
    expect((await verify()).code).toBe(0);
    writeFileSync(at('corpus/README.md'), card.replace('data/sft/train-*', 'data/sft/test-*'));
    expect((await verify()).failed).toEqual(['beside: README.md']);
  });

  it.each(['sft', 'trajectories'])('lays a damaged shard of %s at no other table', async (table) => {
    const { files } = JSON.parse(readFileSync(at('corpus/manifest.json'), 'utf8')) as {
      files: { path: string; table: string }[];
    };
    const shard = files.find((file) => file.table === table)?.path ?? '';
    const middle = (bytes: Buffer) => [bytes.length >> 1];
    expect([...(await flipped(at('corpus', shard), middle))]).toEqual([`65 sums: ${shard}`]);
  });

  it('asks nothing of a corpus that was moved away from its plan', async () => {
    cpSync(at('corpus'), join(cwd, 'moved'), { recursive: true });
    const { code, out } = await cli(['verify', 'moved'], { cwd });
    expect(code).toBe(0);
    expect(out).toContain('(0 checked)');
  });
});

describe('a plan that cannot be used', () => {
  it('is told apart: damaged, changed, or of a version with other options', async () => {
    const good = readFileSync(at('plan.json'), 'utf8');
    const { body } = JSON.parse(good);
    const status = async (text: string) => {
      writeFileSync(at('plan.json'), text);
      return (await cli(['status', 'out'], { cwd })).err;
    };
    expect(await status(good.slice(0, -9))).toContain(
      'plan.json: is damaged: not JSON; a run needs another --out folder',
    );
    const seeded = { ...body, config: { ...body.config, seed: 99 } };
    expect(await status(good.replace(canonicalJson(body), canonicalJson(seeded)))).toContain(
      'changed after it was frozen',
    );
    const { secrets: _, ...config } = body.config;
    const older = { ...body, config };
    const sealed = canonicalJson({ plan_id: canonicalSha256(older), body: older });
    expect(await status(sealed)).toContain('is of another version of trajmill');
  });
});

describe('a corpus whose manifest is damaged', () => {
  it('is owed, says so, and is made again', async () => {
    const good = readFileSync(at('corpus/manifest.json'));
    writeFileSync(at('corpus/manifest.json'), '{');
    expect((await cli(['verify', 'out'], { cwd })).err).toMatch(/is damaged: not JSON; make the corpus anew/);
    expect((await cli(['status', 'out'], { cwd })).out).toContain(
      'next: run the pipeline again with --resume',
    );
    expect((await cli(['run', 'p.yaml', '--out', 'out', '--resume'], { cwd })).code).toBe(0);
    expect(readFileSync(at('corpus/manifest.json'))).toEqual(good);
  });
});

describe('a run folder that holds the logs', () => {
  it('is refused before anything is written, instead of leaving them out', async () => {
    for (const out of ['logs', '.']) {
      const { code, err } = await cli(['run', 'p.yaml', '--out', out], { cwd });
      expect(code).toBe(2);
      expect(err).toMatch(
        /the run folder holds the input (logs\/)?a\.jsonl; give the run a folder of its own/,
      );
      expect(existsSync(join(cwd, out, 'plan.json'))).toBe(false);
    }
  });

  it('is one of a run where it lies among them, and is passed over', async () => {
    writeFileSync(
      join(cwd, 'all.yaml'),
      readFileSync(join(cwd, 'p.yaml'), 'utf8').replace('logs/*', 'logs/**/*'),
    );
    renameSync(at(), join(cwd, 'gone'));
    const argv = ['run', 'all.yaml', '--out', 'logs/out', '--json', '--input', 'logs/**/*', '-'];
    const first = await cli(argv, { cwd, stdin: chat(1) });
    expect(first.code, first.err).toBe(0);
    const again = await cli(argv, { cwd, stdin: chat(1) });
    expect(JSON.parse(again.out).read).toBe(JSON.parse(first.out).read);
  });
});

describe('standard output on a full disk', () => {
  it.runIf(existsSync('/dev/full'))('ends a command with 74 and one line', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'formats'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/^trajmill: standard output cannot be written: ENOSPC[^\n]*\n$/);
    expect(status).toBe(74);
  });
});
