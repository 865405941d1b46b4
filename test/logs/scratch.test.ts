import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { holdScratch, releaseScratch } from '../../src/logs/scratch.js';
import { temporaryFolder } from '../cli/harness.js';

it('folders that are held go when the process ends, and those that were released stay', () => {
  const home = temporaryFolder();
  const [held = '', released = '', gone = ''] = ['held', 'released', 'gone'].map((name) => join(home, name));
  const before = process.listeners('exit');
  for (const folder of [held, released, gone]) {
    mkdirSync(folder);
    holdScratch(folder);
  }
  releaseScratch(released);
  rmSync(gone, { recursive: true });
  // one listener for all of them: archives are many, and so are warnings of listeners
  const ours = process.listeners('exit').filter((listener) => !before.includes(listener));
  expect(ours).toHaveLength(1);
  for (const listener of ours) listener(0);
  expect([existsSync(held), existsSync(released)]).toEqual([false, true]);
  for (const folder of [held, gone]) releaseScratch(folder);
  expect(process.listeners('exit')).toEqual(before);
});
