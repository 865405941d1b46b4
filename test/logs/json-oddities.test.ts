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

  it('is found as a search of the whole text and of every value finds it, in text of any shape', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(flagsOf(text)).toEqual(oddities(text));
      }),
      { numRuns: 2000 },
    );
  });
});

const number = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom(
    '9007199254740993',
    '-12345678901234567890',
    '1e300',
    '1.0',
    '-0',
    '0.1234567890123456789',
    '1234567890123456e2',
  ),
);
const string = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 4 }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '"a"',
    '"\\u0061"',
    '"b"',
    '"\\ud800"',
    '"\\uD83D\\uDE00"',
    '"\\\\ud800"',
    '"12345678901234567"',
    '"\\"a\\":"',
  ),
);
const space = fc.constantFrom('', ' ', '\n\t');

const { jsonText } = fc.letrec<{ jsonText: string }>((tie) => ({
  jsonText: fc.oneof(
    { depthSize: 'small' },
    number,
    string,
    fc.array(tie('jsonText'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(space, string, space, tie('jsonText')), { maxLength: 4 })
      .map(
        (members) =>
          `{${members.map(([before, key, after, value]) => `${before}${key}${after}:${value}`).join(',')}}`,
      ),
  ),
}));

/** The oddities of a text by their definitions, each in a way of its own. */
function oddities(text: string): string[] {
  const strings: string[] = [];
  const numbers: number[] = [];
  let keys = 0;
  const visit = (value: unknown): void => {
    if (typeof value === 'string') strings.push(value);
    else if (typeof value === 'number') numbers.push(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        keys++;
        strings.push(key);
        visit(member);
      }
    }
  };
  visit(JSON.parse(text));
  const written = text.replace(/"(?:[^"\\]|\\.)*"(\s*:)?/g, (_all, colon) =>
    colon === undefined ? '""' : '""\u0001',
  );
  const digits = /(?<![\d.eE+])\d{16,}(?![\d.eE])/.test(text);
  return [
    ...(digits && numbers.some((value) => Number.isInteger(value) && Math.abs(value) >= 2 ** 53)
      ? ['big_integers']
      : []),
    ...(written.split('\u0001').length - 1 > keys ? ['duplicate_keys'] : []),
    ...(strings.some((value) => /\p{Surrogate}/u.test(value)) ? ['lone_surrogates'] : []),
  ];
}
