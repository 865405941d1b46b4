import { describe, expect, it } from 'vitest';
import { displayWidth, formatTable, oneLine } from '../../src/cli/table.js';

describe('a table', () => {
  it('aligns its columns, numbers to the right', () => {
    const columns = [{ title: 'name' }, { title: 'n', align: 'right' as const }, { title: 'x' }];
    const rows = [
      ['a', '1', 'long tail'],
      ['日本', '200', ''],
    ];
    expect(formatTable(columns, rows)).toBe(
      ['name    n  x', 'a       1  long tail', '日本  200', ''].join('\n'),
    );
    expect(formatTable(columns, [])).toBe('');
  });

  it('knows how wide text is', () => {
    expect(['abc', '日本', 'e\u0301', '🚀'].map(displayWidth)).toEqual([3, 4, 1, 2]);
  });

  it('makes one harmless line of any text', () => {
    expect(oneLine(' a\n\u001b[31mb\tc ', 40)).toBe('a [31mb c');
    expect(oneLine('abcdef', 4)).toBe('abc…');
  });
});
