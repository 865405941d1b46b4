import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromMessages, toMessages } from '../../src/chat/messages.js';
import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../../src/trajectory/build.js';
import { ORIGINS, type Span } from '../../src/trajectory/span.js';
import { ROLES, type Turn } from '../../src/trajectory/turn.js';

const anyText = fc.constantFrom('', 'a', 'é🙂');
const anySpan: fc.Arbitrary<Span> = fc
  .record({
    make: fc.constantFrom<(text: string) => Span>(
      (text) => contentSpan('text', 'model', text),
      (text) => contentSpan('text', 'model', text),
      reasoningSpan,
      () => structuredCallSpan({ id: 'c', name: 'n', arguments: '{}' }),
      (text) => contentSpan('observation', 'environment', text),
      (text) => contentSpan('prompt', 'environment', text),
      (text) => contentSpan('malformed_call', 'model', text),
    ),
    text: anyText,
    origin: fc.option(fc.constantFrom(...ORIGINS), { freq: 6 }),
    model: fc.option(fc.constant('other'), { freq: 1, nil: 'none' }),
    odd: fc.nat(7),
  })
  .map(({ make, text, origin, model, odd }) => {
    const span = make(text);
    return {
      ...span,
      origin: odd === 0 ? (origin ?? span.origin) : span.origin,
      model: odd === 1 ? model : null,
    };
  });
const anyTurn: fc.Arbitrary<Turn> = fc
  .record({ role: fc.constantFrom(...ROLES), spans: fc.array(anySpan, { maxLength: 4 }) })
  .map(({ role, spans }) =>
    makeTurn(role, role === 'assistant' ? spans : spans.filter(({ inline }) => inline)),
  );

/** The turn that a message gives without its list of spans. */
function withoutList(turn: Turn): readonly Span[] | undefined {
  const [message] = toMessages({ turns: [turn] }, [0], []);
  const { spans: _spans, ...rest } = message ?? { spans: [] };
  return fromMessages(JSON.stringify([rest])).turns[0]?.spans;
}

it('lists the spans of a message exactly where it would else give others', () => {
  const seen = { listed: 0, usual: 0 };
  fc.assert(
    fc.property(anyTurn, (turn) => {
      const [message] = toMessages({ turns: [turn] }, [0], []);
      const usual = isDeepStrictEqual(withoutList(turn), turn.spans);
      expect(message?.spans === undefined).toBe(usual);
      expect(fromMessages(JSON.stringify([message])).turns[0]?.spans).toEqual(turn.spans);
      seen[usual ? 'usual' : 'listed']++;
    }),
    { numRuns: 5000 },
  );
  expect(Math.min(seen.listed, seen.usual)).toBeGreaterThan(200);
});
