import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonSequence } from '../../src/logs/json-sequence.js';
import { onlyTrajectory, readFiles } from '../formats/read-all.js';

const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));
const plain = (text: string): unknown => JSON.parse(text);

describe('values one behind the other', () => {
  it('are read as they were written, whatever stands between them', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 2, maxLength: 6 }),
        fc.constantFrom('', ' ', '\n', '\r\n\n'),
        fc.constantFrom(undefined, 2, '\t'),
        (values, between, indent) => {
          const texts = values.map((one) => JSON.stringify(one, null, indent));
          expect(parseJsonSequence(texts.join(between))?.value).toEqual(texts.map(plain));
        },
      ),
    );
  });

  it.each(['{"a":1}', '{"a":1}\n2', '{"a":1}\n{"b"', '{"a":1},{"b":2}', 'text', '', '{"a":1}\n{b}'])(
    'are not found in %j',
    (text) => {
      expect(parseJsonSequence(text)).toBeNull();
    },
  );

  it('say what was read tolerantly', () => {
    expect(parseJsonSequence('{"a": NaN}\n{"b": 1}')).toEqual({
      value: [{ a: null }, { b: 1 }],
      flags: ['bare_nan'],
    });
  });
});

it('a session log that a printer spread over many lines reads as its lines do', async () => {
  const record = (uuid: string, parentUuid: string | null, type: string, content: unknown) => ({
    ...{ uuid, parentUuid, type, sessionId: 's', version: '2.1.1', timestamp: '2026-05-01T00:56:48.842Z' },
    message: {
      role: type,
      content,
      ...(type === 'assistant' ? { id: 'm', type: 'message', model: 'c' } : {}),
    },
  });
  const records = [
    record('a', null, 'user', 'show'),
    record('b', 'a', 'assistant', [{ type: 'text', text: 'ok' }]),
  ];
  const lines = records.map((one) => JSON.stringify(one)).join('\n');
  const spread = records.map((one) => JSON.stringify(one, null, 2)).join('\n');
  const [one, other] = [
    onlyTrajectory(await readFiles({ 's.jsonl': lines })),
    onlyTrajectory(await readFiles({ 's.jsonl': spread })),
  ];
  expect(other.source.format).toBe('claude-code-session');
  expect(other.turns).toEqual(one.turns);
});
