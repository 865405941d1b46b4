import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Growable } from '../../src/tables/growable.js';
import { writeJson } from '../../src/tables/json-writer.js';

function written(value: unknown): string {
  const out = new Growable(Uint8Array);
  writeJson(value, out);
  return Buffer.from(out.take()).toString('utf8');
}

/** Units of every kind, lone surrogates among them. */
const anyText = fc
  .array(fc.oneof(fc.nat(0x7f), fc.nat(0xffff), fc.constantFrom(0x22, 0x5c, 0x0a, 0x2028, 0xd83d, 0xde00)))
  .map((units) => String.fromCharCode(...units));

it('writes what JSON.stringify writes, whatever the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(written(text)).toBe(JSON.stringify(text));
    }),
    { numRuns: 3000 },
  );
});

it('writes lists and objects as JSON.stringify does, without fields that are undefined', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      anyText,
      fc.double(),
      fc.boolean(),
      fc.constantFrom(null, undefined),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(anyText, tie('any'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).any;
  fc.assert(
    fc.property(value, (any) => {
      expect(written(any)).toBe(JSON.stringify(any) ?? 'null');
    }),
    { numRuns: 2000 },
  );
});

it('cuts long text into pieces without cutting a character', () => {
  for (let before = 16_380; before < 16_388; before++) {
    const text = `${'x'.repeat(before)}😀\n${'é"\u0001'.repeat(20_000)}😀`;
    expect(written({ text })).toBe(JSON.stringify({ text }));
  }
});
