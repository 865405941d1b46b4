import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JinjaRenderer } from '../../src/chat/jinja-engine.js';
import { qwen3Renderer } from '../../src/chat/qwen3.js';
import { type ChatRenderer, STRATEGIES, type Strategy } from '../../src/chat/renderer.js';
import type { Segment } from '../../src/chat/segment.js';
import { readTemplate } from '../../src/chat/template-source.js';
import { RejectError } from '../../src/logs/reject.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { MASK_POLICY_NAMES, type MaskPolicyName } from '../../src/tokens/mask-policy.js';
import { planRows } from '../../src/tokens/stretches.js';
import type { Turn } from '../../src/trajectory/turn.js';
import {
  assistant,
  call,
  encoder,
  rowOf,
  system,
  text,
  thought,
  tool,
  trajectoryOf,
  user,
} from '../tokens/rows.js';

const engine = new JinjaRenderer(readTemplate('qwen3'));

const BLANKS = ['\n', ' ', '\t', '\u0085', '\u2028', '\u3000', '\ufeff', '\u001c'] as const;
const MARKS = ['<think>', '</think>', '<tool_response>', '</tool_response>', '<|im_end|>', '{"'] as const;
const joined = (parts: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...parts), { maxLength }).map((chosen) => chosen.join(''));
const words = joined(['x', 'y z', 'é', '🙂', ...BLANKS, ...MARKS], 6);
const blank = joined(BLANKS, 3);
const said = fc.oneof(words, blank);

const modelTurn = fc
  .record({
    reasoning: fc.array(said, { maxLength: 2 }),
    prefill: fc.option(words, { freq: 6 }),
    inside: fc.option(said, { freq: 3 }),
    content: said,
    malformed: fc.option(words, { freq: 6 }),
    calls: fc.array(fc.oneof(words, fc.constant({ a: 1 })), { maxLength: 2 }),
    truncated: fc.constantFrom(null, null, null, 'length' as const),
  })
  .map(({ reasoning, prefill, inside, content, malformed, calls, truncated }) => {
    const inline = [
      ...(prefill === null ? [] : [{ ...text(prefill), origin: 'environment' as const }]),
      ...(inside === null ? [] : [text(`<think>\n${inside}\n</think>\n\n`)]),
      text(content),
      ...(malformed === null ? [] : [{ ...text(malformed), kind: 'malformed_call' as const }]),
    ];
    // of a content that is all newlines the template leaves one before the calls, which belongs to them or to the thought
    const isLineEnds = inline.every((span) => /^\n*$/.test(span.text));
    const calling = calls.map((args) => call(args));
    return assistant([...reasoning.map(thought), ...(isLineEnds ? [] : inline), ...calling], { truncated });
  });
const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 4, arbitrary: modelTurn },
  { weight: 2, arbitrary: words.map(tool) },
  { weight: 1, arbitrary: words.map(user) },
  { weight: 1, arbitrary: words.map((result) => user(`<tool_response>${result}</tool_response>`)) },
  { weight: 1, arbitrary: words.map(system) },
);
const anyConversation = fc.array(turn, { minLength: 1, maxLength: 8 });
/** Equal neighbours as one, whatever order they were added in; context by its text alone. */
function merged(segments: readonly Segment[]): Segment[] {
  const list: Segment[] = [];
  for (const segment of segments) {
    const own = segment.part === 'context' ? { ...segment, turn: -1, span: -1 } : segment;
    const last = list.at(-1);
    const joins =
      last?.part === own.part && last.turn === own.turn && last.span === own.span && last.glue === own.glue;
    if (joins) list[list.length - 1] = { ...own, text: last.text + own.text };
    else list.push(own);
  }
  return list;
}

interface Choice {
  readonly strategy: Strategy;
  readonly policy: MaskPolicyName;
}

/** Everything that a renderer makes of a conversation, or the code with which it is refused. */
function rowsOf(turns: Turn[], renderer: ChatRenderer, { strategy, policy }: Choice) {
  const mask = maskSchema.parse({ policy, truncated: 'train_without_stop', malformed_calls: 'train' });
  const trajectory = trajectoryOf(turns);
  const rows = createRowEncoder({ encoder, renderer, mask });
  try {
    return planRows({ trajectory, lastTurn: turns.length - 1, strategy, renderer }).map((plan) => {
      const row = rows.encode({ trajectory, plan });
      return {
        plan,
        segments: merged(row.segments),
        ids: [...row.input_ids],
        loss_mask: [...row.loss_mask],
        trained: row.trained_turns,
        flags: row.flags,
        because: row.ids_differ_because,
      };
    });
  } catch (error) {
    if (error instanceof RejectError) return error.code;
    throw error;
  }
}

describe('the written renderer of Qwen3 and the engine', () => {
  it.each(STRATEGIES.filter((strategy) => strategy !== 'preserve'))(
    'make the same rows, masks and flags under %s',
    (strategy) => {
      fc.assert(
        fc.property(anyConversation, fc.constantFrom(...MASK_POLICY_NAMES), (turns, policy) => {
          const choice = { strategy, policy };
          expect(rowsOf(turns, qwen3Renderer, choice)).toEqual(rowsOf(turns, engine, choice));
        }),
        { numRuns: 500 },
      );
    },
  );

  it('keep the same words under preserve', () => {
    // not the same white space: the engine keeps what the template put into a turn that was the last one once
    const wordsOf = (turns: Turn[], renderer: ChatRenderer, policy: MaskPolicyName) => {
      const rows = rowsOf(turns, renderer, { strategy: 'preserve', policy });
      if (typeof rows === 'string') return rows;
      return rows.map(({ plan, segments }) => {
        const words = segments.filter(({ glue }) => !glue);
        const bare = words.map((segment) => ({ ...segment, text: segment.text.replace(/\s+/g, '') }));
        return { plan, words: merged(bare.filter(({ text }) => text !== '')) };
      });
    };
    fc.assert(
      fc.property(anyConversation, fc.constantFrom(...MASK_POLICY_NAMES), (turns, policy) => {
        expect(wordsOf(turns, qwen3Renderer, policy)).toEqual(wordsOf(turns, engine, policy));
      }),
      { numRuns: 300 },
    );
  });
});

it.each(['\n', ' ', '\t\u0085', '\n \n'])(
  'a turn whose thought is %j lacks none that was taken away',
  (reason) => {
    const turns = [user('q'), assistant([thought(reason), text('a')]), user('next'), assistant([text('b')])];
    const row = rowOf(turns, { strategy: 'follow' });
    expect(row.trained_turns).toEqual([1, 3]);
    expect(row.flags).toEqual([]);
  },
);
