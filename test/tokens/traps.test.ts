import { describe, expect, it } from 'vitest';
import { contentSpan } from '../../src/trajectory/build.js';
import { textOf } from './carrier.js';
import {
  assistant,
  renderer,
  rowOf,
  rowsOf,
  text,
  thought,
  tool,
  trainedRuns,
  trajectoryOf,
  user,
} from './rows.js';

/** What the template prints before the model's turn number `turn`. */
function promptOf(row: ReturnType<typeof rowOf>, turn: number): string {
  const at = row.segments.findIndex((segment) => segment.turn === turn && segment.part !== 'header');
  return textOf({ segments: row.segments.slice(0, at) });
}

describe("Qwen3's traps", () => {
  it('the empty think block of the last turn is no word of the model', () => {
    const turns = [user('u'), assistant([text('a')])];
    expect(trainedRuns(rowOf(turns))).toEqual(['a<|im_end|>']);
    expect(trainedRuns(rowOf(turns, { mask: { policy: 'trl' } }))).toEqual([
      '<think>\n\n</think>\n\na<|im_end|>\n',
    ]);
  });

  it.each([
    [' </think> ', ['<think>\n \n</think>\n\n <|im_end|>']],
    ['<think> </think>a', ['<think>\n \n</think>\n\na<|im_end|>']],
    [' \n</think>\n\n \n', ['<think>\n \n</think>\n\n \n<|im_end|>']],
  ])('white space of the model is its own on both sides of a tag: %j', (content, runs) => {
    expect(trainedRuns(rowOf([user('u'), assistant([text(content)])]))).toEqual(runs);
  });

  it('a final turn without reasoning gets the block; a turn before it, without reasoning, does not', () => {
    const turns = [
      user('u'),
      assistant([text('a')]),
      tool('t'),
      assistant([thought('r'), text('b')]),
      tool('t'),
    ];
    const row = rowOf([...turns, assistant([text('c')])]);
    expect(trainedRuns(row)).toEqual(['a<|im_end|>', '<think>\nr\n</think>\n\nb<|im_end|>', 'c<|im_end|>']);
    expect(textOf(row).split('<think>\n\n</think>').length).toBe(2);
  });

  it.each(['t', 'think', 'n', '>', 'h i n k', '<'])(
    'inline reasoning %j also stands inside its own tag',
    (words) => {
      const inline = contentSpan('reasoning', 'model', `<think>\n${words}\n</think>\n\n`);
      const row = rowOf([user('u'), assistant([inline, text('a')])]);
      expect(Object.values(row.proofs)).not.toContain(false);
      expect(trainedRuns(row)).toEqual([`<think>\n${words}\n</think>\n\na<|im_end|>`]);
    },
  );

  it('one character behind a wrapped tool response makes it a query, which strips the reasoning before it', () => {
    const thinking = assistant([thought('r'), text('a')]);
    const wrapped = '<tool_response>\nx\n</tool_response>';
    const rows = (answer: string) => rowsOf(trajectoryOf([user('u'), thinking, user(answer), thinking]));
    expect(rows(wrapped).map((row) => row.trained_turns)).toEqual([[1, 3]]);
    expect(rows(`${wrapped} `).map((row) => row.trained_turns)).toEqual([[1], [3]]);
  });

  it('results that follow results move glue, not what the model saw', () => {
    const turns = [
      user('u'),
      assistant([text('a')]),
      tool('1'),
      tool('2'),
      assistant([thought('r'), text('b')]),
    ];
    const row = rowOf(turns);
    const { segments } = renderer.render({ turns, indices: [0, 1, 2, 3], tools: null });
    expect(promptOf(row, 4)).toBe(`${textOf({ segments })}<|im_start|>assistant\n`);
    expect(trainedRuns(row)).toEqual(['a<|im_end|>', '<think>\nr\n</think>\n\nb<|im_end|>']);
  });
});
