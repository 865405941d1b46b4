import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMessages } from '../../src/chat/messages.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { proveStored } from '../../src/tokens/prove-stored.js';
import { escapedEnd, SpanWords } from '../../src/tokens/span-words.js';
import type { TokenRow } from '../../src/tokens/token-row.js';
import { structuredCallSpan } from '../../src/trajectory/build.js';
import { carrierEncoder, TemplateRows } from './carrier.js';
import { assistant, call, text, tool, trajectoryOf, user } from './rows.js';

/** Calls as code: strings in single quotes, their backslashes, quotes and line breaks as escapes. */
const CODE = `{%- macro shown(v) -%}
{%- if v is string -%}
{{- "'" + (v | replace("\\\\", "\\\\\\\\") | replace("'", "\\\\'") | replace("\\n", "\\\\n") | replace("\\r", "\\\\r")) + "'" -}}
{%- elif v is sequence -%}{{ v | string }}
{%- else -%}{{ v | tojson }}{%- endif -%}
{%- endmacro -%}
{%- for m in messages -%}
{%- if m.role == 'assistant' -%}{{ '<|assistant|>\\n' + m.content }}
{%- for c in m.tool_calls or [] -%}
{%- set ns = namespace(parts=[]) -%}
{%- for k, v in c.function.arguments.items() -%}{%- set ns.parts = ns.parts + [k + '=' + shown(v)] -%}{%- endfor -%}
{{ '[' + c.function.name + '(' + ns.parts | join(', ') + ')]' }}
{%- endfor -%}{{ '<|end|>\\n' }}
{%- else -%}{{ '<|user|>\\n' + m.content + '<|end|>\\n' }}{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|assistant|>\\n' }}{%- endif -%}`;

const code = new TemplateRows(CODE, carrierEncoder(['<|user|>', '<|assistant|>', '<|end|>']));
const conversation = (args: unknown) =>
  trajectoryOf([user('go'), assistant([text('I run it'), call(args)]), tool('t'), assistant([text('done')])]);

describe('a template that escapes the strings of its calls', () => {
  it('has its calls trained, escapes included', () => {
    const [row] = code.of(conversation({ command: "cat <<'E'\n\\d\nE\n", n: 3, quiet: true }));
    expect(row === undefined ? [] : code.trained(row)).toEqual([
      "I run it[run(command='cat <<\\'E\\'\\n\\\\d\\nE\\n', n=3, quiet=true)]<|end|>",
      'done<|end|>',
    ]);
  });

  it('prints lists as Python does', () => {
    const [row] = code.of(conversation({ items: ['a', "it's", `both ' and "\n\0`, true, null, 2.5] }));
    expect(row === undefined ? '' : code.trained(row)[0]).toContain(
      `run(items=['a', "it's", 'both \\' and "\\n\\x00', True, None, 2.5])`,
    );
  });

  it('prints text beyond ASCII in lists as Python does', () => {
    const [row] = code.of(conversation({ items: ['é日🙂', '\u200d\u00a0', { k: 'ключ' }] }));
    expect(row === undefined ? '' : code.trained(row)[0]).toContain(
      `run(items=['é日🙂', '\\u200d\\xa0', {'k': 'ключ'}])`,
    );
  });

  it('prints numbers beyond a double as Python does, which reads them as infinite', () => {
    const logged = '{"x":1e400,"items":[-1e400,1E3]}';
    const span = structuredCallSpan({ id: null, name: 'run', arguments: {} }, () => logged);
    const trajectory = trajectoryOf([user('go'), assistant([text('I'), span]), tool('t')]);
    const [row] = code.of(trajectory);
    expect(row === undefined ? [] : code.trained(row)).toEqual([
      'I[run(x=Infinity, items=[-inf, 1000.0])]<|end|>',
    ]);
    const stored = toMessages(trajectory, [0, 1, 2], row?.trained_turns ?? []);
    expect(stored[1]?.tool_calls?.[0]?.function.arguments).toBe(
      '{"x": Infinity, "items": [-Infinity, 1000.0]}',
    );
    const { proofs, ids_reproduced } = proveStored(
      { ...(row as TokenRow), messages: JSON.stringify(stored), tools: null, model: trajectory.model },
      { encoder: code.encoder, renderer: code.renderer, mask: maskSchema.parse({}) },
    );
    expect([ids_reproduced, ...Object.values(proofs)]).not.toContain(false);
  });

  it.each([
    ['escapes at the end of a call', { a: 'x\n' }],
    ['nothing but escapes', { a: '\r\n' }],
    ['no escapes', { a: 'x' }],
  ])('is proved where another call follows %s', (_, args) => {
    const turns = [user('go'), assistant([text('both'), call(args), call({ b: "it's" }, 'next')]), tool('t')];
    const [row] = code.of(trajectoryOf(turns));
    expect(Object.values(row?.proofs ?? { none: false })).not.toContain(false);
  });

  it('is proved whatever the strings hold', () => {
    const anyText = fc.string({
      unit: fc.constantFrom('a', 'é', '日', "'", '"', '\\', '\n', '\r', '\t', 'n'),
    });
    const calls = fc.dictionary(fc.constantFrom('a', 'b', "k'"), anyText, { maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(calls, { minLength: 1, maxLength: 3 }), (list) => {
        const turns = [user('go'), assistant([text('I'), ...list.map((args) => call(args))]), tool('t')];
        const [row] = code.of(trajectoryOf(turns));
        expect(Object.values(row?.proofs ?? { none: false })).not.toContain(false);
      }),
    );
  });
});

