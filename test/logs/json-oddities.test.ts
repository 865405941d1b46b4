import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonText } from '../../src/logs/json.js';

const flagsOf = (text: string) => parseJsonText(text).flags;

describe('what strict JSON allows and reading changes', () => {
  it.each([
    ['{"a": 1, "a": 2}', ['duplicate_keys']],
    ['{"a": {"b": 1, "c": 2, "b": [{"x": 0, "x": 0}]}}', ['duplicate_keys']],
    ['{"a": "\\"b\\": 1, \\"b\\": 2", "c": "x:\\\\"}', []],
    ['{"a" \n: 1, "a": ":"}', ['duplicate_keys']],
    ['[1, 9007199254740992]', ['big_integers']],
    ['{"id": -12345678901234567890}', ['big_integers']],
    ['[9007199254740991]', []],
    ['[1e300, 1.2345678901234567e30]', []],
    ['[9007199254740991, "12345678901234567890"]', []],
    ['"\\ud83d"', ['lone_surrogates']],
    ['{"\\udc00": 1}', ['lone_surrogates']],
    ['["\\ud83d\\ude00", "\\\\ud83d"]', []],
    ['{"a": "\\ud800", "a": 12345678901234567890}', ['big_integers', 'duplicate_keys']],
  ])('is flagged: %s', (text, flags) => {
    expect(flagsOf(text)).toEqual(flags);
  });

  it('keys are counted right, whatever strings hold', () => {
    const keys = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(keys, fc.jsonValue({ maxDepth: 3 }), fc.boolean(), (names, value, twice) => {
        const members = names.map((name) => `${JSON.stringify(name)} : ${JSON.stringify(value, null, 1)}`);
        if (twice) members.push(members[0] ?? '');
        expect(flagsOf(`{${members.join(',')}}`).includes('duplicate_keys')).toBe(twice);
      }),
    );
  });

  it('a key named __proto__ is a key like any other', () => {
    const { value, flags } = parseJsonText('{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(flags).toEqual([]);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
