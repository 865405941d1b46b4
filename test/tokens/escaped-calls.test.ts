import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapedEnd, SpanWords } from '../../src/tokens/span-words.js';
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

  it('is proved whatever the strings hold', () => {
    const anyText = fc.string({
      unit: fc.constantFrom('a', 'é', '日', "'", '"', '\\', '\n', '\r', '\t', 'n'),
    });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', "k'"), anyText, { maxKeys: 3 }), (args) => {
        const [row] = code.of(conversation(args));
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
