import { describe, expect, it } from 'vitest';
import { JinjaRenderer } from '../../src/chat/jinja-engine.js';
import { readTemplate } from '../../src/chat/template-source.js';
import { MASK_POLICIES, MASK_POLICY_NAMES } from '../../src/tokens/mask-policy.js';
import { carrierEncoder, TemplateRows } from './carrier.js';
import { assistant, call, text, thought, trajectoryOf, user } from './rows.js';

const encoder = carrierEncoder([
  '<|turn>',
  '<turn|>',
  '<|call>',
  '<call|>',
  '<|wait>',
  '<|assistant|>',
  '<|user|>',
  '<|end|>',
]);

/** A turn of the model behind another one goes on without a header (as Gemma 4's do); behind calls the prompt has none. */
const CONTINUES = `{%- for m in messages -%}
{%- set continues = m.role == 'assistant' and loop.index0 > 0 and messages[loop.index0 - 1].role == 'assistant' -%}
{%- if not continues -%}{{ '<|turn>' + m.role + '\\n' }}{%- endif -%}
{{ m.content }}
{%- for c in m.tool_calls or [] -%}{{ '<|call>' + c.function.name + c.function.arguments | tojson + '<call|>' }}{%- endfor -%}
{{ '<|wait>' if m.tool_calls else '<turn|>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt and not messages[-1].tool_calls -%}{{ '<|turn>assistant\\n' }}{%- endif -%}`;

const rows = new TemplateRows(CONTINUES, encoder);
const runs = (spoken: ReturnType<typeof assistant>[], mask: object = {}) => {
  const [row] = rows.of(trajectoryOf([user('u'), ...spoken, user('v'), assistant([text('end')])]), { mask });
  return {
    trained: row === undefined ? [] : rows.trained(row),
    flags: row?.flags,
    turns: row?.trained_turns,
  };
};

describe('a turn that goes on with the one before it', () => {
  const spoken = [assistant([text('a')]), assistant([text('b')])];

  it.each(MASK_POLICY_NAMES)('is not trained under %s: no prompt leads to where it begins', (policy) => {
    const { header, separator } = MASK_POLICIES[policy];
    const [before, after] = [header ? '<|turn>assistant\n' : '', separator ? '\n' : ''];
    expect(runs(spoken, { policy })).toEqual({
      trained: [`${before}a<turn|>${after}`, `${before}end<turn|>${after}`],
      flags: ['continued_turn_masked'],
      turns: [1, 4],
    });
  });

  it('is trained from its first word on where that is asked for', () => {
    const calling = [assistant([text('a')]), assistant([call({}, 'look')])];
    expect(runs(spoken, { continued_turns: 'train' }).trained).toEqual([
      'a<turn|>',
      'b<turn|>',
      'end<turn|>',
    ]);
    expect(runs(calling, { continued_turns: 'train' }).trained).toEqual([
      'a<turn|>',
      '<|call>look{}<call|><|wait>',
      'end<turn|>',
    ]);
  });

  it.each(['\\n<|turn>', '\\n\\n<|turn>'])(
    'is one behind a line end that begins a header %s too',
    (header) => {
      const template = CONTINUES.replace('{%- endif -%}', "{%- else -%}{{ '\\n\\n' }}{%- endif -%}");
      const merging = new TemplateRows(
        template.replaceAll('<|turn>', header).replace('<turn|>\\n', '<turn|>'),
        encoder,
      );
      const [row] = merging.of(trajectoryOf([user('u'), ...spoken, user('v'), assistant([text('end')])]));
      expect([row?.trained_turns, row?.flags]).toEqual([[1, 4], ['continued_turn_masked']]);
    },
  );

  it('is an ordinary one behind calls, where the prompt opens none either', () => {
    const calling = [assistant([call({}, 'look')]), assistant([call({}, 'again')])];
    expect(runs(calling)).toEqual({
      trained: ['<|call>look{}<call|><|wait><|call>again{}<call|><|wait>', 'end<turn|>'],
      flags: [],
      turns: [1, 2, 4],
    });
  });

  it('is one within a generation block too', () => {
    const said = "{{ m.content + '<|end|>' }}";
    const marked = new TemplateRows(
      `{%- for m in messages -%}{%- if m.role == 'user' -%}{{ '<|user|>' + m.content }}
{%- else -%}{{ '<|assistant|>' if messages[loop.index0 - 1].role == 'user' }}{% generation %}${said}{% endgeneration %}{%- endif -%}
{%- endfor -%}{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`,
      encoder,
    );
    const trajectory = trajectoryOf([user('u'), ...spoken]);
    const [masked] = marked.of(trajectory, { mask: { policy: 'trl' } });
    expect([masked?.trained_turns, masked?.flags]).toEqual([[1], ['continued_turn_masked']]);
    const [trained] = marked.of(trajectory, { mask: { policy: 'trl', continued_turns: 'train' } });
    expect(trained === undefined ? [] : marked.trained(trained)).toEqual(['a<|end|>b<|end|>']);
  });
});

it('a bare call behind another turn is framed by its own tags, not by the header', () => {
  const engine = new JinjaRenderer(readTemplate('qwen3'));
  const turns = [user('u'), assistant([thought('r'), text('a')]), assistant([call({}, 'look')]), user('v')];
  const { segments, continued } = engine.render({ turns, indices: [0, 1, 2, 3], tools: null });
  const own = segments.filter(({ turn }) => turn === 2).map(({ part, text }) => [part, text]);
  expect(own.slice(0, 3)).toEqual([
    ['header', '<|im_start|>assistant\n'],
    ['call_frame', '<tool_call>\n{"name": "'],
    ['tool_call', 'look'],
  ]);
  expect(continued).toEqual([]);
});
