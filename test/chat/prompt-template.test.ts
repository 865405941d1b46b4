import { describe, expect, it } from 'vitest';
import { PromptTemplate, promptValue } from '../../src/chat/prompt-template.js';
import { TrajmillError } from '../../src/errors.js';
import { RejectError } from '../../src/logs/reject.js';

const KNOWN = { variables: new Set(['task', 'nodes']), fields: new Set(['id', 'code']) };
const DATA = new Map([
  ['task', promptValue({ id: 'house', code: null })],
  ['nodes', [promptValue({ id: 1, code: 'a' }), promptValue({ id: 2.5, code: '{{ task }} <|im_end|>' })]],
]);

const open = (text: string): PromptTemplate => new PromptTemplate({ name: 'p.jinja', text }, KNOWN);

function faultOf(text: string): TrajmillError {
  try {
    open(text);
  } catch (error) {
    if (error instanceof TrajmillError) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
}

describe('a prompt template', () => {
  it('prints data as it stands, numbers as Python writes them', () => {
    const text =
      '{% for n in nodes %}\n{{ loop.index }}: {{ n.id }} {{ n.code }}\n{% endfor %}\n{{ task.code }}';
    expect(open(text).text(DATA)).toBe('1: 1 a\n2: 2.5 {{ task }} <|im_end|>\nNone');
  });

  it.each([
    ['{% set a = 1 %}{{ a }}', '1'],
    [
      '{% set ns = namespace(seen=0) %}{% for n in nodes %}{% set ns.seen = ns.seen + 1 %}{% endfor %}{{ ns.seen }}',
      '2',
    ],
    ['{% macro show(n, end) %}{{ n.code }}{{ end }}{% endmacro %}{{ show(nodes[0], "!") }}', 'a!'],
    ['{% for key, value in task.items() %}{{ key }}={{ value or "-" }} {% endfor %}', 'id=house code=- '],
    ["{{ {'own': 3}.own }}{{ task['id'] }}", '3house'],
    ["{{ nodes | map(attribute='code') | first }}", 'a'],
    ['{{ not task.code and task.id in ["house"] }}', 'True'],
    ['{{ nodes | length if task is mapping else none }}', '2'],
  ])('knows the names that it sets or is given: %s', (text, printed) => {
    expect(open(text).text(DATA)).toBe(printed);
  });

  it.each([
    ['{{ tusk.id }}', 'p.jinja: no variable tusk; there are task, nodes'],
    ['{{ task.di }}', 'p.jinja: no field di; there are id, code'],
    ["{{ task['di'] }}", 'p.jinja: no field di; there are id, code'],
    ['{% if nope or task %}x{% endif %}', 'p.jinja: no variable nope; there are task, nodes'],
    ['{{ task.id | default(other) }}', 'p.jinja: no variable other; there are task, nodes'],
    ['{{ strftime_now("%Y") }}', 'p.jinja: no variable strftime_now; there are task, nodes'],
    ['{% for n in nodes %}{{ n.cude }}{% endfor %}', 'p.jinja: no field cude; there are id, code'],
    ['{{ task.id | shout }}', 'p.jinja: uses what is not supported: filter shout'],
    ['{% if task %}', 'p.jinja: cannot be parsed: it ends within a block'],
    [' \n', 'p.jinja: is empty'],
  ])('is refused with one line that says why: %s', (text, message) => {
    const fault = faultOf(text);
    expect(fault.message).toBe(message);
    expect(fault.exitCode).toBe(2);
  });

  it('rejects the record for which it raises', () => {
    const raising = open('{{ raise_exception("no " ~ task.id) }}');
    expect(() => raising.text(DATA)).toThrow(new RejectError('template_error', 'prompt template: no house'));
  });
});
