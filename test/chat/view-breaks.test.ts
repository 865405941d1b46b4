import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { JinjaRenderer } from '../../src/chat/jinja-engine.js';
import { qwen3Renderer } from '../../src/chat/qwen3.js';
import { TemplateProgram } from '../../src/chat/template-run.js';
import { readTemplate, templateFromText } from '../../src/chat/template-source.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { carrierEncoder, TemplateRows, textOf } from '../tokens/carrier.js';
import { assistant, call, system, text, thought, tool, trajectoryOf, user } from '../tokens/rows.js';

const encoder = carrierEncoder(['<|user|>', '<|system|>', '<|tool|>', '<|assistant|>', '<|end|>']);

/** A think block in each turn behind the last user message, empty or not; none before it (as Qwen3.5's does). */
const QUERIES = `{%- set ns = namespace(last=-1) -%}
{%- for m in messages -%}{%- if m.role == 'user' -%}{%- set ns.last = loop.index0 -%}{%- endif -%}{%- endfor -%}
{%- for m in messages -%}{{ '<|' + m.role + '|>' }}
{%- if m.role == 'assistant' and loop.index0 > ns.last -%}{{ '<think>' + (m.reasoning_content or '') | trim + '</think>' }}{%- endif -%}
{{ m.content | trim + '<|end|>' }}{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|><think>{%- endif -%}`;

/** Reasoning behind the last user message, and no block where there is none. */
const SHOWN = QUERIES.replace('loop.index0 > ns.last', 'loop.index0 > ns.last and m.reasoning_content')
  .replace('m.content | trim', 'm.content')
  .replace('<|assistant|><think>', '<|assistant|>');

/** All system messages at the front (as DeepSeek's does). */
const FRONT = `{%- for m in messages if m.role == 'system' -%}{{ '<|system|>' + m.content }}{%- endfor -%}
{%- for m in messages if m.role != 'system' -%}{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`;

/** Everything where it is. */
const PLAIN = `{%- for m in messages -%}{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`;

const breaksOf = (template: string, turns: Turn[]): readonly number[] =>
  new JinjaRenderer(templateFromText('test', template)).breaks({
    turns,
    indices: [...turns.keys()],
    tools: null,
  });

/** The breaks, and how often the template was run to find them. */
function renderingsOf(template: string, turns: Turn[]): { breaks: readonly number[]; renderings: number } {
  const renderer = new JinjaRenderer(templateFromText('test', template));
  const run = vi.spyOn(TemplateProgram.prototype, 'run');
  const breaks = renderer.breaks({ turns, indices: [...turns.keys()], tools: null });
  const renderings = run.mock.calls.length;
  run.mockRestore();
  return { breaks, renderings };
}

const said = (words: string): Turn => assistant([text(words)]);
const twoQueries = [user('u'), said('a'), tool('t'), said('b'), user('v'), said('c')];
const lateRule = [user('u'), said('a'), system('rule'), user('v'), said('b')];

