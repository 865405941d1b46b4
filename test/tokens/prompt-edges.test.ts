import { describe, expect, it } from 'vitest';
import { MASK_POLICIES, MASK_POLICY_NAMES } from '../../src/tokens/mask-policy.js';
import { carrierEncoder, TemplateRows, textOf } from './carrier.js';
import { assistant, call, text, thought, tool, trajectoryOf, user } from './rows.js';

const encoder = carrierEncoder(['<|user|>', '<|assistant|>', '<|end|>', '<|bos|>']);

const PROMPT = `{%- if add_generation_prompt -%}{{ '<|assistant|>\\n<think>\\n' }}{%- endif -%}`;
const OTHERS = `{%- if m.role != 'assistant' -%}{{ '<|user|>\\n' + m.content + '<|end|>\\n' }}`;
const CONTENT = `{%- set content = m.content -%}
{%- if m.reasoning_content -%}{%- set content = '<think>\\n' + m.reasoning_content + '\\n</think>\\n' + content -%}{%- endif -%}`;

/** Forces the thinking open, and prints content with the tags that it holds (as Nemotron's does). */
const FORCED = `<|bos|>{%- for m in messages -%}${OTHERS}
{%- else -%}${CONTENT}{{ '<|assistant|>\\n' + content + '<|end|>\\n' }}{%- endif -%}
{%- endfor -%}${PROMPT}`;

/** The same with what it prints of a turn marked. */
const MARKED = `<|bos|>{%- for m in messages -%}${OTHERS}
{%- else -%}${CONTENT}{{ '<|assistant|>\\n' }}{% generation %}{{ content + '<|end|>' }}{% endgeneration %}{{ '\\n' }}{%- endif -%}
{%- endfor -%}${PROMPT}`;

/** Marks all that it prints of a turn, its header too. */
const ALL_MARKED = `{%- for m in messages -%}${OTHERS}
{%- else -%}{% generation %}{{ '<|assistant|>' + m.content + '<|end|>' }}{% endgeneration %}{%- endif -%}
{%- endfor -%}{%- if add_generation_prompt -%}<|assistant|><think>{%- endif -%}`;

const kept = assistant([text('<think>\nwhy\n</think>\nso')]);
const beside = assistant([thought('why'), text('so')]);

