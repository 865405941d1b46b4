import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pythonFloat, readJson, toPythonJson } from '../../src/chat/python-json.js';

const rewrite = (json: string) => toPythonJson(readJson(json));

describe('as json.dumps(json.loads(text), ensure_ascii=False)', () => {
  it.each([
    ['{"b":1,"a":[true,false,null],"10":0,"2":{}}', '{"b": 1, "a": [true, false, null], "10": 0, "2": {}}'],
    ['{"a":1,"b":2,"a":3}', '{"a": 3, "b": 2}'],
    ['[1.0, 1e5, 1E400, -0, -0.0, 0.1, 1e-7, 1e16, 123456789012345678901]', null],
    ['"\\u00e9\\u2028\\u007f\\u0001\\/\\b\\ud83d\\ude42"', '"é\u2028\u007f\\u0001/\\b🙂"'],
    [' { } ', '{}'],
    ['[]', '[]'],
    ['{"":[[],[{}]]}', '{"": [[], [{}]]}'],
    ['[NaN, Infinity, -Infinity, -1e400]', '[NaN, Infinity, -Infinity, -Infinity]'],
  ])('%s', (json, expected) => {
    const numbers = '[1.0, 100000.0, Infinity, 0, -0.0, 0.1, 1e-07, 1e+16, 123456789012345678901]';
    expect(rewrite(json)).toBe(expected ?? numbers);
  });

  it('keeps the value of any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(JSON.parse(rewrite(json))).toEqual(JSON.parse(json));
      }),
    );
  });

  it('indents as Python does', () => {
    const options = { indent: 2 };
    expect(toPythonJson(readJson('{"a":[1,{"b":[]}]}'), options)).toBe(
      '{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ]\n}',
    );
  });

  it('leaves lone surrogates as they are, escaped backslashes too', () => {
    const value = '\ud800\\ud800';
    expect(toPythonJson(value)).toBe('"\ud800\\\\ud800"');
  });
});

it.each([
  [1, '1.0'],
  [1e15, '1000000000000000.0'],
  [1e16, '1e+16'],
  [1.5e300, '1.5e+300'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [-1.25e-9, '-1.25e-09'],
  [-0, '-0.0'],
  [Number.NaN, 'NaN'],
])('repr(%d) is %s', (value, expected) => {
  expect(pythonFloat(value)).toBe(expected);
});

describe('refuses', () => {
  it.each([
    '',
    '{',
    '[1,]',
    '{"a" 1}',
    '{a:1}',
    '01',
    '"\n"',
    '"abc',
    'nul',
    'nan',
    '+Infinity',
    '-NaN',
    '1 2',
    '"\\x"',
    '['.repeat(600),
  ])('%j', (json) => {
    expect(() => readJson(json)).toThrow(SyntaxError);
  });
});