describe('a view that is rewritten', () => {
  it.each([
    ['by a query that takes empty think blocks', QUERIES, twoQueries, [4]],
    ['by no tool result', QUERIES, twoQueries.slice(0, 4), []],
    ['by each query', QUERIES, [user('u'), said('a'), user('v'), said('b'), user('w'), said('c')], [2, 4]],
    [
      'by a query behind an empty turn',
      QUERIES,
      [...twoQueries.slice(0, 4), said(''), user('v'), said('c')],
      [5],
    ],
    ['by a late system message', FRONT, lateRule, [2]],
    ['by no first system message', FRONT, [system('rule'), user('u'), said('a'), user('v'), said('b')], []],
    ['by nothing where all stays in its place', PLAIN, [...lateRule, ...twoQueries], []],
  ])('%s', (_, template, turns, breaks) => {
    expect(breaksOf(template, turns)).toEqual(breaks);
  });

  it.each([
    ['QUERIES', QUERIES, twoQueries],
    ['FRONT', FRONT, lateRule],
  ])('gives rows in which each trained turn stands behind its own prompt: %s', (_, template, turns) => {
    const rows = new TemplateRows(template, encoder);
    const trained: number[] = [];
    for (const row of rows.of(trajectoryOf(turns))) {
      for (const turn of row.trained_turns) {
        const indices = [...turns.keys()].slice(0, turn);
        const prompt = rows.renderer.text({ turns, indices, tools: null }, { generation: true });
        expect(textOf(row).startsWith(prompt)).toBe(true);
        trained.push(turn);
      }
    }
    expect(trained).toEqual([...turns.keys()].filter((turn) => turns[turn]?.role === 'assistant'));
  });

  it('is found though some words of the turn are never printed', () => {
    const dropping = SHOWN.replace('m.content', "m.content.split('//')[0]");
    const turns = [user('u'), assistant([thought('r'), text('a//dropped')]), user('v'), said('b')];
    expect(breaksOf(dropping, turns)).toEqual([2]);
    expect(breaksOf(SHOWN, turns)).toEqual([2]);
    expect(breaksOf(SHOWN, twoQueries)).toEqual([]);
  });

  it('is found though the name of a call is printed again with its result', () => {
    const naming = `{%- set ns = namespace(last=-1) -%}
{%- for m in messages -%}{%- if m.role == 'user' -%}{%- set ns.last = loop.index0 -%}{%- endif -%}{%- endfor -%}
{%- for m in messages -%}{{ '<|' + m.role + '|>' }}
{%- if m.reasoning_content and loop.index0 > ns.last -%}{{ '<think>' + m.reasoning_content + '</think>' }}{%- endif -%}
{{ m.content }}
{%- for c in m.tool_calls or [] -%}{{ 'call:' + c.function.name + '|' + c.function.arguments | tojson }}
{%- for k in range(loop.index0 + 1, messages | length) -%}{%- if messages[k].role == 'tool' -%}{{ 'of:' + c.function.name }}{%- endif -%}{%- endfor -%}
{%- endfor -%}{{ '<|end|>' }}{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`;
    const asked = assistant([thought('why'), call({}, 'a_long_name')]);
    expect(breaksOf(naming, [user('u'), asked, tool('t'), said('b'), user('v'), said('c')])).toEqual([4]);
  });

  it('is found where thoughts of white space alone are taken away, as the written renderer of Qwen3 finds it', () => {
    const engine = new JinjaRenderer(readTemplate('qwen3'));
    const blank = fc.constantFrom(' ', '\n', '\t\n', '\u0085', '\n \n', '', 'why');
    const spoken = fc.tuple(blank, fc.constantFrom('beside', 'inside', 'none'), fc.boolean());
    const turn = fc.oneof(
      fc.constantFrom(user('u'), tool('t')),
      spoken.map(([words, place, calls]) =>
        assistant([
          ...(place === 'beside' ? [thought(words)] : []),
          text(place === 'inside' ? `<think>\n${words}\n</think>\n\na` : 'a'),
          ...(calls ? [call({})] : []),
        ]),
      ),
    );
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 7 }), (rest) => {
        const turns = [user('u'), ...rest];
        const input = { turns, indices: [...turns.keys()], tools: null };
        expect(engine.breaks(input)).toEqual(qwen3Renderer.breaks(input));
      }),
      { numRuns: 300 },
    );
    expect(
      breaksOf(SHOWN.replace(' | trim +', ' +'), [
        user('u'),
        assistant([thought(' '), text('a')]),
        user('v'),
      ]),
    ).toEqual([2]);
  });

  it.each([
    ['an empty think block goes', QUERIES.replace('> ns.last', '> ns.last and COND'), twoQueries, 4],
    [
      'a late system message moves',
      FRONT.replace("== 'system'", "== 'system' and COND").replace(
        "!= 'system'",
        "!= 'system' or not (COND)",
      ),
      lateRule,
      2,
    ],
  ])('is found where %s only with tools, or only behind a system message', (_, template, turns, place) => {
    const breaks = (condition: string, given: readonly Turn[], tools: string | null) =>
      new JinjaRenderer(templateFromText('test', template.replaceAll('COND', condition))).breaks({
        turns: given,
        indices: [...given.keys()],
        tools,
      });
    const definitions = '[{"type": "function", "function": {"name": "look"}}]';
    expect(breaks('tools', turns, definitions)).toEqual([place]);
    expect(breaks('tools', turns, null)).toEqual([]);
    expect(breaks("messages[0].role == 'system'", [system('s'), ...turns], null)).toEqual([place + 1]);
  });

  it.each(['why', ' '])(
    'is looked for in few renderings where the template names no reasoning (%j)',
    (why) => {
      const turns = [
        user('u'),
        ...Array.from({ length: 20 }, () => [assistant([thought(why), text('a')]), user('u')]).flat(),
      ];
      expect(renderingsOf(PLAIN, turns)).toEqual({ breaks: [], renderings: 3 });
      expect(renderingsOf(PLAIN, [user('u'), said('a'), user('v')])).toEqual({ breaks: [], renderings: 1 });
    },
  );

  const LAST = 'loop.index0 > ns.last and ';
  const wait = 'wait, let me look at it again';
  const looks = call({}, 'look');
  const tools = '[{"type": "function", "function": {"name": "look"}}]';
  it.each<[string, string, Turn[], string | null]>([
    ['there are tools', 'tools', [assistant([thought('why'), looks])], tools],
    ['it is long', 'm.reasoning_content|length > 20', [assistant([thought(wait), looks])], null],
    ['it holds a word', "'wait' in m.reasoning_content", [assistant([thought(wait), looks])], null],
    ['a turn calls twice', 'm.tool_calls|length > 1', [assistant([thought('why'), looks, looks])], null],
    [
      'much was said before',
      'loop.index0 > 2',
      [said('x'), tool('t'), assistant([thought('why'), looks])],
      null,
    ],
    ['messages are printed whole', 'tools', [assistant([thought('why'), looks])], tools],
    ['there are tools, in the content', 'tools', [said('<think>why</think>x')], tools],
    ['it is long, in the content', 'm.content|length > 20', [said(`<think>${wait}</think>x`)], null],
  ])('parts rows where a thought is shown of late turns only if %s', (kind, condition, spoken, given) => {
    const shows = `${LAST}(${condition})`;
    const thoughts = kind.endsWith('whole')
      ? `{{ (m | tojson) if ${shows} }}`
      : `{{ '<think>' + m.reasoning_content + '</think>' if m.reasoning_content and ${shows} }}`;
    const inside = kind.endsWith('content');
    const template = `{%- set ns = namespace(last=0) -%}
{%- for m in messages -%}{%- if m.role == 'user' -%}{%- set ns.last = loop.index0 -%}{%- endif -%}{%- endfor -%}
{%- for m in messages -%}{{ '<|' + m.role + '|>' }}{%- if m.role == 'assistant' -%}
${inside ? `{{ m.content if ${shows} else m.content.split('</think>')[-1] }}` : `${thoughts}{{ m.content }}`}
{%- for c in m.tool_calls or [] -%}{{ c.function.name }}{%- endfor -%}
{%- else -%}{{ m.content }}{%- endif -%}{{ '<|end|>' }}{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`;
    const turns = [user('u'), ...spoken, tool('t'), said('b'), user('v'), said('c')];
    const renderer = new JinjaRenderer(templateFromText('test', template));
    const input = { turns, indices: [...turns.keys()], tools: given };
    // the model saw the thought when it wrote the turn before the last query
    expect(renderer.breaks(input)).toEqual([turns.length - 2]);
  });

  it('is not one that lacks white space, as Python knows it', () => {
    const turns = [user('u'), assistant([thought('r'), text('a\u0085\u001c')]), tool('t'), said('b')];
    const rows = new TemplateRows(QUERIES, encoder);
    const [row] = rows.of(trajectoryOf(turns));
    expect(row?.flags).toEqual([]);
    expect(row?.trained_turns).toEqual([1, 3]);
  });

  it('cannot be kept together with a message that moves to the front', () => {
    const rows = new TemplateRows(FRONT, encoder);
    expect(() => rows.of(trajectoryOf(lateRule), { strategy: 'preserve' })).toThrow(
      expect.objectContaining({
        code: 'template_not_prefix',
        message: 'the template moves turn 2 before earlier turns',
      }),
    );
  });
});
