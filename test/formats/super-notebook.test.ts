import { describe, expect, it } from 'vitest';
import { pythonLiteral } from '../../src/formats/python-literal.js';
import { turnContent } from '../../src/trajectory/build.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { realLog, tally } from './adapter-context.js';
import { onlyReject, onlyTrajectory, readAll, readFiles } from './read-all.js';

const MERA = 'react-super_expert_mera';
const GALORE = 'swe-agent_expert_galore';

const readReal = async (name: string) =>
  onlyTrajectory(
    await readAll({ root: sharedFile('logs'), path: `super_benchmark_ipynb/${name}_history.ipynb` }),
  );

describeWithShared('the real ReAct run', () => {
  it('has 10 steps, 3 experiments and a lost reply', async () => {
    const run = await readReal(MERA);
    expect(tally(run.turns.map((turn) => turn.role))).toEqual({
      system: 1,
      user: 1,
      assistant: 10,
      tool: 10,
    });
    expect(tally(run.executions.map((execution) => `${execution.kind} ${execution.tool}`))).toEqual({
      'other git': 1,
      'other cat': 2,
      'other ls': 1,
      'other pip': 1,
      'experiment python': 3,
      'scoring submit': 1,
    });
    expect(run.executions.filter(({ kind }) => kind === 'experiment').map(({ status }) => status)).toEqual([
      'error',
      'error',
      'ok',
    ]);
    expect(
      run.turns.flatMap((turn, index) => (turn.flags.length > 0 ? [`${index} ${turn.flags}`] : [])),
    ).toEqual(['18 reply_not_recorded']);
  });

  it('was graded by output_match, of the last experiment', async () => {
    const run = await readReal(MERA);
    expect(run.submissions).toMatchObject([
      {
        execution_id: 'step-7',
        scored_by: 'step-8',
        score: 1,
        gradable: true,
        scale: 'test',
        observed_turn: null,
      },
    ]);
    expect(run.resolved).toBe(true);
    expect(run.termination).toBe('submitted');
    expect(run.feedback_exposes_test_score).toBe(false);
    expect(run.source.sidecars.map((sidecar) => sidecar.role)).toEqual(['metrics']);
  });
});

describeWithShared('the real SWE-agent run', () => {
  it('has 39 steps with 9 experiments', async () => {
    const run = await readReal(GALORE);
    expect(tally(run.turns.map((turn) => turn.role))).toEqual({
      system: 1,
      user: 1,
      assistant: 39,
      tool: 39,
    });
    expect(tally(run.executions.map((execution) => execution.kind))).toEqual({
      other: 29,
      experiment: 9,
      scoring: 1,
    });
    expect(run.submissions).toMatchObject([
      { score: 1, flags: ['metric:checkpoints=0.75', 'metric:entrypoint=1'] },
    ]);
  });
});

describeWithShared('every real notebook', () => {
  it.each([MERA, GALORE])('%s keeps each thought, cell and output', async (name) => {
    const run = await readReal(name);
    const { cells } = realLog('super_benchmark_ipynb', `${name}_history.ipynb`);
    const contents = run.turns.map(turnContent);
    let found = 0;
    for (const cell of cells) {
      const text = cell.source.join('');
      if (cell.cell_type === 'code') {
        if (text !== '') expect(contents.some((content) => content.endsWith(text))).toBe(true);
        const output = cell.outputs.map((o: { data: Record<string, string[]> }) =>
          [o.data['text/plain']].flat().join(''),
        );
        expect(contents).toContain(output.join(''));
        found++;
      } else if (text.startsWith('**Thought**: ') && text.trim() !== '**Thought**:') {
        expect(contents.some((content) => content.startsWith(text.slice('**Thought**: '.length)))).toBe(true);
        found++;
      }
    }
    expect(found).toBeGreaterThan(18);
  });

  it.each([MERA, GALORE])('%s has metrics beside it', async (name) => {
    const path = `super_benchmark_ipynb/${name}_metrics.json`;
    const of = `super_benchmark_ipynb/${name}_history.ipynb`;
    expect(await readAll({ root: sharedFile('logs'), path })).toEqual([{ kind: 'sidecar', path, of }]);
  });
});

