import { describe, expect, it } from 'vitest';
import { toMessages } from '../../src/chat/messages.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { proveStored } from '../../src/tokens/prove-stored.js';
import { carrierEncoder, TemplateRows, textOf } from './carrier.js';
import { assistant, call, text, thought, tool, trajectoryOf, user } from './rows.js';

const encoder = carrierEncoder([
  ...['<|user|>', '<|assistant|>', '<|observation|>', '<|start|>', '<|message|>', '<|channel|>', '<|end|>'],
  ...['<|return|>', '<|call|>', '<eos>'],
]);

/** Ends the model's turns with nothing: the next message's token is their stop; prints arguments one by one. */
const GLM = `{%- for m in messages -%}
{%- if m.role == 'user' -%}{{ '<|user|>\\n' + m.content }}
{%- elif m.role == 'tool' -%}{{ '<|observation|>\\n' + m.content }}
{%- else -%}<|assistant|>
{%- if m.reasoning_content -%}{{ '\\n<think>' + m.reasoning_content.strip() + '</think>' }}
{%- else -%}{{ '\\n<think></think>' }}{%- endif -%}
{{ '\\n' + m.content.strip() if m.content.strip() }}
{%- for c in m.tool_calls or [] -%}
{{ '\\n<tool_call>' + c.function.name + '\\n' }}
{%- for k, v in c.function.arguments.items() -%}
{{ '<arg_key>' + k + '</arg_key>\\n<arg_value>' }}{{ v if v is string else v | tojson }}{{ '</arg_value>\\n' }}
{%- endfor -%}</tool_call>
{%- endfor -%}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`;

/** Channels: thinking is shown in the last turn and before calls that no final answer follows yet. */
const HARMONY = `{%- set last = namespace(name='') -%}
{%- for m in messages -%}
{%- if m.role == 'user' -%}{{ '<|start|>user<|message|>' + m.content + '<|end|>' }}
{%- elif m.role == 'tool' -%}
{{ '<|start|>functions.' + last.name + ' to=assistant<|message|>' + m.content | tojson + '<|end|>' }}
{%- elif 'tool_calls' in m -%}
{%- set later = namespace(final=false) -%}
{%- for f in messages[loop.index:] -%}
{%- if f.role == 'assistant' and 'tool_calls' not in f -%}{%- set later.final = true -%}{%- endif -%}
{%- endfor -%}
{%- if m.thinking and not later.final -%}
{{ '<|start|>assistant<|channel|>analysis<|message|>' + m.thinking + '<|end|>' }}
{%- endif -%}
{%- set c = m.tool_calls[0].function -%}
{{ '<|start|>assistant to=functions.' + c.name + '<|channel|>commentary json<|message|>' }}
{{- c.arguments | tojson }}{{ '<|call|>' }}
{%- set last.name = c.name -%}
{%- elif loop.last -%}
{%- if m.thinking -%}{{ '<|start|>assistant<|channel|>analysis<|message|>' + m.thinking + '<|end|>' }}{%- endif -%}
{{ '<|start|>assistant<|channel|>final<|message|>' + m.content + '<|return|>' }}
{%- else -%}
{{ '<|start|>assistant<|channel|>final<|message|>' + m.content + '<|end|>' }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}<|start|>assistant{%- endif -%}`;

/** Marks what the model writes, and forces the thinking open. */
const TAGGED = `{%- for m in messages -%}
{%- if m.role == 'assistant' -%}{{ '<|assistant|>\\n' }}
{%- generation -%}{{ '<think>\\n' + (m.reasoning_content or '') + '\\n</think>\\n\\n' + m.content + '<|end|>\\n' }}{%- endgeneration -%}
{%- else -%}{{ '<|user|>\\n' + m.content + '<|end|>\\n' }}{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<|assistant|>\\n<think>\\n' }}
{%- else -%}{%- generation -%}{{ '<eos>' }}{%- endgeneration -%}{%- endif -%}`;

