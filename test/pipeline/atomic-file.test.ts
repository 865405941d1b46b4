import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeFileAtomic } from '../../src/pipeline/atomic-file.js';
import { temporaryFolder } from '../cli/harness.js';

it('puts a whole file in the place of another, and makes the folders above', () => {
  const path = join(temporaryFolder(), 'a/b/file');
  writeFileAtomic(path, 'old');
  writeFileAtomic(path, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readdirSync(join(path, '..'))).toEqual(['file']);
});

it('that fails names the file, is E_IO, and leaves nothing beside it', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'taken');
  // a folder that is not empty cannot be replaced by a file
  mkdirSync(path);
  writeFileSync(join(path, 'x'), '');
  expect(() => writeFileAtomic(path, 'text')).toThrow(
    expect.objectContaining({
      code: 'E_IO',
      place: path,
      message: expect.stringMatching(/^[^\n]*taken: cannot write: /),
    }),
  );
  expect(readdirSync(folder)).toEqual(['taken']);
});
