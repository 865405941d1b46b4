import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { probeFile } from '../../src/formats/probe.js';
import type { ReadResult } from '../../src/formats/reader.js';
import { describeWithShared, sharedDir, sharedFile } from '../shared.js';
import { folderWith, onlyReject, readAll, readFiles, rejectsOf, trajectoriesOf } from './read-all.js';

const samples = fileURLToPath(new URL('../../data/samples/logs', import.meta.url));

/** JSON files under a folder, with the paths of those that are one object. */
function documents(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(json|traj|ipynb)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /^\s*\{/.test(readFileSync(path, 'utf8').slice(0, 100)))
    .sort();
}

/** What results say, their place in the file aside. */
const shown = (results: readonly ReadResult[]): unknown[] =>
  results.map((result) =>
    result.kind === 'trajectory'
      ? [result.trajectory.source.format, result.trajectory.trajectory_id, result.trajectory.session_id]
      : result.kind === 'reject'
        ? [result.reject.code, result.reject.format]
        : result.kind,
  );

const linesOf = (results: readonly ReadResult[]): (number | null)[] =>
  results.flatMap((result) =>
    result.kind === 'trajectory'
      ? [result.trajectory.source.line]
      : result.kind === 'reject'
        ? [result.reject.line]
        : [],
  );

/** Reads a document by itself, in a list after another of its kind, and as a line after one. */
async function threeWays(path: string) {
  const text = readFileSync(path, 'utf8');
  // the same name in each folder: some formats read it
  const name = basename(path);
  const alone = await readFiles({ [name]: text });
  const listed = await readFiles({ [name]: `[${text},${text}]` });
  const line = JSON.stringify(JSON.parse(text));
  const lined = await readFiles({ [name]: `${line}\n${line}\n` });
  return { alone, listed, lined };
}

/** Formats whose lists and lines make one log of all: what stands twice counts once, or goes on with a run. */
const ONE_LOG: ReadonlySet<string> = new Set(['gemini-cli', 'litellm-completion-log']);

function eachReads(paths: readonly string[], root: string): void {
  it.each(paths.map((path) => path.slice(root.length + 1)))('reads as itself twice: %s', async (path) => {
    const { alone, listed, lined } = await threeWays(join(root, path));
    // what holds no trajectory of its own is refused under a code of its own where it is one of several
    const [first] = trajectoriesOf(alone);
    if (first === undefined || ONE_LOG.has(first.source.format)) return;
    const twice = [...shown(alone), ...shown(alone)];
    expect(shown(listed)).toEqual(twice);
    expect(shown(lined)).toEqual(twice);
    const places = [...alone.map(() => 1), ...alone.map(() => 2)];
    expect(linesOf(lined)).toEqual(places);
    // a format that has lists of its own names the place in its own way
    if (linesOf(listed).some((line) => line !== null)) expect(linesOf(listed)).toEqual(places);
  });
}

describe('each shipped log that is one document, in a list and as lines,', () => {
  eachReads(documents(samples), samples);
});

describeWithShared('each real log that is one document, in a list and as lines,', () => {
  const root = join(sharedDir ?? '', 'logs');
  eachReads(sharedDir === null ? [] : documents(root), root);
});

describeWithShared('a list of documents', () => {
  const document = (): { history: object[]; trajectory: object[] } =>
    JSON.parse(
      readFileSync(sharedFile('logs/atif_trajectory/openagents_login-trace_trajectory.json'), 'utf8'),
    );

  it('is joined to no report beside it, which may be of any of them', async () => {
    const run = {
      trajectory: [],
      history: [{ role: 'system', content: 's' }],
      info: { exit_status: 'submitted' },
    };
    const report = { resolved: true, tests_status: {} };
    const said = {
      ...run,
      history: [...run.history, { role: 'assistant', content: 'a', thought: 'a', action: 'ls' }],
    };
    const read = (content: unknown) => readFiles({ 'runs.json': content, 'report.json': report });
    expect(trajectoriesOf(await read(said)).map(({ resolved }) => resolved)).toEqual([true]);
    expect(trajectoriesOf(await read([said, said])).map(({ resolved }) => resolved)).toEqual([null, null]);
  });

  it('refuses an item that is none, alone and by its place', async () => {
    const results = await readFiles({ 'runs.json': [document(), { note: 'no run' }, 7, document()] });
    expect(trajectoriesOf(results).map(({ source }) => source.line)).toEqual([1, 4]);
    expect(rejectsOf(results).map(({ line, format }) => [line, format])).toEqual([
      [2, 'atif'],
      [3, 'atif'],
    ]);
  });

  it('is found behind items of another kind', async () => {
    const results = await readFiles({ 'runs.json': [{ note: 'no run' }, null, document()] });
    expect(trajectoriesOf(results).map(({ source }) => source.line)).toEqual([3]);
    expect(rejectsOf(results)).toHaveLength(2);
  });

  it('as lines is cut into ranges, of which each reads its own', async () => {
    const line = JSON.stringify(document());
    const root = folderWith({ 'runs.jsonl': `${line}\n${line}\n${line}\n` });
    expect(await probeFile(join(root, 'runs.jsonl'))).toEqual({ splittable: true });
    const bytes = Buffer.byteLength(line) + 1;
    const lines: (number | null)[] = [];
    for (const start of [0, bytes, 2 * bytes]) {
      const range = { byte_start: start, byte_end: start + bytes, first_line: start / bytes + 1 };
      const results = await readAll({ root, path: 'runs.jsonl', range });
      expect(trajectoriesOf(results)).toHaveLength(1);
      lines.push(...trajectoriesOf(results).map(({ source }) => source.line));
    }
    expect(lines).toEqual([1, 2, 3]);
  });

  it('of nothing that is known stays unknown', async () => {
    expect(onlyReject(await readFiles({ 'a.json': [{ a: 1 }, { b: 2 }] })).code).toBe('unknown_format');
    expect(onlyReject(await readFiles({ 'a.jsonl': '{"a":1}\n{"b":2}\n' })).code).toBe('unknown_format');
    expect(onlyReject(await readFiles({ 'a.json': [] })).code).toBe('unknown_format');
  });
});
