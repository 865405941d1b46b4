import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listedSiblings, recordSiblings } from '../../src/formats/siblings.js';
import { temporaryFolder } from '../cli/harness.js';

it('a log sees the other names of its folder in order, and reads none but them', () => {
  const root = temporaryFolder();
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(root, name), name);
  const names = ['c', 'a', 'b'];
  const beside = listedSiblings(root, 'b', names);
  expect(beside.names).toEqual(['a', 'c']);
  expect(recordSiblings(beside, 'b').names).toEqual(['a', 'c']);
  expect(['a', 'b', 'c', 'd'].map((name) => beside.readBytes(name)?.toString() ?? null)).toEqual([
    'a',
    null,
    'c',
    null,
  ]);
  expect(listedSiblings(root, 'a', names).names).toEqual(['b', 'c']);
  expect(names).toEqual(['c', 'a', 'b']);
});

it('the names of a folder are gone through once for all logs in it, not once for each', () => {
  const plain = Array.from({ length: 100 }, (_, index) => `log-${index}.json`);
  let looks = 0;
  const names = new Proxy(plain, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks++;
      return Reflect.get(target, key, receiver);
    },
  });
  for (const own of plain) expect(listedSiblings('/nowhere', own, names).readBytes('other')).toBeNull();
  expect(looks).toBeLessThan(5 * plain.length);
});
