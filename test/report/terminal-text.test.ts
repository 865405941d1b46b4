import { expect, it } from 'vitest';
import { formatTable, oneLine } from '../../src/cli/table.js';
import { jsonText, messageText, nameText, withoutDirection } from '../../src/report/terminal-text.js';

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

it('keeps the line breaks of a message, and nothing else that a terminal would obey', () => {
  expect(messageText(`a: ${OVERRIDE}b\n\u001b[2Jc\rd\u009b`)).toBe('a: \\u202eb\n\\u001b[2Jc\\u000dd\\u009b');
});

it('writes JSON of the same value without what a terminal would obey', () => {
  const value = { [`na${OVERRIDE}me`]: ['\u001b[2J', '\u007f\u009b2J', 'שלום', null, 1.5] };
  const text = jsonText(value);
  expect(text).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
  expect(JSON.parse(text)).toEqual(value);
});
