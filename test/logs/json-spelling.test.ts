import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonText } from '../../src/logs/json.js';
import { spelledJson } from '../../src/logs/json-spelling.js';

const again = (text: string): string => spelledJson(parseJsonText(text).value);

describe('JSON that is written again', () => {
  it.each([
    ['{"lr": 1.0}', '{"lr":1.0}'],
    ['{"lr": 1e5, "n": 2E+3, "x": 10e-1}', '{"lr":1e5,"n":2E+3,"x":10e-1}'],
    ['{"id": 12345678901234567890}', '{"id":12345678901234567890}'],
    ['{"x": -0, "y": -0.0}', '{"x":-0,"y":-0.0}'],
    ['{"b": 1, "2": 1, "1": 2}', '{"b":1,"2":1,"1":2}'],
    ['{"a": 1, "a": 2}', '{"a":1,"a":2}'],
    ['[\n  1.0,\n  {"a b": "x  \\u00e9 1.0"}\n]', '[1.0,{"a b":"x  é 1.0"}]'],
    [
      '{"deep": {"list": [[], {}, [{"x": 3.00}]], "t": true, "f": false, "n": null}}',
      '{"deep":{"list":[[],{},[{"x":3.00}]],"t":true,"f":false,"n":null}}',
    ],
    ['{"x": 1e400}', '{"x":1e400}'],
  ])('keeps %s', (text, expected) => {
    expect(again(text)).toBe(expected);
  });

  it('keeps only what holds such a number, and leaves the others to JSON.stringify', () => {
    const value = parseJsonText('{"a": {"x": 1.0}, "b": {"x": 1.5, "t": "1.0"}}').value as Record<
      string,
      unknown
    >;
    expect(spelledJson(value['a'])).toBe('{"x":1.0}');
    expect(spelledJson(value['b'])).toBe('{"x":1.5,"t":"1.0"}');
    expect(spelledJson({ ...(value['a'] as object) })).toBe('{"x":1}');
  });

  it('takes of duplicate keys the last, also where only the first was odd', () => {
    const value = parseJsonText('{"a": {"x": 1.0}, "a": {"x": 2}}').value as Record<string, unknown>;
    expect(spelledJson(value['a'])).toBe('{"x":2}');
  });

  it('finds what stands under a key that is written with escapes', () => {
    const value = parseJsonText('{"\\u0061\\n": {"x": 1.0}}').value as Record<string, unknown>;
    expect(spelledJson(value['a\n'])).toBe('{"x":1.0}');
  });

  it('reads beside bare NaN, which is null', () => {
    expect(again('{"x": NaN, "y": 2.0}')).toBe('{"x":null,"y":2.0}');
  });

  const number = fc.oneof(
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.tuple(fc.integer(), fc.nat(3)).map(([whole, zeros]) => `${whole}.${'0'.repeat(zeros + 1)}`),
    fc.tuple(fc.integer(), fc.integer({ min: -30, max: 30 })).map(([whole, power]) => `${whole}e${power}`),
    fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
    fc.constantFrom('-0', '-0.0', '0.0', '1E+2', '1.50e1', '100000000000000000000.0'),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      number,
      fc.string().map((text) => JSON.stringify(text)),
      fc.constantFrom('true', 'false', 'null'),
      fc.array(tie('json'), { maxLength: 4 }).map((items) => `[ ${items.join(' ,\t')}]`),
      fc
        .array(fc.tuple(fc.oneof(fc.string(), fc.nat(20).map(String)), tie('json')), { maxLength: 4 })
        .map(
          (members) =>
            `{${members.map(([key, value]) => `${JSON.stringify(key)} : ${String(value)}`).join(',\n')}}`,
        ),
    ),
  }));

  it('says to Python what the text said', () => {
    const texts = fc.sample(json, 400).map((value) => `{"v": ${String(value)}}`);
    const pairs = texts.map((text) => [text, again(text)]);
    // repr tells 1 from 1.0, -0.0 from 0.0, and the order of keys
    const script =
      'import json, sys\nfor a, b in json.load(sys.stdin):\n    print(repr(json.loads(a)) == repr(json.loads(b)))';
    const { stdout, status } = spawnSync('python3', ['-c', script], {
      input: JSON.stringify(pairs),
      encoding: 'utf8',
    });
    if (status !== 0) return;
    const answers = stdout.trim().split('\n');
    expect(answers.map((answer, index) => [answer, texts[index]])).toEqual(
      texts.map((text) => ['True', text]),
    );
  });
});
