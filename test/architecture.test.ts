import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../src', import.meta.url));

/** What each room may use besides itself, errors.ts and version.ts. The way of the data has no way back. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  trajectory: [],
  grading: ['trajectory'],
  logs: ['trajectory'],
  formats: ['logs', 'trajectory'],
  selection: ['grading', 'trajectory'],
  // a window carries its reward, and a reward is a function of a window's outcome
  rewards: ['grading', 'trajectory', 'windows'],
  windows: ['grading', 'rewards', 'trajectory'],
  // what a stage refuses is a reject of logs/
  chat: ['logs', 'trajectory'],
  tokens: ['chat', 'logs', 'trajectory'],
  // names that stand in columns
  tables: ['chat', 'grading', 'selection', 'tokens', 'trajectory', 'windows'],
  export: ['tables', 'tokens', 'chat', 'logs', 'trajectory'],
  pipeline: [
    'chat',
    'formats',
    'grading',
    'logs',
    'rewards',
    'selection',
    'tables',
    'tokens',
    'trajectory',
    'windows',
  ],
  // scripts of the pages run in a browser: they know the data that a page carries, and compute its figures with the
  // functions of `trajmill stats`
  browser: ['report/stats'],
  report: [
    'browser',
    'chat',
    'formats',
    'grading',
    'logs',
    'pipeline',
    'rewards',
    'selection',
    'tables',
    'tokens',
    'trajectory',
    'windows',
  ],
};

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

const imports = new Map(
  sourceFiles(source).map((path) => {
    const text = readFileSync(path, 'utf8');
    const targets = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map((match) =>
      resolve(dirname(path), `${match[1]}.ts`),
    );
    return [path, targets] as const;
  }),
);

const roomOf = (path: string): string => relative(source, path).split('/')[0] ?? '';

/** A part of a room may stand for the room where no more of it is needed. */
const isWithin = (path: string, room: string): boolean => relative(source, path).startsWith(`${room}/`);

describe('the house', () => {
  it('has no circle of imports', () => {
    const done = new Set<string>();
    const open: string[] = [];
    const visit = (path: string): void => {
      if (done.has(path)) return;
      const start = open.indexOf(path);
      expect(start === -1 ? [] : open.slice(start).map((each) => relative(source, each))).toEqual([]);
      open.push(path);
      for (const target of imports.get(path) ?? []) visit(target);
      open.pop();
      done.add(path);
    };
    for (const path of imports.keys()) visit(path);
    expect(done.size).toBeGreaterThan(100);
  });

  it('lets each room use only the rooms before it', () => {
    const wrong: string[] = [];
    for (const [path, targets] of imports) {
      const room = roomOf(path);
      if (room === 'cli' || room.endsWith('.ts')) continue;
      for (const target of targets) {
        const other = roomOf(target);
        const isShared = other === room || other === 'errors.ts' || other === 'version.ts';
        if (!isShared && !(MAY_USE[room] ?? []).some((allowed) => isWithin(target, allowed))) {
          wrong.push(`${relative(source, path)} uses ${relative(source, target)}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('bundles nothing into a page that needs Node', () => {
    const seen = new Set<string>();
    const foreign = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      const text = readFileSync(path, 'utf8');
      // imports of types alone are gone before anything is bundled
      for (const [, name = ''] of text.matchAll(/^import (?!type )[^;]*?from '([^']+)';/gm)) {
        if (name.startsWith('.')) visit(resolve(dirname(path), name.replace(/\.js$/, '.ts')));
        else foreign.add(name);
      }
    };
    const pages = readdirSync(join(source, 'browser'), { withFileTypes: true })
      .map((entry) => join(source, 'browser', entry.name, 'main.ts'))
      .filter((path) => imports.has(path));
    for (const page of pages) visit(page);
    expect(pages.length).toBeGreaterThan(0);
    expect([...foreign]).toEqual(['@observablehq/plot']);
  });

  it('keeps every file below 400 lines', () => {
    const large = [...imports.keys()].filter((path) => readFileSync(path, 'utf8').split('\n').length > 400);
    expect(large.map((path) => relative(source, path))).toEqual([]);
  });
});
