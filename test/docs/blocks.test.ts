import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTaskFile } from '../../src/grading/task-file.js';
import { parsePipeline } from '../../src/pipeline/config-file.js';
import { duckRows } from '../tables/duck.js';
import { type CodeBlock, codeBlocks, PAGES, repository } from './pages.js';

// Shell blocks are run unless they are marked: `sh example` needs what a reader has and a test has not, `sh setup`
// are the two commands of the README, which the tests themselves are part of.
const ALL = PAGES.flatMap(codeBlocks);
const named = (blocks: readonly CodeBlock[]): [string, CodeBlock][] =>
  blocks.map((block) => [`${block.page}:${block.line}`, block]);
const inLanguage = (language: string, mark: string): CodeBlock[] =>
  ALL.filter((block) => block.language === language && block.mark === mark);

const home = mkdtempSync(join(tmpdir(), 'trajmill-docs-'));
const bin = join(home, 'bin');
const main = join(repository, 'dist', 'cli', 'main.js');

/** A command on the path that runs the build; `npx` drops its first word, which is the tool's name. */
function writeCommand(name: string, drop: string): void {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${drop}exec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(path, 0o755);
}

beforeAll(async () => {
  mkdirSync(bin);
  writeCommand('trajmill', '');
  writeCommand('npx', '[ "$1" = trajmill ] && shift\n');
  for (const folder of ['pipelines', 'data']) {
    cpSync(join(repository, folder), join(home, folder), { recursive: true });
  }
  // npm start, as it stands in package.json: pages take its corpus for granted
  const { code, output } = await runScript('trajmill run pipelines/demo.yaml');
  expect(code, output).toBe(0);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs a script as a reader would, in a folder like the project's, stopping at the first command that fails. */
function runScript(script: string): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, NO_COLOR: '1', PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
  const child: ChildProcess = spawn('sh', ['-e', '-c', script], { cwd: home, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

describe('shell blocks', () => {
  it.each(named(inLanguage('sh', '')))('%s runs', async (_, { text }) => {
    const { code, output } = await runScript(text);
    expect(code, output).toBe(0);
    expect(output).not.toBe('');
  });

  it('have no marks but the known ones', () => {
    const marks = ALL.filter(({ language }) => language === 'sh').map(({ mark }) => mark);
    expect(new Set(marks)).toEqual(new Set(['', 'example', 'setup']));
  });

  it('of the README are what npm start and npm test do', () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const build = 'npm run --silent build';
    expect(scripts['start']).toBe(`${build} && node dist/cli/main.js run pipelines/demo.yaml`);
    expect(scripts['test']?.split(' && ')[0]).toBe(build);
  });
});

describe('SQL blocks', () => {
  it.each(named(ALL.filter(({ language }) => language === 'sql')))('%s answer', async (_, { text }) => {
    // npm start, as it stands in package.json
    const { code, output } = await runScript('trajmill run pipelines/demo.yaml');
    expect(code, output).toBe(0);
    expect(output).toMatch(
      /Trajectories +\d+ read = \d+ kept \+ \d+ filtered \+ \d+ rejected \+ \d+ duplicate/,
    );
    const rows = await duckRows(text.replaceAll("'out/", `'${home}/out/`));
    expect(rows.length).toBeGreaterThan(0);
  });
});

describe('YAML blocks', () => {
  it.each(named(inLanguage('yaml', '')))('%s is a pipeline, or a part of one', (place, { text }) => {
    const whole = /^version:/m.test(text) ? text : `version: 1\n${text}`;
    expect(parsePipeline(whole, place).version).toBe(1);
  });

  it.each(named(inLanguage('yaml', 'tasks')))('%s is a task file', (place, { text }) => {
    expect(parseTaskFile(text, place).length).toBeGreaterThan(0);
  });
});

describe('JavaScript blocks', () => {
  it.each(named(ALL.filter(({ language }) => language === 'js')))(
    '%s uses what the library exports',
    async (_, block) => {
      const { text } = block;
      const library = (await import('../../src/index.js')) as Record<string, unknown>;
      const imports = [...text.matchAll(/import \{ ([^}]+) \} from 'trajmill'/g)];
      expect(imports.length).toBeGreaterThan(0);
      for (const [, names = ''] of imports) {
        for (const name of names.split(', ')) expect(library[name], name).toBeDefined();
      }
    },
  );
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('skipped without python3: syntax of the Python blocks');

describe.skipIf(!hasPython)('Python blocks', () => {
  it.each(named(ALL.filter(({ language }) => language === 'python')))('%s parses', (_, { text }) => {
    const parsed = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: text,
    });
    expect(parsed.status, parsed.stderr.toString()).toBe(0);
  });
});
