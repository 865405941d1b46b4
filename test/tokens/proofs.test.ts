import { describe, expect, it } from 'vitest';
import { SpecialFinder } from '../../src/chat/special-tokens.js';
import { layOut } from '../../src/tokens/layout.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { type ProofInput, Prover } from '../../src/tokens/proofs.js';
import type { TokenRow } from '../../src/tokens/token-row.js';
import { assistant, call, encoder, rowsOf, system, text, thought, tool, trajectoryOf, user } from './rows.js';

const finder = new SpecialFinder(encoder.specials.keys());
const END = encoder.specials.get('<|im_end|>') ?? -1;
const START = encoder.specials.get('<|im_start|>') ?? -1;

const turns = [
  system('s'),
  user('go <|im_end|>'),
  assistant([thought('why'), text('\n\nso it is'), call('{"a": 1}')]),
  tool('out of tokens'),
  assistant([text('\n\nafter')]),
  tool('x'),
  assistant([text('half')], { truncated: 'length' }),
  tool('y'),
  assistant([text('end')]),
];
const trajectory = trajectoryOf(turns);

/** A good row of the conversation as input of a proof; `change` spoils it. */
function proofOf(change: (input: MutableInput) => void = () => {}, options: { policy?: string } = {}) {
  const mask = maskSchema.parse({ policy: options.policy ?? 'sampled', truncated: 'train_without_stop' });
  const [row] = rowsOf(trajectory, { mask });
  if (row === undefined) throw new Error('no row');
  const input = mutable(row);
  change(input);
  return new Prover({ encoder, mask }).prove(input);
}

type MutableInput = { -readonly [K in keyof ProofInput]: ProofInput[K] } & { row: TokenRow };

function mutable(row: TokenRow): MutableInput {
  const { segments } = row;
  return {
    row,
    input_ids: row.input_ids.slice(),
    loss_mask: row.loss_mask.slice(),
    straddled_tokens: row.straddled_tokens,
    ids_differ_because: row.ids_differ_because,
    segments,
    layout: layOut({ segments, encoder, finder, cutAfterHeaders: false }),
    subject: trajectory,
    trained: new Set(row.trained_turns),
    altered: new Set<number>(),
  };
}

/** First token of a part of a turn. */
function tokenOf({ row }: MutableInput, turn: number, part: string): number {
  const found = row.segment_of_token.findIndex((segment) => {
    const at = row.segments[segment];
    return at?.turn === turn && at.part === part;
  });
  if (found < 0) throw new Error(`no token of ${part} in turn ${turn}`);
  return found;
}

const ALL = {
  lengths: true,
  trained_text: true,
  stop_tokens: true,
  no_injected_specials: true,
  ids_equal_rendering: true,
};

it.each(['sampled', 'trl', 'verl', 'axolotl', 'nemo-rl'])('a good row is proved (%s)', (policy) => {
  expect(proofOf(undefined, { policy })).toEqual(ALL);
});

describe('1: lengths', () => {
  it.each<[string, (input: MutableInput) => void]>([
    ['a mask too short', (input) => (input.loss_mask = input.loss_mask.slice(1))],
    ['a mask too long', (input) => (input.loss_mask = Uint8Array.of(...input.loss_mask, 0))],
    ['a value that is neither 0 nor 1', (input) => (input.loss_mask[0] = 2)],
  ])('%s', (_, change) => {
    expect(proofOf(change).lengths).toBe(false);
  });
});