describe('a template whose stop belongs to the next message', () => {
  const glm = new TemplateRows(GLM, encoder);
  const turns = [
    user('go'),
    assistant([thought('why'), text('I look'), call({ path: 'a b', n: 2, list: ['x'], deep: { k: 'v' } })]),
    tool('result <|user|>'),
    assistant([text('done')]),
    user('more'),
    assistant([text('yes')]),
  ];

  it('trains the token that opens it, once a turn', () => {
    const [row] = glm.of(trajectoryOf(turns.slice(0, 5)));
    expect(row === undefined ? [] : glm.trained(row)).toEqual([
      '\n<think>why</think>\nI look\n<tool_call>run\n<arg_key>path</arg_key>\n<arg_value>a b</arg_value>\n' +
        '<arg_key>n</arg_key>\n<arg_value>2</arg_value>\n<arg_key>list</arg_key>\n<arg_value>["x"]</arg_value>\n' +
        '<arg_key>deep</arg_key>\n<arg_value>{"k": "v"}</arg_value>\n</tool_call><|observation|>',
      'done<|user|>',
    ]);
    expect(row?.ids_differ_because).toEqual(['special_text']);
  });

  it('takes arguments that were logged as a string as the object that they are', () => {
    const logged = assistant([text('x'), call('{"path":"a"}')]);
    const [row] = glm.of(trajectoryOf([user('go'), logged, tool('t')]));
    expect(row === undefined ? '' : textOf(row)).toContain(
      '<arg_key>path</arg_key>\n<arg_value>a</arg_value>',
    );
    expect(() => glm.of(trajectoryOf([user('go'), assistant([call('[1]')]), tool('t')]))).toThrow(
      expect.objectContaining({ code: 'template_error' }),
    );
  });

  it('refuses a last turn without a stop by name, masks it, or trains its words', () => {
    const trajectory = trajectoryOf(turns);
    expect(() => glm.of(trajectory)).toThrow(
      expect.objectContaining({ code: 'no_stop_token', message: expect.stringContaining('turn 5') }),
    );
    const [masked] = glm.of(trajectory, { mask: { missing_stop: 'mask' } });
    expect(masked?.trained_turns).toEqual([1, 3]);
    expect(masked?.flags).toEqual(['turn_without_stop_masked']);
    const [trained] = glm.of(trajectory, { mask: { missing_stop: 'train_without_stop' } });
    expect(trained === undefined ? '' : glm.trained(trained).at(-1)).toBe('yes');
  });

  it('owes no stop to a turn that was cut short', () => {
    const cut = assistant([text('half')], { truncated: 'length' });
    const mask = { truncated: 'train_without_stop' };
    const [row] = glm.of(trajectoryOf([user('go'), cut, user('more')]), { mask });
    expect(row === undefined ? [] : glm.trained(row)).toEqual(['half']);
  });
});

describe('harmony', () => {
  const harmony = new TemplateRows(HARMONY, encoder);
  const turns = [
    user('go'),
    assistant([thought('look first'), call({ path: 'a' })]),
    tool('result'),
    assistant([thought('so it is'), text('done')]),
    user('more'),
    assistant([text('yes')]),
  ];

  it('gets the reasoning in its own field and trains channels, calls and each kind of stop', () => {
    const rows = harmony.of(trajectoryOf(turns));
    expect(rows.map((row) => harmony.trained(row))).toEqual([
      [
        '<|channel|>analysis<|message|>look first<|end|><|start|>assistant to=functions.run' +
          '<|channel|>commentary json<|message|>{"path": "a"}<|call|>',
      ],
      [
        '<|channel|>analysis<|message|>so it is<|end|><|start|>assistant<|channel|>final<|message|>done<|return|>',
      ],
      ['<|channel|>final<|message|>yes<|return|>'],
    ]);
  });

  it('shows a turn what the model saw when it wrote it, and says that this is no rendering at once', () => {
    const rows = harmony.of(trajectoryOf(turns));
    expect(rows.map((row) => row.ids_differ_because)).toEqual([[], ['split'], []]);
    const seen = harmony.renderer.text({ turns, indices: [0, 1, 2], tools: null }, { generation: true });
    const [, second] = rows;
    expect(second === undefined ? '' : textOf(second).startsWith(seen)).toBe(true);
  });

  it('proves such a row again from its stored columns', () => {
    const trajectory = trajectoryOf(turns);
    for (const [k, row] of harmony.of(trajectory).entries()) {
      const indices = [...turns.keys()].slice(0, [3, 4, 6][k]);
      const messages = JSON.stringify(toMessages(trajectory, indices, row.trained_turns));
      const stored = { ...row, messages, tools: null, model: trajectory.model };
      const { renderer } = harmony;
      const proved = proveStored(stored, { encoder, renderer, mask: maskSchema.parse({}) });
      expect(proved.ids_reproduced).toBe(true);
      expect(Object.values(proved.proofs)).toEqual([true, true, true, true, true]);
    }
  });

  it('keeps everything as it was sampled where it is preserved', () => {
    const [row, ...others] = harmony.of(trajectoryOf(turns), { strategy: 'preserve' });
    expect(others).toEqual([]);
    expect(row === undefined ? [] : harmony.trained(row)).toEqual(
      harmony.of(trajectoryOf(turns)).flatMap((each) => harmony.trained(each)),
    );
    expect(row?.ids_differ_because).toEqual(['preserved']);
  });

  it('refuses parallel calls, of which it prints one', () => {
    const parallel = [user('go'), assistant([call({ a: 1 }), call({ b: 2 }, 'other')]), tool('t')];
    expect(() => harmony.of(trajectoryOf(parallel))).toThrow(
      expect.objectContaining({ message: 'the template leaves out the call of other in turn 1' }),
    );
  });
});