describe('words between escapes', () => {
  const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\n': '\\n' };
  const anyText = fc.string({ unit: fc.constantFrom('a', 'b', "'", '\\', '\n'), minLength: 1 });

  /** A text as a template shows it between two frames. */
  function shown(value: string): SpanWords {
    const words = new SpanWords();
    words.frame("x='");
    for (const part of value.split(/([\\'\n])/).filter((each) => each !== '')) {
      const sign = ESCAPED[part];
      if (sign === undefined) words.word(part);
      else words.frame(sign);
    }
    words.frame("', ");
    return words;
  }

  it('are the text', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const words = shown(value);
        expect(escapedEnd(words, 0, value)).toBe(words.texts.length);
      }),
    );
  });

  /** Words with the frames before, between and behind them. */
  function wordsIn(...pieces: readonly string[]): SpanWords {
    const words = new SpanWords();
    pieces.forEach((piece, k) => {
      if (k % 2 === 0) words.frame(piece);
      else words.word(piece);
    });
    return words;
  }

  it.each([
    ['a line break between', 'a\nb', ["x='", 'a', '\\n', 'b', "'"], 2],
    ['nothing where a line break is', 'a\nb', ["x='", 'a', '', 'b', "'"], -1],
    ['another sign than the one', 'a\nb', ["x='", 'a', '\\t', 'b', "'"], -1],
    ['more than the sign', 'a\nb', ["x='", 'a', '\\n, ', 'b', "'"], -1],
    ['a quote before', "'a", ["x='\\'", 'a', "'"], 1],
    ['nothing where a quote begins', "'a", ["x='", 'a', "'"], -1],
    ['a line break behind', 'a\n', ["x='", 'a', "\\n', "], 1],
    ['nothing where a line break ends', 'a\n', ["x='", 'a', "', "], -1],
    ['signs alone', '\n\\', ["x='\\n\\\\'"], 0],
    ['none of the signs alone', '\n\\', ["x=''"], -1],
    ['a word that is missing', 'a\nb', ["x='", 'a', "\\n'"], -1],
    ['another word', 'a\nb', ["x='", 'a', '\\n', 'c', "'"], -1],
  ])('with %s', (_, value, pieces, end) => {
    expect(escapedEnd(wordsIn(...pieces), 0, value)).toBe(end);
  });
});
