import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOG_FLAGS } from '../../src/formats/log-flags.js';
import { readTrajectories } from '../../src/formats/reader.js';
import { TASK_FLAGS } from '../../src/grading/resolve.js';
import { discover } from '../../src/logs/discover.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { repository } from './pages.js';

/** What other lists explain: execution flags that carry an id, and what tasks add. */
const ELSEWHERE: ReadonlySet<string> = new Set([...Object.keys(TASK_FLAGS), 'retry_of']);

function flagsOf({ flags, turns, executions, submissions }: Trajectory): string[] {
  const parts = [...turns, ...executions, ...submissions];
  return [...flags, ...parts.flatMap((part) => part.flags)].map((flag) => flag.split(':')[0] ?? flag);
}

/** Names of flags in the logs of a folder that no list explains, each with the format that sets it. */
async function unexplained(root: string): Promise<string[]> {
  const { files } = await discover({ globs: [root] });
  const found = new Set<string>();
  for (const { path } of files) {
    const results = readTrajectories({ root, path, range: null, format: 'auto', siblings: null });
    for await (const result of results) {
      if (result.kind !== 'trajectory') continue;
      for (const flag of flagsOf(result.trajectory)) {
        if (Object.hasOwn(LOG_FLAGS, flag) || ELSEWHERE.has(flag)) continue;
        found.add(`${result.trajectory.source.format}: ${flag}`);
      }
    }
  }
  return [...found].sort();
}

describe('flags of logs', () => {
  it('of the samples are all explained', async () => {
    expect(await unexplained(join(repository, 'data/samples/logs'))).toEqual([]);
  });

  it('that adapters set by name are all explained', () => {
    const folder = join(repository, 'src/formats');
    const named = readdirSync(folder).flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8');
      const calls = source.matchAll(/\b(?:flags|marks|run|this\.run)\.(?:add|push|flag)\(['`]([a-z0-9_]+)/g);
      return [...calls].map(([, name = '']) => `${file}: ${name}`);
    });
    expect(named.length).toBeGreaterThan(20);
    const known = (line: string): boolean => Object.hasOwn(LOG_FLAGS, line.split(': ')[1] ?? '');
    expect(named.filter((line) => !known(line))).toEqual([]);
  });
});

describeWithShared('flags of real logs', () => {
  it('are all explained', async () => {
    expect(await unexplained(sharedFile('logs'))).toEqual([]);
  });
});
