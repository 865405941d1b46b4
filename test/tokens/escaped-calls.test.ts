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

  it('are not one that lacks, adds or changes a character', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.constantFrom('', 'c', 'ab', '\n\\'), (value, place, other) => {
        const at = place % value.length;
        const changed = value.slice(0, at) + other + value.slice(at + 1);
        fc.pre(changed !== value && /[ab]/.test(value) && /[ab]/.test(changed));
        const words = shown(value);
        // a change behind the last word or before the first may still be part of a longer frame: all must be taken
        const end = escapedEnd(words, 0, changed);
        if (end === words.texts.length) expect(shown(changed).texts).toEqual(words.texts);
      }),
    );
  });
});