describe('2: trained text', () => {
  it.each<[string, (input: MutableInput) => void]>([
    ['an observation token trained', (input) => (input.loss_mask[tokenOf(input, 3, 'context') + 3] = 1)],
    ['a header trained', (input) => (input.loss_mask[tokenOf(input, 2, 'header') + 1] = 1)],
    ['an invented think block trained', (input) => (input.loss_mask[tokenOf(input, 8, 'empty_think')] = 1)],
    ['a newline behind the stop trained', (input) => (input.loss_mask[tokenOf(input, 2, 'separator')] = 1)],
    ['a straddling token trained', (input) => (input.loss_mask[tokenOf(input, 4, 'text') - 1] = 1)],
    ['a word left out', (input) => (input.loss_mask[tokenOf(input, 2, 'text')] = 0)],
    ['a thought left out', (input) => (input.loss_mask[tokenOf(input, 2, 'reasoning')] = 0)],
    ['a frame left out', (input) => (input.loss_mask[tokenOf(input, 2, 'call_frame')] = 0)],
    [
      'the mask shifted by one',
      (input) => {
        input.loss_mask.copyWithin(1, 0);
        input.loss_mask[0] = 0;
      },
    ],
    ['everything trained', (input) => input.loss_mask.fill(1)],
    ['nothing trained', (input) => input.loss_mask.fill(0)],
    ['straddling tokens miscounted', (input) => (input.straddled_tokens += 1)],
    ['another token in a word', (input) => (input.input_ids[tokenOf(input, 2, 'text')] = 0)],
    [
      'two tokens exchanged',
      (input) => {
        const at = tokenOf(input, 2, 'text');
        input.input_ids.subarray(at, at + 2).reverse();
      },
    ],
    ['a token lost', (input) => (input.input_ids = input.input_ids.slice(0, -1))],
    [
      'words of a turn exchanged for others of the same length',
      (input) => {
        input.segments = input.segments.map((segment) =>
          segment.text === 'so it is' ? { ...segment, text: 'no it is' } : segment,
        );
      },
    ],
    ['a turn trained that the row does not list', (input) => (input.trained = new Set([2, 4, 6]))],
    ['a turn listed that is not trained', (input) => (input.trained = new Set([2, 3, 4, 6, 8]))],
    [
      'words dropped from the rendering',
      (input) => {
        const { segments } = input;
        input.segments = segments.filter((segment) => segment.text !== '{"a": 1}');
        input.layout = layOut({ segments: input.segments, encoder, finder, cutAfterHeaders: false });
      },
    ],
    [
      "environment's words labelled as the model's",
      (input) => {
        const spoilt = trajectory.turns.map((turn, index) =>
          index === 2
            ? { ...turn, spans: turn.spans.map((span) => ({ ...span, origin: 'environment' as const })) }
            : turn,
        );
        input.subject = { ...trajectory, turns: spoilt };
      },
    ],
  ])('%s', (_, change) => {
    expect(proofOf(change).trained_text).toBe(false);
  });
});

describe('3: stop tokens', () => {
  it.each<[string, (input: MutableInput) => void]>([
    ['a stop left out', (input) => (input.loss_mask[tokenOf(input, 2, 'stop')] = 0)],
    ['the stop of a cut turn trained', (input) => (input.loss_mask[tokenOf(input, 6, 'stop')] = 1)],
    ["a user's stop trained", (input) => (input.loss_mask[input.input_ids.indexOf(END)] = 1)],
    ['a stop trained of a turn that is not', (input) => (input.trained = new Set([2, 4, 6]))],
  ])('%s', (_, change) => {
    expect(proofOf(change).stop_tokens).toBe(false);
  });
});

describe('4: special tokens of content', () => {
  it.each<[string, (input: MutableInput) => void]>([
    ['one put among words', (input) => (input.input_ids[tokenOf(input, 2, 'text')] = START)],
    ['one exchanged for another', (input) => (input.input_ids[input.input_ids.indexOf(START)] = END)],
    [
      'one moved behind the token that follows it',
      (input) => {
        const at = input.input_ids.indexOf(START);
        input.input_ids[at] = input.input_ids[at + 1] ?? 0;
        input.input_ids[at + 1] = START;
      },
    ],
    ['one of the glue lost', (input) => (input.input_ids[input.input_ids.indexOf(START)] = 0)],
    [
      'content encoded with special tokens found',
      (input) => {
        const sink = { ids: new Int32Array(16), length: 0 };
        encoder.encode(input.segments.map((segment) => segment.text).join(''), sink, 'match');
        input.input_ids = sink.ids.slice(0, sink.length);
      },
    ],
  ])('%s', (_, change) => {
    expect(proofOf(change).no_injected_specials).toBe(false);
  });
});

