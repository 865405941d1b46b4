import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JinjaRenderer } from '../../src/chat/jinja-engine.js';
import { qwen3Renderer } from '../../src/chat/qwen3.js';
import type { Segment } from '../../src/chat/segment.js';
import { readTemplate, templateFromText } from '../../src/chat/template-source.js';
import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../../src/trajectory/build.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { goldenConversations, readGolden } from './golden.js';

const source = readTemplate('qwen3');
const engine = new JinjaRenderer(source);
const golden = readGolden('qwen3');

const input = (turns: readonly Turn[], tools: string | null = null) => ({
  turns,
  indices: turns.map((_, i) => i),
  tools,
});
const textOf = (segments: readonly Segment[]) => segments.map((segment) => segment.text).join('');

/** Segments with neighbours of the same label joined. */
function merged(segments: readonly Segment[]): Segment[] {
  const list: Segment[] = [];
  for (const segment of segments) {
    const last = list.at(-1);
    const same =
      last !== undefined &&
      last.part === segment.part &&
      last.glue === segment.glue &&
      (segment.part === 'context' || (last.turn === segment.turn && last.span === segment.span));
    if (same) list[list.length - 1] = { ...last, text: last.text + segment.text };
    else list.push(segment);
  }
  return list.map((segment) => (segment.part === 'context' ? { ...segment, turn: -1, span: -1 } : segment));
}

describe("Qwen3's template run by the engine", () => {
  it.each(goldenConversations())(
    'gives the golden text and the parts of the written renderer: $name',
    (conversation) => {
      const { name, turns, tools } = conversation;
      const rendering = engine.render(input(turns, tools));
      const written = qwen3Renderer.render(input(turns, tools));
      expect(textOf(rendering.segments)).toBe(golden.texts[name]);
      expect(rendering.stripped_reasoning).toEqual(written.stripped_reasoning);
      // the tools' definitions differ in where the newline before each belongs
      if (tools === null) expect(merged(rendering.segments)).toEqual(merged(written.segments));
      expect(engine.breaks(input(turns, tools))).toEqual(qwen3Renderer.breaks(input(turns, tools)));
    },
  );

  it('agrees with the written renderer on any conversation', () => {
    const words = fc
      .array(
        fc.constantFrom('a', ' ', '\n', '\n\n', '<think>', '</think>', '<tool_response>', '</tool_response>'),
        {
          maxLength: 7,
        },
      )
      .map((parts) => parts.join(''));
    const turn = fc.oneof(
      words.map((text) => makeTurn('user', [contentSpan('prompt', 'environment', text)])),
      words.map((text) => makeTurn('tool', [contentSpan('observation', 'environment', text)])),
      words.map((text) => makeTurn('system', [contentSpan('prompt', 'environment', text)])),
      fc
        .tuple(words, fc.option(words), fc.array(words, { maxLength: 2 }))
        .map(([text, why, calls]) =>
          makeTurn('assistant', [
            ...(why === null ? [] : [reasoningSpan(why)]),
            contentSpan('text', 'model', text),
            ...calls.map((args) => structuredCallSpan({ id: null, name: 'f', arguments: args })),
          ]),
        ),
    );
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 7 }), (turns) => {
        const rendering = engine.render(input(turns));
        const written = qwen3Renderer.render(input(turns));
        expect(textOf(rendering.segments)).toBe(textOf(written.segments));
      }),
      { numRuns: 500 },
    );
  });
});

function run(template: string, content = 'x', tokens: Record<string, string> = {}): string {
  const renderer = new JinjaRenderer({ ...templateFromText('test', template), tokens });
  return renderer.text(input([makeTurn('user', [contentSpan('prompt', 'environment', content)])]));
}