describe('a template with generation tags', () => {
  const tagged = new TemplateRows(TAGGED, encoder);
  const trajectory = trajectoryOf([
    user('a'),
    assistant([thought('r'), text('b')]),
    user('c'),
    assistant([text('d')]),
  ]);

  it('trains what they mark under the policy of trl', () => {
    const [row] = tagged.of(trajectory, { mask: { policy: 'trl' } });
    expect(row === undefined ? [] : tagged.trained(row)).toEqual([
      '<think>\nr\n</think>\n\nb<|end|>\n',
      '<think>\n\n</think>\n\nd<|end|>\n<eos>',
    ]);
  });

  it('leaves out what the prompt provides, the separator and the end of text where the model is the measure', () => {
    const [row] = tagged.of(trajectory);
    expect(row === undefined ? [] : tagged.trained(row)).toEqual(['r\n</think>\n\nb<|end|>', 'd<|end|>']);
  });
});

describe('refused by name', () => {
  const rows = (template: string) => new TemplateRows(template, encoder);
  const say = "{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}";

  it.each([
    [
      'leaves out turn 2, of role tool',
      `{% for m in messages if m.role != 'tool' %}${say}{{ m.tool_calls[0].function.name if m.tool_calls }}{% endfor %}`,
    ],
    ['leaves out the call of run in turn 1', `{% for m in messages %}${say}{% endfor %}`],
    [
      'prints words of turn 1 behind those of later turns',
      `{% for m in messages %}{% if m.tool_calls %}<|assistant|>{{ m.tool_calls[0].function.name }}{{ messages[loop.index].content }}{{ m.content }}<|end|>{% elif m.role != 'tool' %}${say}{% endif %}{% endfor %}`,
    ],
    [
      'opens turn 3 otherwise than its generation prompt does',
      `{% for m in messages %}{% if m.role == 'assistant' and loop.previtem.role == 'tool' %}>>{{ m.content }}<|end|>{% else %}${say}{{ m.tool_calls[0].function.name if m.tool_calls }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`,
    ],
  ])('a template that %s', (message, template) => {
    const turns = [user('u'), assistant([text('a'), call({})]), tool('t'), assistant([text('b')])];
    expect(() => rows(template).of(trajectoryOf(turns))).toThrow(
      expect.objectContaining({ code: 'template_error', message: `the template ${message}` }),
    );
  });
});

describe('turns of the model one after another', () => {
  const plain =
    '{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>\n{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}';

  it('each have their own stop', () => {
    const rows = new TemplateRows(plain, encoder);
    const [row] = rows.of(trajectoryOf([user('u'), assistant([text('a')]), assistant([text('b')])]));
    expect(row === undefined ? [] : rows.trained(row)).toEqual(['a<|end|>', 'b<|end|>']);
  });
});

describe('marks behind added tokens', () => {
  const marked = new TemplateRows(
    '{% for m in messages %}<|{{ m.role }}|><think>{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}',
    encoder,
  );

  it.each(['\u0338negated', '\u0327\u0338x', 'a > \u0338 =\u0338', '</think>\u0338'])(
    'are the tokens that the tokenizer makes of them: %j',
    (words) => {
      const [row] = marked.of(trajectoryOf([user(words), assistant([text(words)])]));
      expect(row?.n_trained).toBeGreaterThan(1);
      const sink = { ids: new Int32Array(16), length: 0 };
      encoder.encode(row === undefined ? '' : textOf(row), sink, 'match');
      expect([...(row?.input_ids ?? [])]).toEqual([...sink.ids.subarray(0, sink.length)]);
    },
  );
});