describe('5: ids of the rendering', () => {
  it.each<[string, (input: MutableInput) => void]>([
    ['special text that the row does not name', (input) => (input.ids_differ_because = [])],
    [
      'the same, found by encoding again',
      (input) => {
        input.ids_differ_because = [];
        input.full = true;
      },
    ],
    ['ids of another text', (input) => (input.input_ids[3] = 0)],
  ])('%s', (_, change) => {
    expect(proofOf(change).ids_equal_rendering).toBe(false);
  });

  it('finds a word that was merged otherwise, when it encodes again', () => {
    const plain = [user('go'), assistant([text('hello')])];
    const [row] = rowsOf(trajectoryOf(plain));
    if (row === undefined) throw new Error('no row');
    const letters = [...'hello'].map((letter) => {
      const sink = { ids: new Int32Array(4), length: 0 };
      encoder.encode(letter, sink, 'plain');
      return sink.ids[0] ?? 0;
    });
    const input = { ...mutable(row), subject: trajectoryOf(plain), full: true };
    const at = row.input_ids.findIndex((id) => Buffer.from(encoder.tokenBytes(id)).toString() === 'hello');
    input.input_ids = Int32Array.of(
      ...row.input_ids.slice(0, at),
      ...letters,
      ...row.input_ids.slice(at + 1),
    );
    input.loss_mask = Uint8Array.of(
      ...row.loss_mask.slice(0, at),
      1,
      1,
      1,
      1,
      1,
      ...row.loss_mask.slice(at + 1),
    );
    const proofs = new Prover({ encoder, mask: maskSchema.parse({}) }).prove(input);
    expect(proofs).toEqual({ ...ALL, ids_equal_rendering: false });
  });
});

describe('the bytes of a token', () => {
  const bytesOf = (id: number): string => Buffer.from(encoder.tokenBytes(id)).toString('latin1');
  const ids = [...Array(encoder.byteLengths?.length ?? 0).keys()];

  /** Two tokens of one length that are alike up to byte `from` and differ in a byte from there on. */
  function twins(from: number, size: (bytes: number) => boolean): [number, number] {
    const seen = new Map<string, number>();
    for (const id of ids) {
      const text = bytesOf(id);
      if (!/^[a-z ]+$/.test(text) || !size(text.length)) continue;
      const key = `${text.length} ${text.slice(0, from)}`;
      const other = seen.get(key);
      if (other !== undefined) return [other, id];
      seen.set(key, id);
    }
    throw new Error(`no twins from byte ${from}`);
  }

  it.each([
    { from: 1, size: (bytes: number) => bytes <= 4 },
    { from: 4, size: (bytes: number) => bytes > 4 && bytes <= 8 },
    { from: 8, size: (bytes: number) => bytes > 8 },
  ])('are compared to the last, also where only those from byte $from on differ', ({ from, size }) => {
    const [one, other] = twins(from, size);
    const plain = trajectoryOf([user(bytesOf(one)), assistant([text('hello')])]);
    const [row] = rowsOf(plain);
    if (row === undefined) throw new Error('no row');
    const input = { ...mutable(row), subject: plain };
    const at = input.input_ids.indexOf(one);
    expect(at).toBeGreaterThan(0);
    const prover = new Prover({ encoder, mask: maskSchema.parse({}) });
    expect(prover.prove(input)).toEqual(ALL);
    input.input_ids[at] = other;
    expect(prover.prove(input)).toMatchObject({ trained_text: false, ids_equal_rendering: false });
  });
});
