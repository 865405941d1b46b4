import { describe, expect, it } from 'vitest';
import { structuredCallSpan } from '../../src/trajectory/build.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { carrierEncoder, TemplateRows } from './carrier.js';
import { assistant, call, text, thought, tool, trajectoryOf, user } from './rows.js';

const encoder = carrierEncoder([
  ...['<|turn>', '<turn|>', '<|tool_call>', '<tool_call|>', '<|tool_response>', '<tool_response|>', '<|"|>'],
]);

/** Prints results behind the calls that they answer, in the turn of the calls (as Gemma 4's does). */
const template = (opener: string, waiting: string) => `{%- for m in messages -%}
{%- if m.role != 'tool' -%}
{%- set continues = m.role == 'assistant' and loop.index0 > 0 and messages[loop.index0 - 1].role == 'tool' -%}
{%- if not continues -%}{{ '<|turn>' + m.role + '\\n' }}{%- endif -%}
{%- set ns = namespace(answered=false, stopped=false) -%}
{%- for c in m.tool_calls or [] -%}
{{ '<|tool_call>call:' + c.function.name + '{' }}
{%- for k, v in c.function.arguments.items() -%}{{ k + ':<|"|>' + v + '<|"|>' }}{%- endfor -%}{{ '}<tool_call|>' }}
{%- endfor -%}
{%- if m.tool_calls -%}
{%- for k in range(loop.index0 + 1, messages | length) -%}
{%- if messages[k].role != 'tool' -%}{%- set ns.stopped = true -%}
{%- elif not ns.stopped -%}
{%- set name = namespace(of='unknown') -%}
{%- for c in m.tool_calls -%}{%- if c.id and c.id == messages[k].tool_call_id -%}{%- set name.of = c.function.name -%}{%- endif -%}{%- endfor -%}
{{ '${opener}response:' + name.of + '{value:<|"|>' + messages[k].content + '<|"|>}<tool_response|>' }}
{%- set ns.answered = true -%}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
{{ m.content }}
{%- if m.tool_calls and not ns.answered -%}{{ '${waiting}' }}
{%- elif not (m.tool_calls and ns.answered) -%}{{ '<turn|>\\n' }}{%- endif -%}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt and (messages | last).role != 'tool' -%}{{ '<|turn>assistant\\n' }}{%- endif -%}`;

const gemma = new TemplateRows(template('<|tool_response>', '<|tool_response>'), encoder);
const runs = (turns: Turn[]) => gemma.of(trajectoryOf(turns)).map((row) => gemma.trained(row));

const CALL = '<|tool_call>call:run{a:<|"|>x<|"|>}<tool_call|>';
const asked = assistant([call({ a: 'x' })]);
const withId = structuredCallSpan({ id: 'c', name: 'run', arguments: { a: 'x' } });
const done = assistant([text('done')]);

