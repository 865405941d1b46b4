import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import { makeFolder } from '../../src/pipeline/make-folder.js';
import { temporaryFolder } from './child-run.js';

describe('making a folder', () => {
  it('makes those above it, and is content with one that exists', () => {
    const path = join(temporaryFolder(), 'a', 'b', 'c');
    makeFolder(path);
    makeFolder(path);
    expect(existsSync(path)).toBe(true);
  });

  it.skipIf(!existsSync('/proc/self'))('ends where the file system takes no folders', () => {
    expect(() => makeFolder('/proc/trajmill/out')).toThrow(TrajmillError);
  });

  it('refuses a path through a file', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(join(file, 'out'))).toThrow(/ENOTDIR/);
  });
});
