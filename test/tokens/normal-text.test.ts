import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Encoder } from '../../src/tokens/encoder.js';
import { loadEncoder } from '../../src/tokens/load-encoder.js';
import { normalizerOf } from '../../src/tokens/text-normalizer.js';
import { hostileTexts } from './hostile-text.js';

const TEXTS = 1500;

const ENCODERS: ReadonlyArray<readonly [string, Encoder]> = ['qwen3', 'llama3', 'gemma3'].map((tokenizer) => [
  tokenizer,
  loadEncoder({ tokenizer }),
]);

/** Texts and, half the time, their normal forms, with the whole characters at which they can be cut. */
function texts(encoder: Encoder): string[] {
  const contents = encoder.addedTokens.map(({ content }) => content);
  const hostile = hostileTexts(20261130, contents);
  return Array.from({ length: TEXTS }, (_, k) => {
    const text = hostile.next().value ?? '';
    return k % 2 === 0 ? text : encoder.normalize(text);
  });
}

function idsOf(encoder: Encoder, text: string, normal: boolean): number[] {
  const sink = { ids: new Int32Array(64), length: 0 };
  encoder.encode(text, sink, 'plain', { normal });
  return [...sink.ids.subarray(0, sink.length)];
}

describe.each(ENCODERS)('text that %s finds normal', (_, encoder) => {
  const normal = texts(encoder).filter((text) => encoder.isNormal(text));

  it('is found often where normalising is a matter of composition, and not at all elsewhere', () => {
    const composes = encoder.normalize('a b') === 'a b';
    if (composes) expect(normal.length).toBeGreaterThan(TEXTS / 4);
    else expect(normal).toEqual([]);
  });

  it('is its own normal form in every part', () => {
    fc.assert(
      fc.property(fc.constantFrom('', ...normal), fc.nat(), fc.nat(), (text, one, other) => {
        const characters = [...text];
        const [from, to] = [one, other].map((at) => at % (characters.length + 1)).sort((a, b) => a - b);
        const part = characters.slice(from, to).join('');
        expect(encoder.normalize(part)).toBe(part);
        expect(normalizerOf(encoder).normalize(part)).toBe(part);
      }),
      { numRuns: 2000 },
    );
  });

  it('has the ids that it has when it is normalised again', () => {
    for (const text of normal) expect(idsOf(encoder, text, true)).toEqual(idsOf(encoder, text, false));
  });
});