describe('results that a template prints in the turn of their calls', () => {
  it.each([
    ['a result', [tool('result')]],
    ['an empty result', [tool('')]],
    ['several results', [tool('one'), tool(''), tool('three')]],
  ])('are context: %s', (_, results) => {
    expect(runs([user('u'), asked, ...results, done])).toEqual([[`${CALL}<|tool_response>`, 'done<turn|>']]);
  });

  it.each([['result'], ['']])('let the model go on with a call: %j', (result) => {
    expect(runs([user('u'), asked, tool(result), asked, tool(result), done])).toEqual([
      [`${CALL}<|tool_response>`, `${CALL}<|tool_response>`, 'done<turn|>'],
    ]);
  });

  it('are context with the name of the call before them', () => {
    const result = { ...tool('result'), tool_call_id: 'c' };
    expect(runs([user('u'), assistant([withId]), result, done])).toEqual([
      [`${CALL}<|tool_response>`, 'done<turn|>'],
    ]);
  });

  it('are context with the names of several calls at once, each before its result', () => {
    const other = structuredCallSpan({ id: 'd', name: 'look', arguments: { a: 'y' } });
    const results = ['d', 'c', 'd'].map((id) => ({ ...tool(`of ${id}`), tool_call_id: id }));
    expect(runs([user('u'), assistant([withId, other]), ...results, done])).toEqual([
      [`${CALL}${CALL.replace('run', 'look').replace('x', 'y')}<|tool_response>`, 'done<turn|>'],
    ]);
  });

  it('leave a turn that was cut short without its closing frame and stop', () => {
    const cut = assistant([withId], { truncated: 'error' });
    const turns = [user('u'), cut, { ...tool('result'), tool_call_id: 'c' }, done];
    const rows = gemma.of(trajectoryOf(turns), { mask: { truncated: 'train_without_stop' } });
    expect(rows.map((row) => gemma.trained(row))).toEqual([['<|tool_call>call:run{a:<|"|>x', 'done<turn|>']]);
  });

  it('leave the token with which the model waits for them its stop where none came', () => {
    expect(runs([user('u'), asked])).toEqual([[`${CALL}<|tool_response>`]]);
  });

  it.each([['result'], ['']])('tear a turn that goes on behind them: %j', (result) => {
    const torn = assistant([call({ a: 'x' }), text('words')]);
    expect(() => runs([user('u'), torn, tool(result), done])).toThrow(
      expect.objectContaining({ message: 'the template prints words of turn 1 behind those of later turns' }),
    );
  });

  it.each([
    ['behind the prompt', [user('u'), tool(''), done]],
    ['behind an answer', [user('u'), done, tool(''), done]],
    ['behind a user who spoke after the call', [user('u'), asked, user('stop'), tool(''), done]],
  ])('are refused where they are empty and stand %s, since they are left out', (_, turns) => {
    const orphan = turns.findIndex(({ role }) => role === 'tool');
    expect(() => runs(turns)).toThrow(
      expect.objectContaining({
        code: 'template_error',
        message: `the template leaves out turn ${orphan}, a result without calls before it`,
      }),
    );
  });

  it('are refused where the template opens a turn behind them, which its prompt does not', () => {
    const opening = template('<|tool_response>', '<|tool_response>').replace('if not continues', 'if true');
    const rows = new TemplateRows(opening, encoder);
    expect(rows.of(trajectoryOf([user('u'), asked, tool('t')]))).toHaveLength(1);
    expect(() => rows.of(trajectoryOf([user('u'), asked, tool('t'), done]))).toThrow(
      expect.objectContaining({
        code: 'template_error',
        message: 'the template opens turn 3 otherwise than its generation prompt does',
      }),
    );
  });

  it("leave their calls without a stop where the token that opens them is not marked as the model's", () => {
    const marked = new TemplateRows(
      template('<|tool_response>', '<|tool_response>')
        .replace(
          '{%- for c in m.tool_calls or [] -%}\n{{',
          '{%- generation -%}{%- for c in m.tool_calls or [] -%}\n{{',
        )
        .replace(
          "{{ '}<tool_call|>' }}\n{%- endfor -%}",
          "{{ '}<tool_call|>' }}\n{%- endfor -%}{%- endgeneration -%}",
        ),
      encoder,
    );
    const turns = trajectoryOf([user('u'), assistant([thought('why'), call({ a: 'x' })]), tool('t')]);
    const runsOf = (mask: Record<string, unknown>) =>
      marked.of(turns, { mask: { stripped_reasoning: 'train', ...mask } }).map((row) => marked.trained(row));
    expect(() => runsOf({})).toThrow(expect.objectContaining({ code: 'no_stop_token' }));
    expect(runsOf({ missing_stop: 'train_without_stop' })).toEqual([[CALL]]);
    expect(runsOf({ missing_stop: 'train_without_stop', kinds: ['text'] })).toEqual([[]]);
  });

  it('are refused where no special token parts them from the calls', () => {
    const bare = new TemplateRows(template('/', ''), encoder);
    expect(() => bare.of(trajectoryOf([user('u'), asked, tool('')]))).toThrow(
      expect.objectContaining({
        code: 'template_error',
        message: expect.stringContaining('no special token'),
      }),
    );
    expect(bare.of(trajectoryOf([user('u'), done]))).toHaveLength(1);
  });
});
