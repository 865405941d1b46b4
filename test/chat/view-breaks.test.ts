import { describe, expect, it } from 'vitest';
import { JinjaRenderer } from '../../src/chat/jinja-engine.js';
import { templateFromText } from '../../src/chat/template-source.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { carrierEncoder, TemplateRows, textOf } from '../tokens/carrier.js';
import { assistant, system, text, thought, tool, trajectoryOf, user } from '../tokens/rows.js';

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
