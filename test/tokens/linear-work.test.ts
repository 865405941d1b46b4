import { describe, expect, it } from 'vitest';
import { JinjaRenderer } from '../../src/chat/jinja-engine.js';
import type { ChatRenderer } from '../../src/chat/renderer.js';
import { readTemplate } from '../../src/chat/template-source.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import type { Encoder } from '../../src/tokens/encoder.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { planRows } from '../../src/tokens/stretches.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { assistant, call, encoder, renderer, text, thought, tool, trajectoryOf, user } from './rows.js';

/** An encoder that counts the characters it is given to encode or to normalise. */
function counting(): { encoder: Encoder; characters: () => number } {
  let characters = 0;
  const counted: Encoder = {
    engine: encoder.engine,
    sha256: encoder.sha256,
    byteLengths: encoder.byteLengths,
    addedTokens: encoder.addedTokens,
    specials: encoder.specials,
    tokenBytes: (id) => encoder.tokenBytes(id),
    encode(words, into, special, options) {
      characters += words.length;
      return encoder.encode(words, into, special, options);
    },
    isNormal(words) {
      characters += words.length;
      return encoder.isNormal(words);
    },
    normalize(words) {
      characters += words.length;
      return encoder.normalize(words);
    },
  };
  return { encoder: counted, characters: () => characters };
}

/** Turns that count how often their spans are looked at. */
function watched(turns: readonly Turn[]): { turns: Turn[]; reads: () => number } {
  let reads = 0;
  const proxies = turns.map(
    (turn) =>
      new Proxy(turn, {
        get(target, key, receiver) {
          if (key === 'spans') reads++;
          return Reflect.get(target, key, receiver) as unknown;
        },
      }),
  );
  return { turns: proxies, reads: () => reads };
}

/** Work per token and reads per turn of a run of `count` steps, planned, rendered, encoded, masked and proved. */
function workOf(count: number, chat: ChatRenderer): { perToken: number; perTurn: number } {
  const steps = Array.from({ length: count }, (_, k) => [
    assistant([thought(`think about step ${k} é`), text('I run it.\n'), call({ step: k })]),
    tool(`output of step\n${'line\n'.repeat(20)}`),
  ]);
  const { turns, reads } = watched([user('go'), ...steps.flat(), assistant([text('done')])]);
  const trajectory = trajectoryOf(turns);
  const { encoder: counted, characters } = counting();
  const rows = createRowEncoder({ encoder: counted, renderer: chat, mask: maskSchema.parse({}) });
  const lastTurn = turns.length - 1;
  let tokens = 0;
  for (const plan of planRows({ trajectory, lastTurn, strategy: 'split', renderer: chat })) {
    tokens += rows.encode({ trajectory, plan }).input_ids.length;
  }
  return { perToken: characters() / tokens, perTurn: reads() / turns.length };
}

describe.each([
  ['the written renderer', renderer],
  ['the engine', new JinjaRenderer(readTemplate('qwen3'))],
])('%s', (_, chat) => {
  it('costs the same a token at 512 turns as at 8', () => {
    const [short, long] = [workOf(8, chat), workOf(512, chat)];
    expect(long.perToken / short.perToken).toBeLessThan(1.3);
    expect(long.perTurn / short.perTurn).toBeLessThan(1.3);
    // Whole renderings are encoded once and normalised a few times, never once a turn.
    expect(long.perToken).toBeLessThan(30);
  });
});
