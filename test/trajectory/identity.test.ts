import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentSpan, inlineCallSpan, makeTurn } from '../../src/trajectory/build.js';
import { trajectoryId } from '../../src/trajectory/identity.js';
import type { Turn } from '../../src/trajectory/turn.js';

/** The bytes that an identity is the sum of, written down as its definition says them. */
function identityBytes(turns: readonly Turn[]): Buffer {
  const pieces: Buffer[] = [];
  const sized = (head: string, text: string): void => {
    const bytes = Buffer.from(text, 'utf8');
    pieces.push(Buffer.from(`${head}${bytes.length}\n`), bytes);
  };
  for (const { role, spans } of turns) {
    pieces.push(Buffer.from(`turn ${role} ${spans.length}\n`));
    for (const { origin, kind, text, call } of spans) {
      sized(`${origin} ${kind} `, text);
      if (call !== null) sized('\ncall ', call.name);
    }
  }
  return Buffer.concat(pieces);
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Texts of all lengths about the 64 KiB that are collected at once, whose UTF-8 may have more digits of size than units. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\ud800', 'a\udc00b', 'é'.repeat(60), `${'x'.repeat(99)}é`, '9'.repeat(99_999)),
  fc
    .tuple(fc.constantFrom('z', 'é', '語', '😀'), fc.constantFrom(3, 5400, 10_900, 21_800, 32_800, 65_600))
    .chain(([unit, about]) => fc.nat(120).map((more) => unit.repeat(about - 3 + more))),
);

const span = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('reasoning' as const, 'text' as const),
      fc.constantFrom('model' as const, 'environment' as const),
      text,
    )
    .map(([kind, origin, words]) => contentSpan(kind, origin, words)),
  fc.tuple(text, text).map(([words, name]) => inlineCallSpan(words, { name, arguments: '{}' })),
);

const turn = fc
  .tuple(
    fc.constantFrom('system' as const, 'user' as const, 'assistant' as const, 'tool' as const),
    fc.array(span, { maxLength: 4 }),
  )
  .map(([role, spans]) => makeTurn(role, spans));

describe('the identity of a run', () => {
  it('is the sum of its turns as they are written in UTF-8, whatever their lengths', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), (turns) => {
        expect(trajectoryId(turns)).toBe(sha256(identityBytes(turns)));
      }),
      { numRuns: 300 },
    );
  });

  it('is another where a text moves from one span to the next', () => {
    const split = (...texts: string[]) => [
      makeTurn(
        'assistant',
        texts.map((words) => contentSpan('text', 'model', words)),
      ),
    ];
    const ids = [split('ab', 'c'), split('a', 'bc'), split('abc'), split('abc', '')].map(trajectoryId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
