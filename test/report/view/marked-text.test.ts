import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf, markedRuns } from '../../../src/browser/view/blocks.js';
import type { ViewTurn } from '../../../src/browser/view/data.js';
import { guessSegments } from '../../../src/report/view/guess-segments.js';
import { decodeTokens, markTurns } from '../../../src/report/view/marked-text.js';
import type { Encoder } from '../../../src/tokens/encoder.js';

/** A tokenizer of given pieces of bytes: id i is piece i. */
function encoderOf(
  pieces: readonly Uint8Array[],
  specials: ReadonlyMap<string, number> = new Map(),
): Encoder {
  return {
    engine: 'test',
    sha256: '',
    encode: () => 0,
    isNormal: () => true,
    byteLengths: Uint16Array.from(pieces, (piece) => piece.length),
    normalize: (text) => text,
    addedTokens: [],
    specials,
    tokenBytes: (id) => pieces[id] ?? new Uint8Array(0),
  };
}

/** Text cut into tokens anywhere, also inside of characters, with a mask and segments at characters. */
const rows = fc
  .array(
    fc.record({
      text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
      cuts: fc.array(fc.nat(30), { maxLength: 6 }),
      turn: fc.integer({ min: -1, max: 3 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .chain((parts) => {
    const bytes = Buffer.from(parts.map(({ text }) => text).join(''));
    const edges = new Set([0, bytes.length]);
    let at = 0;
    for (const { text, cuts } of parts) {
      const length = Buffer.byteLength(text);
      for (const cut of cuts) edges.add(at + (cut % length));
      at += length;
    }
    const sorted = [...edges].sort((a, b) => a - b);
    const pieces = sorted.slice(1).map((end, i) => bytes.subarray(sorted[i], end));
    return fc.record({
      parts: fc.constant(parts),
      pieces: fc.constant(pieces),
      mask: fc.array(fc.constantFrom(0, 1), { minLength: pieces.length, maxLength: pieces.length }),
    });
  });

/** Every character with whether all, none or some of its bytes are trained: byte by byte, without runs. */
function charactersOf(text: string, trained: readonly boolean[]): [string, string][] {
  let at = 0;
  return [...text].map((character) => {
    const own = trained.slice(at, at + Buffer.byteLength(character));
    at += own.length;
    return [character, own.every(Boolean) ? 'trained' : own.some(Boolean) ? 'split' : 'none'];
  });
}

describe('markTurns and markedRuns', () => {
  it('mark every character by its bytes, however tokens cut it', () => {
    fc.assert(
      fc.property(rows, ({ parts, pieces, mask }) => {
        const encoder = encoderOf(pieces);
        const ids = pieces.map((_, id) => id);
        let at = 0;
        const starts = parts.map(({ text }) => {
          at += Buffer.byteLength(text);
          return at - Buffer.byteLength(text);
        });
        const segments = parts.map(({ turn }, span) => ({ part: 'text' as const, turn, span, glue: false }));
        const turns = markTurns({ input_ids: ids, loss_mask: mask }, decodeTokens(ids, encoder), {
          segments,
          starts,
        });
        const shown = turns.flatMap((held) => {
          let start = 0;
          return held.pieces.flatMap(({ text }) => {
            const whole = { ...held, rendering: 0 };
            const runs = markedRuns({ text, glue: false, held: whole, start });
            start += text.length;
            expect(runs.map((run) => run.text).join('')).toBe(text);
            return runs.flatMap((run) => [...run.text].map((character) => [character, run.mark]));
          });
        });
        const trained = pieces.flatMap((piece, i) => Array.from(piece, () => mask[i] === 1));
        expect(shown).toEqual(charactersOf(parts.map(({ text }) => text).join(''), trained));
        const total = (field: 'n_tokens' | 'n_trained'): number =>
          turns.reduce((n, turn) => n + turn[field], 0);
        expect(total('n_tokens')).toBe(ids.length);
        expect(total('n_trained')).toBe(mask.filter((value) => value === 1).length);
      }),
      { numRuns: 300 },
    );
  });

  it('give what belongs to no turn to the turn that follows, and at the end to the last', () => {
    const pieces = ['a', 'b', 'c', 'd'].map((text) => Buffer.from(text));
    const ids = [0, 1, 2, 3];
    const segments = [-1, 0, 1, -1].map((turn, i) => ({
      part: i === 0 || i === 3 ? ('context' as const) : ('text' as const),
      turn,
      span: -1,
      glue: i === 0 || i === 3,
    }));
    const turns = markTurns(
      { input_ids: ids, loss_mask: [0, 1, 1, 0] },
      decodeTokens(ids, encoderOf(pieces)),
      {
        segments,
        starts: ids,
      },
    );
    expect(turns.map(({ turn, pieces: own }) => [turn, own.map(({ text }) => text).join('')])).toEqual([
      [0, 'ab'],
      [1, 'cd'],
    ]);
  });
});

describe('guessSegments', () => {
  it('opens a turn at the special token before the name of a role', () => {
    const texts = ['<s>', '<|a|>', 'user\n', 'hi', '<|b|>', '\n', '<|a|>', 'assistant\n', 'yes', '<|b|>'];
    const specials = new Map([
      ['<s>', 0],
      ['<|a|>', 1],
      ['<|b|>', 4],
    ]);
    const encoder = encoderOf(
      texts.map((text) => Buffer.from(text)),
      specials,
    );
    const ids = [0, 1, 2, 3, 4, 5, 1, 7, 8, 4];
    const decoded = decodeTokens(ids, encoder);
    const guessed = guessSegments(ids, decoded, encoder);
    expect(guessed.roles).toEqual(['user', 'assistant']);
    const turns = markTurns({ input_ids: ids, loss_mask: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1] }, decoded, guessed);
    const words = turns.map(({ pieces }) => pieces.filter(({ glue }) => !glue).map(({ text }) => text));
    expect(words).toEqual([['hi', '\n'], ['yes']]);
    expect(turns[1]?.pieces[0]?.text).toBe('<|a|>assistant\n');
    expect(turns.map(({ n_trained }) => n_trained)).toEqual([0, 2]);
  });

  it('sees one turn where no role is named', () => {
    const encoder = encoderOf([Buffer.from('plain'), Buffer.from(' text')]);
    const decoded = decodeTokens([0, 1], encoder);
    const guessed = guessSegments([0, 1], decoded, encoder);
    const turns = markTurns({ input_ids: [0, 1], loss_mask: [0, 1] }, decoded, guessed);
    expect(turns.map(({ pieces }) => pieces.map(({ text }) => text))).toEqual([['plain text']]);
  });
});

describe('blocksOf', () => {
  const turn: ViewTurn = {
    number: 3,
    anchor: 'turn-3',
    role: 'assistant',
    name: null,
    time: null,
    notes: [],
    spans: [
      { kind: 'reasoning', model: true, text: 'hm', call: null },
      { kind: 'text', model: true, text: 'yes', call: null },
    ],
  };
  const held = { turn: 0, rendering: 0, trained: [4, 7], split: [], n_tokens: 2, n_trained: 1, windows: [] };

  it('shows what the row renders, then the spans that it left out', () => {
    const renderings = [
      [
        { part: 'header', span: -1, glue: true, text: '<a>\n' },
        { part: 'text', span: 1, glue: false },
      ],
    ];
    const blocks = blocksOf({ turn, held: [held], renderings });
    expect(
      blocks.map(({ kind, note, texts }) => [kind, note, texts.map(({ text }) => text).join('')]),
    ).toEqual([
      ['template', null, '<a>\n'],
      ['text', null, 'yes'],
      ['reasoning', 'left out of this row', 'hm'],
    ]);
    expect(
      blocks.map(({ texts }) => texts.flatMap((text) => markedRuns(text).map(({ mark }) => mark))),
    ).toEqual([['none'], ['trained'], ['none']]);
  });

  it('shows the spans of the log where the row does not hold the turn', () => {
    const blocks = blocksOf({ turn, held: [], renderings: [] });
    expect(blocks.map(({ kind, texts }) => [kind, texts[0]?.held])).toEqual([
      ['reasoning', null],
      ['text', null],
    ]);
  });
});