describe('a tag that the generation prompt forces open', () => {
  const forced = new TemplateRows(FORCED, encoder);

  it.each([
    ['beside the content', [user('u'), beside]],
    ['in the content', [user('u'), kept]],
    ['in the content of the first message', [kept, user('u'), assistant([text('x')], { weight: 0 })]],
    ['in the content, behind a result', [user('u'), assistant([text('x')], { weight: 0 }), tool('t'), kept]],
  ])('is not trained where the reasoning stands %s', (_, turns) => {
    const [row] = forced.of(trajectoryOf(turns));
    expect(row === undefined ? [] : forced.trained(row)).toEqual(['why\n</think>\nso<|end|>']);
  });

  it.each([
    ['<think> why</think>so', ' why</think>so<|end|>'],
    ['<thinking>why', '<thinking>why<|end|>'],
    ['no tag', 'no tag<|end|>'],
    ['<think>\n', '<|end|>'],
  ])('takes no more of %j than whole tags', (content, trained) => {
    const [row] = forced.of(trajectoryOf([user('u'), assistant([text(content)])]));
    expect(row === undefined ? [] : forced.trained(row)).toEqual(content === '<think>\n' ? [] : [trained]);
  });

  it.each(MASK_POLICY_NAMES)('goes with the header under %s', (policy) => {
    const [row] = forced.of(trajectoryOf([user('u'), kept]), { mask: { policy } });
    const { header } = MASK_POLICIES[policy];
    expect(row === undefined ? '' : forced.trained(row)[0]?.startsWith('<|assistant|>\n<think>\n')).toBe(
      header,
    );
  });

  it('takes the newline behind it along where a call follows', () => {
    const calling = new TemplateRows(
      FORCED.replace(
        "+ content + '<|end|>",
        "+ (content | trim) + '\\n<call>' + (m.tool_calls[0].function.name if m.tool_calls else '') + '<|end|>",
      ),
      encoder,
    );
    const [row] = calling.of(trajectoryOf([user('u'), assistant([text('<think>'), call({})])]));
    expect(row === undefined ? [] : calling.trained(row)).toEqual(['<call>run<|end|>']);
  });

  it('ends where the prompt of the turn ends', () => {
    const turns = [user('u'), kept];
    const [row] = forced.of(trajectoryOf(turns), { mask: { boundary: 'sampled' } });
    const prompt = forced.renderer.text({ turns, indices: [0], tools: null }, { generation: true });
    const [trained = ''] = row === undefined ? [] : forced.trained(row);
    expect(`${prompt}${trained}\n`).toBe(row === undefined ? '' : textOf(row));
  });

  it.each(MASK_POLICY_NAMES)(
    'is trained under %s within a generation block as headers are, and by TRL',
    (policy) => {
      const marked = new TemplateRows(MARKED, encoder);
      const [row] = marked.of(trajectoryOf([user('u'), kept]), { mask: { policy } });
      const { header } = MASK_POLICIES[policy];
      const opened = header ? '<|assistant|>\n<think>\n' : policy === 'trl' ? '<think>\n' : '';
      expect(row === undefined ? [] : marked.trained(row)).toEqual([`${opened}why\n</think>\nso<|end|>`]);
    },
  );

  it('ends where the prompt ends within a generation block too', () => {
    const marked = new TemplateRows(MARKED, encoder);
    const turns = [user('u'), assistant([text('<think>\n\nwhy\n</think>\nso')])];
    const [row] = marked.of(trajectoryOf(turns), { mask: { boundary: 'sampled' } });
    expect(row === undefined ? [] : marked.trained(row)).toEqual(['\nwhy\n</think>\nso<|end|>']);
    expect(row?.straddled_tokens).toBe(0);
  });
});

it.each(MASK_POLICY_NAMES)(
  'what stands before the header of a first message is context under %s',
  (policy) => {
    const fronted = new TemplateRows(
      `{%- for m in messages -%}{%- if loop.first -%}<|user|>front<|end|>{%- endif -%}{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}
{%- endfor -%}{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`,
      encoder,
    );
    const [row] = fronted.of(trajectoryOf([assistant([text('a')])]), { mask: { policy } });
    const trained = MASK_POLICIES[policy].header ? '<|assistant|>a<|end|>' : 'a<|end|>';
    expect(row === undefined ? [] : fronted.trained(row)).toEqual([trained]);
  },
);

describe.each(MASK_POLICY_NAMES)('under %s', (policy) => {
  const { header } = MASK_POLICIES[policy];
  const turns = [user('u'), assistant([text('a')]), tool('t'), assistant([text('b')])];
  const closing = (said: string): string =>
    `{%- for m in messages -%}{%- set after = loop.index0 > 0 and messages[loop.index0 - 1].role == 'tool' -%}
{%- if m.role == 'assistant' -%}{{ '<|bos|>' if after else '<|assistant|>' }}${said}
{%- else -%}{{ '<|user|>' + m.content }}{%- endif -%}{%- endfor -%}
{%- if messages[-1].role == 'tool' -%}<|bos|>{%- elif add_generation_prompt -%}<|assistant|>{%- endif -%}`;

  it.each([
    ['', "{{ m.content + '<|end|>' }}"],
    [', also outside a generation block', "{% generation %}{{ m.content + '<|end|>' }}{% endgeneration %}"],
  ])('what closes the results before a turn is context%s', (_, said) => {
    const rows = new TemplateRows(closing(said), encoder);
    const [row] = rows.of(trajectoryOf(turns), { mask: { policy } });
    const first = header ? '<|assistant|>a<|end|>' : 'a<|end|>';
    expect(row === undefined ? [] : rows.trained(row)).toEqual([first, 'b<|end|>']);
  });

  it('a header that the template prints whether or not it is asked for a prompt is one', () => {
    const always = new TemplateRows(
      `{%- for m in messages -%}{{ '<|' + m.role.replace('tool', 'user') + '|>' + m.content + '<|end|>' }}{%- endfor -%}<|assistant|>`,
      encoder,
    );
    const [row] = always.of(trajectoryOf(turns), { mask: { policy } });
    const opened = header ? '<|assistant|>' : '';
    expect(row === undefined ? [] : always.trained(row)).toEqual([`${opened}a<|end|>`, `${opened}b<|end|>`]);
  });
});

