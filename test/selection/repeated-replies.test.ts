import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeReplyKeys,
  encodeReplyKeys,
  repeatedReplies,
  replyKeys,
  replyTurns,
  withRepeated,
} from '../../src/selection/repeated-replies.js';
import { makeTurn } from '../../src/trajectory/build.js';
import type { Span } from '../../src/trajectory/span.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { finish } from '../windows/synthetic-run.js';

const span = (text: string, rest: Partial<Span> = {}): Span => ({
  kind: 'text',
  origin: 'model',
  text,
  inline: true,
  call: null,
  model: null,
  ...rest,
});
const reply = (text: string, timestamp: string | null, rest: Partial<Span> = {}): Turn =>
  makeTurn('assistant', [span(text, rest)], { timestamp });
const prompt = (text: string): Turn =>
  makeTurn('user', [span(text, { kind: 'prompt', origin: 'environment' })]);

const keysOf = (...turns: Turn[]): bigint[] => [...replyKeys({ turns })];
const AT = '2025-06-01T10:00:00.123Z';

describe('the key of a reply', () => {
  it('is equal for the same words at the same moment, whatever stands before them', () => {
    const [one] = keysOf(prompt('a'), reply('yes', AT));
    const [other] = keysOf(prompt('b'), prompt('c'), reply('yes', AT));
    expect(one).toBe(other);
    expect(one).not.toBe(0n);
  });

  it('differs with the moment, the words, the kind and the id of a call', () => {
    const call = (id: string): Partial<Span> => ({
      kind: 'tool_call',
      call: { id, name: 'bash', arguments: 'yes', arguments_were_object: false },
    });
    const keys = keysOf(
      reply('yes', AT),
      reply('yes', '2025-06-01T10:00:00.124Z'),
      reply('no', AT),
      reply('yes', AT, { kind: 'reasoning' }),
      reply('yes', AT, call('a')),
      reply('yes', AT, call('b')),
    );
    expect(new Set(keys).size).toBe(6);
  });

  it.each([
    null,
    '2025-06-01T10:00:00Z',
    '2025-06-01T10:00:00.000Z',
    '2025-06-01T10:00:00.000000+00:00',
    '7',
  ])('is none where the log has no moment for it: %s', (timestamp) => {
    expect(keysOf(reply('yes', timestamp))).toEqual([0n]);
    expect(encodeReplyKeys(replyKeys({ turns: [reply('yes', timestamp)] }))).toBe('');
  });

  it('is of turns of the model alone: what was copied within the log is no reply of it', () => {
    const turns = [prompt('a'), reply('old', AT, { origin: 'environment' }), reply('new', AT)];
    expect(replyTurns({ turns })).toEqual([2]);
  });
});

describe('replies that several runs hold', () => {
  /** Runs as lists of small numbers; 0 is a reply that cannot be told from others. */
  const runs = fc.array(
    fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e'), keys: fc.array(fc.nat({ max: 6 })) }),
    { maxLength: 6 },
  );
  const encoded = (list: readonly { id: string; keys: readonly number[] }[]) =>
    list.map(({ id, keys }) => ({ id, keys: encodeReplyKeys(BigUint64Array.from(keys, BigInt)) }));

  it('are left to the first of them, each once', () => {
    fc.assert(
      fc.property(runs, (list) => {
        const found = repeatedReplies(encoded(list));
        list.forEach(({ id, keys }, index) => {
          // looked for the slow way: the first run that holds the reply
          const places = keys.flatMap((key, place) => {
            const first = list.find((run) => run.keys.includes(key));
            return key !== 0 && first !== undefined && first.id !== id ? [place] : [];
          });
          expect(found[index]?.places ?? []).toEqual(places);
          if (places.length > 0) {
            const first = keys[places[0] ?? 0] ?? 0;
            expect(found[index]?.owner).toBe(list.findIndex((run) => run.keys.includes(first)));
          }
        });
      }),
    );
  });

  it('keep their keys as text', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })), (keys) => {
        expect([...decodeReplyKeys(encodeReplyKeys(BigUint64Array.from(keys)))]).toEqual(keys);
      }),
    );
  });

  it('lose their weight and are named, their words and origin stay', () => {
    const turns = [prompt('a'), reply('one', AT), prompt('b'), reply('two', AT)];
    const run = finish({ turns, executions: [], submissions: [] });
    const shown = withRepeated(run, [1]);
    expect(shown.turns.map(({ weight }) => weight)).toEqual([1, 1, 1, 0]);
    expect(shown.turns[3]?.flags).toEqual(['repeated_reply']);
    expect(shown.flags).toContain('repeated_replies');
    expect(shown.turns.map(({ spans }) => spans)).toEqual(turns.map(({ spans }) => spans));
    expect(withRepeated(run, [])).toBe(run);
  });
});
