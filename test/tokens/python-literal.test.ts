import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonOfPythonLiteral } from '../../src/tokens/python-literal.js';

// what Python 3.11 prints
const PRINTED: readonly (readonly [literal: string, value: unknown])[] = [
  [`['a', "it's", 'say "x"', 'both \\' and "']`, ['a', "it's", 'say "x"', `both ' and "`]],
  [`{'k': [True, False, None, 1, 2.5], 'True': 'None'}`, { k: [true, false, null, 1, 2.5], True: 'None' }],
  [`['a\\nb\\tc\\r', '\\x00\\x7f', 'back\\\\slash', '\\\\n']`, ['a\nb\tc\r', '\0\x7f', 'back\\slash', '\\n']],
  ['[]', []],
  [`['\\xe9\\u200d\\U000e0001', 'é日🙂', '\\\\u0041']`, ['é\u200d\u{e0001}', 'é日🙂', '\\u0041']],
];

it.each(PRINTED)('%s is read as Python wrote it', (literal, value) => {
  expect(JSON.parse(jsonOfPythonLiteral(literal))).toEqual(value);
});

it('numbers that JSON does not have are read as the words of Python’s json', () => {
  expect(jsonOfPythonLiteral("[inf, -inf, nan, 'inf']")).toBe('[Infinity, -Infinity, NaN, "inf"]');
});

it('a text that no Python printed is no JSON of another character', () => {
  expect(jsonOfPythonLiteral("'\\U00110000'")).toBe('"U00110000"');
});

const python = spawnSync('python3', ['--version']).status === 0;

it.skipIf(!python)('what Python prints of any value is read back', () => {
  const ascii = fc.oneof(
    fc.string({ unit: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)) }),
    fc.string({ unit: 'binary' }),
  );
  const values = fc.sample(fc.array(fc.oneof(ascii, fc.boolean(), fc.constant(null), fc.integer())), 300);
  const script = 'import json,sys\nfor v in json.load(sys.stdin): print(json.dumps(repr(v)))';
  const { stdout } = spawnSync('python3', ['-c', script], {
    input: JSON.stringify(values),
    encoding: 'utf8',
  });
  const literals = stdout.trim().split('\n');
  expect(literals).toHaveLength(values.length);
  for (const [k, line] of literals.entries()) {
    expect(JSON.parse(jsonOfPythonLiteral(JSON.parse(line) as string))).toEqual(values[k]);
  }
});