it('a mark behind a trained special token is proved, though it would compose with its last sign', () => {
  const marked = new TemplateRows(ALL_MARKED, encoder);
  const [row] = marked.of(trajectoryOf([user('u'), assistant([text('\u0338x')])]), {
    mask: { policy: 'trl' },
  });
  expect(row === undefined ? [] : marked.trained(row)).toEqual(['<|assistant|>\u0338x<|end|>']);
});

it('what a generation block holds of the end of the results is trained where the policy follows the blocks', () => {
  const inside = new TemplateRows(
    `{%- for m in messages -%}{%- if m.role == 'assistant' -%}{% generation %}
{{- '<|bos|>' if loop.index0 > 0 and messages[loop.index0 - 1].role == 'tool' else '<|assistant|>' }}{{ m.content + '<|end|>' }}{% endgeneration %}
{%- else -%}{{ '<|user|>' + m.content }}{%- endif -%}{%- endfor -%}
{%- if messages[-1].role == 'tool' -%}<|bos|>{%- elif add_generation_prompt -%}<|assistant|>{%- endif -%}`,
    encoder,
  );
  const turns = [user('u'), assistant([text('a')]), tool('t'), assistant([text('b')])];
  const runs = (policy: string) =>
    inside.of(trajectoryOf(turns), { mask: { policy } }).map((row) => inside.trained(row));
  expect(runs('trl')).toEqual([['<|assistant|>a<|end|>', '<|bos|>b<|end|>']]);
  expect(runs('sampled')).toEqual([['a<|end|>', 'b<|end|>']]);
});

it('a header within a generation block is no words of the model, also behind another turn of the model', () => {
  const marked = new TemplateRows(ALL_MARKED, encoder);
  const turns = [user('u'), assistant([text('a')]), assistant([text('b')])];
  const [row] = marked.of(trajectoryOf(turns));
  expect(row === undefined ? [] : marked.trained(row)).toEqual(['a<|end|>', 'b<|end|>']);
});

describe('what closes a call', () => {
  const behind = new TemplateRows(
    `{%- for m in messages -%}<|{{ 'assistant' if m.role == 'assistant' else 'user' }}|>
{%- for c in m.tool_calls or [] -%}{{ '<tool_call>' + c.function.name + '{' + c.function.arguments | tojson + '}</tool_call>' }}{%- endfor -%}
{{ m.content + '<|end|>' }}{%- endfor -%}{%- if add_generation_prompt -%}<|assistant|>{%- endif -%}`,
    encoder,
  );
  const turns = [user('u'), assistant([call({}), call({}, 'again'), text('words')]), tool('t')];
  const runs = (kinds: string[]) =>
    behind.of(trajectoryOf(turns), { mask: { kinds } }).map((row) => behind.trained(row));

  it('is trained with it where plain text follows', () => {
    const calls = '<tool_call>run{{}}</tool_call><tool_call>again{{}}</tool_call>';
    expect(runs(['tool_call'])).toEqual([[calls, '<|end|>']]);
    expect(runs(['text'])).toEqual([['words<|end|>']]);
  });
});
