import { expect, it } from 'vitest';
import { formatTable, oneLine } from '../../src/cli/table.js';
import { nameText, withoutDirection } from '../../src/report/terminal-text.js';

const OVERRIDE = '\u202e';

it('shows marks of direction and control characters of a name as escapes', () => {
  expect(nameText(`safe${OVERRIDE}gnp.exe\u001b[2J`)).toBe('safe\\u202egnp.exe\\u001b[2J');
  expect(nameText('müller 日本 👩‍🚀')).toBe('müller 日本 👩‍🚀');
});

it('leaves the letters of scripts that run from right to left', () => {
  expect(withoutDirection('שלום \u2067x\u2069')).toBe('שלום \\u2067x\\u2069');
});

it('lets no cell of a table and no line turn what stands beside it', () => {
  const columns = [{ title: 'task' }, { title: 'score', align: 'right' as const }];
  expect(formatTable(columns, [[`a${OVERRIDE}b`, '1']])).toBe('task      score\na\\u202eb      1\n');
  expect(oneLine(`a\n${OVERRIDE}b`, 80)).toBe('a \\u202eb');
});
