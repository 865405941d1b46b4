import { describe, expect, it } from 'vitest';
import type { ReadContext } from '../../src/formats/adapter.js';
import { scoredCalls } from '../../src/formats/scored-calls.js';
import { shellExecutions } from '../../src/formats/shell-executions.js';
import { contentSpan, makeTurn, structuredCallSpan } from '../../src/trajectory/build.js';
import type { Turn } from '../../src/trajectory/turn.js';

const context = (score: ReadContext['experiments']['score']): ReadContext => ({
  place: { path: 'a.jsonl', line: 1, byte_start: 0, byte_end: 1, sha256: '' },
  siblings: { names: [], readText: () => null },
  flags: [],
  experiments: { experiment: ['run'], scoring: ['submit'], score: score ?? null },
  experiment_patterns: [],
  refuse: () => {},
});

function chat(answers: readonly (readonly [tool: string, answer: string])[]): Turn[] {
  return answers.flatMap(([name, answer], index) => [
    makeTurn('assistant', [structuredCallSpan({ id: `c${index}`, name, arguments: '{}' })]),
    makeTurn('tool', [contentSpan('observation', 'environment', answer)], { tool_call_id: `c${index}` }),
  ]);
}

function read(turns: Turn[], score: ReadContext['experiments']['score']) {
  const executions = shellExecutions(turns, context(score), (call) => {
    const feedback = turns[call.call_turn + 1]?.spans[0]?.text ?? '';
    return { feedback_turn: call.call_turn + 1, status: feedback.includes('Traceback') ? 'error' : 'ok' };
  });
  return scoredCalls(turns, executions, context(score));
}

describe('scores in the answers of scoring calls', () => {
  const rule = { key: 'score', scale: 'test' } as const;

  it('belong to the latest experiment, and are stale after a failed one', () => {
    const turns = chat([
      ['run', 'fine'],
      ['submit', '{"score": 0.5}'],
      ['run', 'Traceback'],
      ['submit', '{"score": 0.5}'],
      ['run', 'fine'],
      ['submit', 'no such file'],
      ['submit', '{"score": "high"}'],
    ]);
    const { submissions, flags } = read(turns, rule);
    expect(
      submissions.map(({ execution_id, score, gradable, stale }) => [execution_id, score, gradable, stale]),
    ).toEqual([
      ['call-0', 0.5, true, false],
      ['call-2', 0.5, true, true],
      ['call-4', null, false, false],
      ['call-4', null, false, false],
    ]);
    expect(flags).toEqual([]);
  });

  it('are unknown without a rule, and the run says so', () => {
    const turns = chat([
      ['run', 'fine'],
      ['submit', '{"score": 0.5}'],
    ]);
    expect(read(turns, null)).toEqual({ submissions: [], flags: ['submissions_not_recorded'] });
  });

  it('leave a run without experiments flagged as such', () => {
    expect(read(chat([['ls', 'files']]), null).flags).toEqual(['no_experiment_boundary']);
  });
});
