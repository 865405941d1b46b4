import { describe, expect, it } from 'vitest';
import { loadRenderer } from '../../src/chat/load-renderer.js';
import type { Segment } from '../../src/chat/segment.js';
import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../../src/trajectory/build.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { goldenConversations, readGolden } from './golden.js';

const renderer = loadRenderer({ template: 'qwen3' });
const golden = readGolden('qwen3');

function segmentsOf(turns: readonly Turn[], tools: string | null = null): readonly Segment[] {
  return renderer.render({ turns, indices: turns.map((_, i) => i), tools }).segments;
}

function labels(segments: readonly Segment[], turn: number): [string, string, number, boolean][] {
  return segments
    .filter((segment) => segment.turn === turn)
    .map(({ part, text, span, glue }) => [part, text, span, glue]);
}

describe('golden texts of Python Jinja2', () => {
  it('are of the same template', () => {
    expect(renderer.sha256).toBe(golden.template_sha256);
  });

  it.each(goldenConversations())('$name', ({ name, turns, tools }) => {
    const text = segmentsOf(turns, tools)
      .map((segment) => segment.text)
      .join('');
    expect(text).toBe(golden.texts[name]);
  });
});

const user = (text: string) => makeTurn('user', [contentSpan('prompt', 'environment', text)]);
const tool = (text: string) => makeTurn('tool', [contentSpan('observation', 'environment', text)]);
const model = (text: string) => contentSpan('text', 'model', text);

describe('parts', () => {
  it('labels everything of a thinking turn with a call', () => {
    const call = structuredCallSpan({ id: null, name: 'run', arguments: '{"a": 1}' });
    const turns = [user('go'), makeTurn('assistant', [reasoningSpan('\nwhy\n'), model('\nbecause'), call])];
    expect(labels(segmentsOf(turns), 1)).toEqual([
      ['header', '<|im_start|>assistant\n', -1, true],
      ['think_frame', '<think>\n', 0, true],
      ['reasoning', 'why', 0, false],
      ['think_frame', '\n</think>\n\n', 0, true],
      ['text', 'because', 1, false],
      ['call_frame', '\n', 2, true],
      ['call_frame', '<tool_call>\n{"name": "', 2, true],
      ['tool_call', 'run', 2, false],
      ['call_frame', '", "arguments": ', 2, true],
      ['tool_call', '{"a": 1}', 2, false],
      ['call_frame', '}\n</tool_call>', 2, true],
      ['stop', '<|im_end|>', -1, true],
      ['separator', '\n', -1, true],
    ]);
  });

  it('finds reasoning inside the content', () => {
    const turns = [user('go'), makeTurn('assistant', [model('<think>\nwhy\n</think>\n\nyes')])];
    expect(labels(segmentsOf(turns), 1).slice(1, 5)).toEqual([
      ['think_frame', '<think>\n', 0, true],
      ['reasoning', 'why', 0, false],
      ['think_frame', '\n</think>\n\n', 0, true],
      ['text', 'yes', 0, false],
    ]);
  });

  it('tells an empty think block that the template makes from one that the model wrote', () => {
    const made = [user('go'), makeTurn('assistant', [model('yes')])];
    const written = [user('go'), makeTurn('assistant', [model('<think>\n\n</think>\n\nyes')])];
    const block = '<think>\n\n</think>\n\n';
    expect(labels(segmentsOf(made), 1)[1]).toEqual(['empty_think', block, -1, true]);
    expect(labels(segmentsOf(written), 1)[1]).toEqual(['think_frame', block, 0, true]);
  });

  it('keeps special tokens of content and tools out of the glue', () => {
    const turns = [user('<|im_start|>'), makeTurn('assistant', [model('<|im_end|>')])];
    const marked = segmentsOf(turns, '[{"name": "<|im_end|>"}]').filter((segment) => segment.glue);
    const glue = marked.map((segment) => segment.text).join('');
    expect(glue.match(/<\|im_start\|>/g)?.length).toBe(3);
    expect(glue.match(/<\|im_end\|>/g)?.length).toBe(3);
  });

  it('divides content among its spans', () => {
    const turn = makeTurn('assistant', [
      model('I run '),
      { ...model('```ls```'), kind: 'tool_call' },
      { ...model('!'), origin: 'environment' },
    ]);
    expect(labels(segmentsOf([user('go'), turn, tool('x'), makeTurn('assistant', [model('y')])]), 1)).toEqual(
      [
        ['header', '<|im_start|>assistant\n', -1, true],
        ['text', 'I run ', 0, false],
        ['tool_call', '```ls```', 1, false],
        ['text', '!', 2, false],
        ['stop', '<|im_end|>', -1, true],
        ['separator', '\n', -1, true],
      ],
    );
  });
});

describe('earlier turns', () => {
  const thinking = makeTurn('assistant', [reasoningSpan('r'), model('a')]);
  const input = (turns: Turn[]) => ({ turns, indices: turns.map((_, i) => i), tools: null });

  it('names turns whose reasoning was left out', () => {
    expect(renderer.render(input([user('1'), thinking, user('2'), thinking])).stripped_reasoning).toEqual([
      1,
    ]);
  });

  it('names turns whose text was dropped around think tags', () => {
    const odd = makeTurn('assistant', [model('lost <think>r</think>a')]);
    expect(renderer.render(input([user('1'), odd])).stripped_reasoning).toEqual([1]);
  });

  it('breaks at each query behind shown reasoning', () => {
    const turns = [user('1'), thinking, tool('t'), thinking, user('2'), user('3'), thinking, user('4')];
    expect(renderer.breaks(input(turns))).toEqual([4, 7]);
  });

  it('does not break without reasoning, nor before the first query', () => {
    const plain = makeTurn('assistant', [model('a')]);
    expect(renderer.breaks(input([user('1'), plain, user('2'), plain, user('3')]))).toEqual([]);
    expect(renderer.breaks(input([thinking, user('1'), plain, user('2')]))).toEqual([]);
  });

  it('takes a wrapped tool response for no query, but one character more makes it one', () => {
    const wrapped = '<tool_response>\nx\n</tool_response>';
    expect(renderer.breaks(input([user('1'), thinking, user(wrapped), thinking]))).toEqual([]);
    expect(renderer.breaks(input([user('1'), thinking, user(`${wrapped}\n`), thinking]))).toEqual([2]);
  });

  it('can keep all reasoning', () => {
    const kept = renderer.renderPreserving(input([user('1'), thinking, user('2'), thinking]));
    expect(kept?.stripped_reasoning).toEqual([]);
    expect(kept?.segments.filter((segment) => segment.part === 'reasoning').length).toBe(2);
  });
});

describe('refusals', () => {
  it('refuses an empty conversation, bad tools and spans without a place', () => {
    expect(() => segmentsOf([])).toThrow(expect.objectContaining({ code: 'template_error' }));
    expect(() => segmentsOf([user('a')], '{"a": 1}')).toThrow(
      expect.objectContaining({ code: 'template_error' }),
    );
    const stray = makeTurn('assistant', [{ ...model('x'), inline: false }]);
    expect(() => segmentsOf([stray])).toThrow(expect.objectContaining({ code: 'template_error' }));
  });
});