const markdown = (source: string) => ({ cell_type: 'markdown', metadata: {}, source });
const code = (source: string, output: string) => ({
  cell_type: 'code',
  metadata: {},
  source: [source],
  outputs: [{ output_type: 'execute_result', data: { 'text/plain': [output] } }],
});
const notebook = (cells: unknown[]) => ({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
const RUN = notebook([
  markdown('### Query\nDo it'),
  markdown('### Step 1'),
  markdown('**Thought**: Go'),
  markdown('**Action (execute)**:'),
  code(
    '!CUDA=0 python a.py',
    'Traceback (most recent call last):\n  File "a", line 1, in <module>\nValueError: x',
  ),
]);

describe('a run', () => {
  it('without metrics has no score, and one that never submitted cannot be graded', async () => {
    const alone = onlyTrajectory(await readFiles({ 'history.ipynb': RUN }));
    expect(alone.flags).toEqual(['text_rebuilt', 'context_rewritten', 'missing_sidecar']);
    expect(alone.submissions).toEqual([]);
    expect(alone.executions).toMatchObject([
      { kind: 'experiment', status: 'error', error_type: 'ValueError' },
    ]);
    const metrics = { submitted: 1, output_match: 0.5, checkpoints: 0, entrypoint: null };
    const scored = onlyTrajectory(await readFiles({ 'history.ipynb': RUN, 'metrics.json': metrics }));
    expect(scored.submissions).toMatchObject([{ gradable: false, score: null }]);
    expect(scored.flags).toContain('submitted_contradicts_log');
  });

  const step = (number: number, of: { thought: string; action: string; cell: string; output: string }) => [
    markdown(`### Step ${number}`),
    markdown(`**Thought**: ${of.thought}`),
    markdown(`**Action (${of.action})**:`),
    code(of.cell, of.output),
  ];

  it('trains no step that the task gave as done, nor what the scaffold wrote when it ended the run', async () => {
    const given = {
      thought: '[pre-executed by user]',
      action: 'execute',
      cell: '!python gold.py',
      output: 'gold',
    };
    const own = { thought: 'Mine.', action: 'execute', cell: '!python own.py', output: 'own' };
    const ended = { thought: '', action: 'exception', cell: 'Total compute time exceeded.', output: '' };
    const run = onlyTrajectory(
      await readFiles({
        'history.ipynb': notebook([
          markdown('### Query\nDo it'),
          ...step(1, given),
          ...step(2, own),
          ...step(3, ended),
        ]),
        'metrics.json': { submitted: 0, output_match: 0, checkpoints: 0, entrypoint: 1 },
      }),
    );
    const replies = run.turns.filter(({ role }) => role === 'assistant');
    expect(
      replies.map(({ spans, flags }) => [[...new Set(spans.map(({ origin }) => origin))], flags]),
    ).toEqual([
      [['environment'], ['not_generated']],
      [['model'], []],
      [['environment'], ['harness_reply']],
    ]);
    expect(run.executions.map(({ kind, call_turn }) => [kind, call_turn])).toEqual([['experiment', 3]]);
    expect(run.submissions[0]?.execution_id).toBe(run.executions[0]?.execution_id);
    expect(run.termination).toBe('time_limit');
  });

  it('does not call a program that still runs a success', async () => {
    const output =
      'epoch 1\n\nYour command has already run for 300 seconds. It is still running. You can continue to wait or interrupt it';
    const run = onlyTrajectory(
      await readFiles({
        'history.ipynb': notebook([
          markdown('### Query\nDo it'),
          ...step(1, { thought: 'Go.', action: 'execute', cell: '!python a.py', output }),
        ]),
      }),
    );
    expect(run.executions).toMatchObject([{ kind: 'experiment', status: 'unknown' }]);
  });

  it('is told from other notebooks, and metrics alone are no trajectory', async () => {
    expect(onlyReject(await readFiles({ 'x.ipynb': notebook([markdown('# Title')]) })).code).toBe(
      'not_a_trajectory',
    );
    const metrics = { submitted: 1, output_match: 1, checkpoints: 1, entrypoint: 1 };
    expect(onlyReject(await readFiles({ 'metrics.json': metrics })).code).toBe('not_a_trajectory');
  });
});

it.each([
  ["[{'role': 'system', 'content': \"it's\"}]", [{ role: 'system', content: "it's" }]],
  ["{'a': (1, 2.5, -3e2), 'b': [True, None]}", { a: [1, 2.5, -300], b: [true, null] }],
  ["'x\\n\\x41\\u00e9\\'' 'y'", "x\nAé'y"],
  ["'''a'b'''", "a'b"],
  ['np.float64(0.5)', 0.5],
  ['[1, 2', undefined],
  ['foo()', undefined],
  ["'open", undefined],
  ['', undefined],
])('reads the literal %s', (text, value) => {
  expect(pythonLiteral(text)).toEqual(value);
});

it('survives a deep literal', () => {
  expect(pythonLiteral('['.repeat(100_000))).toBeUndefined();
});
