import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  actionSpans,
  type CallMark,
  singleCommandMarks,
  thinkRanges,
} from '../../src/formats/inline-calls.js';
import { jsonCallMarks, sandmleMarks } from '../../src/formats/sandmle-calls.js';
import { actionMarks } from '../../src/formats/swe-agent-actions.js';

const BASH = { name: 'bash', pattern: /```bash\s*\n(.*?)\n```/gs, opening: /```bash/ };

/** Text that is full of the tags and fences that the splitters look for, whole and broken. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<think>',
        '</think>',
        '<tool_call>',
        '</tool_call>',
        '<code>',
        '</code>',
        '<answer>',
        '```',
        '```bash\n',
        '\n```',
        '<command>',
        '</command>',
        '<function=f>',
        '</function>',
        '{"name": "Score", "arguments": {"a": 1}}',
        'python\n',
        '\n',
        ' ',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.join(''));

const SYNTAXES: Readonly<Record<string, (content: string, other: string) => CallMark[]>> = {
  'no calls': () => [],
  'one command': (content) => singleCommandMarks(content, BASH),
  SandMLE: (content, other) => sandmleMarks(content, other.length % 2 === 0 ? null : other),
  'JSON in tags': jsonCallMarks,
  'SWE-agent': (content, other) => actionMarks(content, other),
  'SWE-agent without action': (content) => actionMarks(content, null),
};

describe('inline spans', () => {
  it.each(Object.entries(SYNTAXES))('joined are the content: %s', (_, marksOf) => {
    fc.assert(
      fc.property(hostile, hostile, (content, other) => {
        const spans = actionSpans(content, marksOf(content, other));
        expect(spans.map((span) => span.text).join('')).toBe(content);
        expect(spans.every((span) => span.inline && span.text !== '')).toBe(true);
        expect(spans.every((span) => (span.call !== null) === (span.kind === 'tool_call'))).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  const kinds = (content: string, marks: CallMark[] = []) =>
    actionSpans(content, marks).map((span) => [span.kind, span.text]);

  it.each([
    [
      'a block',
      '<think>a</think>b',
      [
        ['reasoning', '<think>a</think>'],
        ['text', 'b'],
      ],
    ],
    [
      'a block after text',
      'x <think>a</think>',
      [
        ['text', 'x '],
        ['reasoning', '<think>a</think>'],
      ],
    ],
    [
      'an opening in the prompt',
      'a</think>b',
      [
        ['reasoning', 'a</think>'],
        ['text', 'b'],
      ],
    ],
    [
      'an unclosed block that opens the turn',
      '\n<think>a',
      [
        ['text', '\n'],
        ['reasoning', '<think>a'],
      ],
    ],
    ['a tag in prose', 'the <think> tag', [['text', 'the <think> tag']]],
    [
      'two blocks',
      '<think>a</think>b<think>c</think>',
      [
        ['reasoning', '<think>a</think>'],
        ['text', 'b'],
        ['reasoning', '<think>c</think>'],
      ],
    ],
    ['nothing', '', []],
  ])('cuts %s', (_, content, spans) => {
    expect(kinds(content)).toEqual(spans);
  });

  it('keeps tags inside a call in the call, and reasoning around it', () => {
    const content = '<think>a[<think>]b</think>c';
    const mark = { start: 8, end: 17, call: { name: 'f', arguments: '' } };
    expect(kinds(content, [mark])).toEqual([
      ['reasoning', '<think>a'],
      ['tool_call', '[<think>]'],
      ['reasoning', 'b</think>'],
      ['text', 'c'],
    ]);
  });

  it('ends an unclosed thought at the call', () => {
    const content = '<think>a[call]b';
    expect(kinds(content, [{ start: 8, end: 14, call: null }])).toEqual([
      ['reasoning', '<think>a'],
      ['malformed_call', '[call]'],
      ['text', 'b'],
    ]);
  });

  it('gives ranges of thought', () => {
    expect(thinkRanges('x<think>a</think>')).toEqual([[1, 17]]);
  });
});

describe('one command a turn', () => {
  it('is a call when there is one, malformed when there are several or it is not closed', () => {
    expect(singleCommandMarks('a ```bash\nls\n```', BASH)).toEqual([
      { start: 2, end: 16, call: { name: 'bash', arguments: 'ls' } },
    ]);
    expect(singleCommandMarks('```bash\na\n```\n```bash\nb\n```', BASH).map((mark) => mark.call)).toEqual([
      null,
      null,
    ]);
    expect(singleCommandMarks('a ```bash\nls', BASH)).toEqual([{ start: 2, end: 12, call: null }]);
    expect(singleCommandMarks('no command', BASH)).toEqual([]);
  });
});