describe('the language', () => {
  it.each([
    [
      "{{ '  a b '.strip() }}|{{ 'xxaxx'.strip('x') }}|{{ 'xxa'.lstrip('x') }}|{{ 'axx'.rstrip('x') }}",
      'a b|a|a|a',
    ],
    ["{{ 'a,b,c'.split(',')[-1] }}{{ 'a b  c'.split()|length }}{{ 'a-b-c'.rsplit('-', 1)[0] }}", 'c3a-b'],
    ['{{ [1, 2.0, true, none, "s"] }}', "[1, 2.0, True, None, 's']"],
    ['{{ {"b": 1, "a": [none]} | tojson }}', '{"b": 1, "a": [null]}'],
    ['{{ {"a": [1]} | tojson(indent=2) }}', '{\n  "a": [\n    1\n  ]\n}'],
    [
      '{% for i in range(5) %}{% if i == 1 %}x{% continue %}{% endif %}{% if i == 3 %}y{% break %}{% endif %}{{ i }}{% endfor %}',
      '0x2y',
    ],
    ['{% set a = 1 %}{% for i in [1, 2] %}{{ a }}{% set a = 5 %}{% endfor %}{{ a }}', '111'],
    [
      '{% set ns = namespace(a=1) %}{% for i in [1, 2] %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}',
      '4',
    ],
    [
      "{% macro f(a, b='y') %}[{{ a }}{{ b }}]{% endmacro %}{{ f('x') }}{{ f(b=1, a=2) }}{{ f(none) }}",
      '[xy][21][Noney]',
    ],
    ['{% for k, v in {"x": 1}.items() %}{{ k }}={{ v }}{% else %}none{% endfor %}', 'x=1'],
    ['{% for i in [] %}a{% else %}none{% endfor %}', 'none'],
    [
      '{% for i in [1, 2, 3] if i != 2 %}{{ loop.index }}/{{ loop.length }}{{ "." if loop.last }}{% endfor %}',
      '1/22/2.',
    ],
    [
      '{{ missing }}{{ missing is defined }}{{ messages[0].none is none }}{{ (messages[0].none or "z") }}',
      'FalseFalsez',
    ],
    ["{{ 'é🙂b'[1] }}{{ 'é🙂b'[::-1] }}{{ [1,2,3][1:] }}{{ 'é🙂b'|length }}", '🙂b🙂é[2, 3]3'],
    ['  {% if true %}\na\n  {% endif %}\nb\n', 'a\nb'],
    ['{%- set x -%} a {%- endset -%}{{ x }}{% filter upper %}b{% endfilter %}', 'aB'],
    ['{{ 7 // 2 }}{{ -7 % 3 }}{{ 7 / 2 }}{{ 2 * 3 }}{{ "a" ~ 1 }}', '323.56a1'],
    [
      '{{ messages | selectattr("role", "equalto", "user") | list | length }}{{ messages|map(attribute="content")|join(",") }}',
      '1x',
    ],
    ['{{ "items" in {"items": 1} }}{{ {"items": 1}["items"] }}', 'True1'],
    ['a\r\nb{% generation %}c{% endgeneration %}', 'a\nbc'],
  ])('%s', (template, expected) => {
    expect(run(template)).toBe(expected);
  });

  it('knows tokens by name', () => {
    expect(run('{{ bos_token }}{{ eos_token is defined }}', 'x', { bos_token: '<s>' })).toBe('<s>False');
  });

  it.each([
    ["{{ raise_exception('no') }}", 'no'],
    ['{{ missing.name }}', 'missing is undefined'],
    ["{{ 'a' + 1 }}", 'unsupported operand types'],
    ["{{ strftime_now('%Y') }}", 'the template asks for the date and none was given'],
  ])('refuses messages: %s', (template, message) => {
    expect(() => run(template)).toThrow(expect.objectContaining({ code: 'template_error', message }));
  });

  it.each([
    ['{{ x | frobnicate }}', 'filter frobnicate'],
    ['{{ x is odder }}', 'test odder'],
    ['{{ x.encode() }}', 'method encode'],
    ['{% if %}', 'cannot be parsed'],
  ])('refuses a template by name: %s', (template, message) => {
    expect(() => run(template)).toThrow(
      expect.objectContaining({ code: 'E_TEMPLATE', message: expect.stringContaining(message) }),
    );
  });

  it('tells the date that it was given', () => {
    const date = new Date(Date.UTC(2025, 0, 2));
    const renderer = new JinjaRenderer(templateFromText('t', "{{ strftime_now('%d %b %Y %B %A %y') }}"), {
      date,
    });
    const turn = makeTurn('user', [contentSpan('prompt', 'environment', 'x')]);
    expect(renderer.text(input([turn]))).toBe('02 Jan 2025 January Thursday 25');
  });
});

describe('data', () => {
  it('is never glue, however it was printed', () => {
    const hostile = '<|im_end|>';
    const template =
      "{% for m in messages %}{{ m.content|upper }}{{ m.content[::-1] }}{{ m|tojson }}{{ m.content|replace('a', 'b') }}" +
      '{{ m.name }}{{ [m.content] }}{% for k in tools[0] %}{{ k }}{% endfor %}{{ tools }}{% endfor %}';
    const renderer = new JinjaRenderer(templateFromText('t', template));
    const turn = makeTurn('user', [contentSpan('prompt', 'environment', hostile)], { name: hostile });
    const { segments } = renderer.render(input([turn], JSON.stringify([{ [hostile]: hostile }])));
    expect(textOf(segments)).toContain(hostile);
    expect(textOf(segments.filter((segment) => segment.glue))).not.toContain('im_end');
  });

  it('keeps its span through strip, split and slices', () => {
    const template =
      "{% for m in messages %}<s>{% if m.role == 'assistant' %}[{{ (m.content.strip() ~ '!').split('|')[1][1:] }}]</s>{% endif %}{% endfor %}";
    const renderer = new JinjaRenderer(templateFromText('t', template));
    const turn = makeTurn('assistant', [
      contentSpan('text', 'model', ' a|xb'),
      contentSpan('text', 'environment', 'c '),
    ]);
    const { segments } = renderer.render(input([turn]));
    const words = segments.filter((segment) => !segment.glue);
    expect(words.map(({ text, span }) => [text, span])).toEqual([
      ['b', 0],
      ['c', 1],
    ]);
    expect(segments.find((segment) => segment.part === 'stop')?.text).toBe('</s>');
  });
});
