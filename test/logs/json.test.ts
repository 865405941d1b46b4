import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, parseJson, parseJsonText } from '../../src/logs/json.js';
import { RejectError } from '../../src/logs/reject.js';

const bytes = (text: string) => Buffer.from(text, 'utf8');

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof RejectError) return error.code;
    throw error;
  }
  return 'read';
}

describe('strict JSON', () => {
  it('is read as JSON.parse reads it, without flags', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const { value: read, flags } = parseJson(bytes(text));
        expect(read).toEqual(JSON.parse(text));
        expect(flags.filter((flag) => flag !== 'big_integers')).toEqual([]);
      }),
    );
  });

  it.each(['', '{', '[1,]', "{'a': 1}", '{"a": nan}', '{"a": +Infinity}', 'NaNN', '{"a": NaN', '"\u0000"'])(
    'refuses %j',
    (text) => {
      expect(codeOf(() => parseJsonText(text))).toBe('invalid_json');
    },
  );

  it('says why in one short line', () => {
    const text = `{"a": ${'\n'.repeat(50)}${'x'.repeat(5000)}`;
    expect(() => parseJsonText(text)).toThrow(/^.{1,130}$/);
  });
});

describe('what Python writes', () => {
  it('bare numbers become null, outside strings alone', () => {
    const text = '{"a": NaN, "b": [Infinity,-Infinity,-1], "c": "NaN, -Infinity \\" NaN", "NaN": "\\\\"}';
    expect(parseJson(bytes(text))).toEqual({
      value: { a: null, b: [null, null, -1], c: 'NaN, -Infinity " NaN', NaN: '\\' },
      flags: ['bare_nan'],
    });
  });

  it('is read like its null twin, whatever stands beside', () => {
    const hole = '\u0001hole';
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('NaN', 'Infinity', '-Infinity'),
        fc.string(),
        (value, word, key) => {
          const document = JSON.stringify({ before: value, [`k${key}`]: hole, after: [value, `${word}"`] });
          const text = document.replaceAll(JSON.stringify(hole), word);
          const twin = document.replaceAll(JSON.stringify(hole), 'null');
          const { value: read, flags } = parseJsonText(text);
          expect(read).toEqual(JSON.parse(twin));
          expect(flags.filter((flag) => flag !== 'big_integers')).toEqual(['bare_nan']);
        },
      ),
    );
  });
});

describe('bytes', () => {
  it('lose a byte order mark, flagged', () => {
    expect(parseJson(bytes('\uFEFF{"a":1}'))).toEqual({ value: { a: 1 }, flags: ['bom'] });
  });

  it('that are no UTF-8 become U+FFFD, flagged', () => {
    const raw = Buffer.concat([bytes('{"a":"x'), Buffer.from([0xff, 0xc3]), bytes('y"}')]);
    expect(parseJson(raw)).toEqual({ value: { a: 'x\uFFFD\uFFFDy' }, flags: ['invalid_utf8'] });
    expect(decodeText(bytes('é𝒳')).flags).toEqual([]);
  });
});

describe('depth', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  it('is allowed up to the limit', () => {
    expect(codeOf(() => parseJsonText(nested(1000)))).toBe('read');
    expect(codeOf(() => parseJsonText(objects(1000)))).toBe('read');
    expect(codeOf(() => parseJsonText(nested(1001)))).toBe('too_deep');
    expect(codeOf(() => parseJsonText(objects(1001)))).toBe('too_deep');
    expect(codeOf(() => parseJsonText(nested(4), { maxDepth: 3 }))).toBe('too_deep');
  });

  it('beyond any stack is refused, not a crash', () => {
    expect(codeOf(() => parseJsonText(nested(2_000_000)))).toBe('too_deep');
  });

  it('does not count brackets in strings or side by side', () => {
    expect(
      codeOf(() => parseJsonText(JSON.stringify({ a: '['.repeat(5000), b: Array(5000).fill([]) }))),
    ).toBe('read');
  });
});

it('takes __proto__ as a key like any other', () => {
  const { value } = parseJsonText('{"__proto__": {"polluted": true}, "constructor": 1}');
  expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});
