import { describe, expect, it } from 'vitest';
import { compositionFigures } from '../../../src/report/stats/composition.js';
import { cutFigures, flagFigures, funnelFigures } from '../../../src/report/stats/cuts.js';
import { executionFigures } from '../../../src/report/stats/executions.js';
import { gapFigures } from '../../../src/report/stats/generalisation.js';
import { outcomeFigures, rewardFigures, transitionFigures } from '../../../src/report/stats/outcomes.js';
import { hackingFigures } from '../../../src/report/stats/signs.js';
import { budgetFigures, speedFigures } from '../../../src/report/stats/speed.js';
import { winRateFigures } from '../../../src/report/stats/win-rate.js';
import { execution, facts, numbersOf, prefix, run, taskRecord, trajectory, window } from './facts.js';

describe('outcomes and rewards', () => {
  const corpus = facts({
    runs: [
      run('a', {
        windows: [
          window(0, { outcome: 'error', reward: -1 }),
          window(1, { outcome: 'below_medal', reward: -0.4 }),
          window(2, { outcome: 'bronze', reward: 1.2, trend: 'rose' }),
        ],
      }),
      run('b', {
        model: 'other',
        task_id: null,
        windows: [window(0, { outcome: 'ungraded', reward: null })],
      }),
    ],
  });

  it('counts outcomes over all and by task, scaffold and model', () => {
    const figures = outcomeFigures(corpus);
    // Wilson for 1 of 4 and 1 of 3
    expect(numbersOf(figures, 'all', 'bronze')).toEqual([0.25, 0.0456, 0.6994, 4]);
    expect(numbersOf(figures, 'all', 'gold')).toEqual([0, 0, 0.4899, 4]);
    expect(numbersOf(figures, 'task:task', 'bronze')).toEqual([0.3333, 0.0615, 0.7923, 3]);
    expect(numbersOf(figures, 'task:unknown', 'ungraded')).toEqual([1, 0.2065, 1, 1]);
    expect(numbersOf(figures, 'scaffold:scaffold', 'error')).toEqual([0.25, 0.0456, 0.6994, 4]);
    expect(numbersOf(figures, 'model:other', 'error')).toEqual([0, 0, 0.7935, 1]);
  });

  it('gives paid windows, each reward and the mean', () => {
    const figures = rewardFigures(corpus);
    expect(numbersOf(figures, 'all', 'paid')).toEqual([0.75, 0.3006, 0.9544, 4]);
    expect(numbersOf(figures, 'all', 'reward -0.4')).toEqual([0.3333, 0.0615, 0.7923, 3]);
    // mean of -1, -.4, 1.2: -.0667, deviation 1.1372, half width 4.30265 * .65659
    expect(numbersOf(figures, 'all', 'mean')).toEqual([-0.0667, -2.8917, 2.7584, 3]);
    expect(numbersOf(figures, 'model:other', 'mean')).toEqual([null, null, null, 0]);
  });

  it('gives the steps from one outcome to the next', () => {
    const figures = transitionFigures(corpus);
    expect(numbersOf(figures, 'after:start', 'error')).toEqual([0.5, 0.0945, 0.9055, 2]);
    expect(numbersOf(figures, 'after:error', 'below_medal')).toEqual([1, 0.2065, 1, 1]);
    expect(numbersOf(figures, 'after:below_medal', 'bronze')).toEqual([1, 0.2065, 1, 1]);
    expect(numbersOf(figures, 'after:below_medal', 'trend rose')).toEqual([1, 0.2065, 1, 1]);
    expect(figures.some(({ key }) => key === 'after:bronze')).toBe(false);
  });
});

describe('speed and budgets', () => {
  const corpus = facts({
    runs: [
      // the shell call of turn 1 and the experiment of the same turn are one turn of the agent
      run('a', {
        executions: [
          execution(0, { kind: 'other', call_turn: 1, seconds: 5 }),
          execution(1, { call_turn: 1, status: 'error', score_test: 0.99, seconds: 100 }),
          execution(2, { score_test: 0.65, seconds: 250 }),
          execution(3, { score_test: 0.95, seconds: 50 }),
          execution(4, { score_test: 0.95, seconds: 1 }),
        ],
      }),
      run('b', { executions: [execution(0, { seconds: null }), execution(1, { score_test: 0.1 })] }),
      run('c', { executions: [execution(0, { kind: 'other' })] }),
    ],
  });

  it('counts turns that launched something and seconds of execution', () => {
    const figures = speedFigures(corpus);
    expect(numbersOf(figures, 'all', 'has a valid submission')).toEqual([1, 0.3424, 1, 2]);
    // a: turns 1, 5, 7 and 9, valid at the second, best at the third; b: second of two, seconds unknown
    expect(numbersOf(figures, 'all', 'turns to first valid, median')).toEqual([2, null, null, 2]);
    expect(numbersOf(figures, 'all', 'turns to best, median')).toEqual([2.5, null, null, 2]);
    expect(numbersOf(figures, 'all', 'seconds to first valid, median')).toEqual([355, null, null, 1]);
    expect(numbersOf(figures, 'all', 'seconds to best, median')).toEqual([405, null, null, 1]);
  });

  it('gives the best so far at each budget', () => {
    const figures = budgetFigures(corpus);
    expect(numbersOf(figures, 'turns:5', 'any_medal')).toEqual([0.5, 0.0945, 0.9055, 2]);
    expect(numbersOf(figures, 'turns:all', 'above_median')).toEqual([0.5, 0.0945, 0.9055, 2]);
    // only the run whose seconds are all known: valid after 355, medal after 405
    expect(numbersOf(figures, 'seconds:300', 'valid_submission')).toEqual([0, 0, 0.7935, 1]);
    expect(numbersOf(figures, 'seconds:1800', 'any_medal')).toEqual([1, 0.2065, 1, 1]);
  });

  it('leaves out runs whose task does not tell', () => {
    const unknown = facts({
      runs: [
        run('a', { executions: [execution(0, { score_test: 0.95 })] }),
        run('b', { task_id: 'other', executions: [execution(0, { score_test: 0.95 })] }),
        // accepted without a score: valid, but nothing is known of its worth
        run('c', { executions: [execution(0, { gradable: true })] }),
        // a score on the agent's own split is no valid submission of the task
        run('d', { executions: [execution(0, { score_validation: 0.95 })] }),
      ],
    });
    const figures = budgetFigures(unknown);
    expect(numbersOf(figures, 'turns:5', 'valid_submission').at(0)).toBe(0.75);
    expect(numbersOf(figures, 'turns:5', 'above_median')).toEqual([0.5, 0.0945, 0.9055, 2]);
    expect(numbersOf(figures, 'turns:5', 'any_medal')).toEqual([0.5, 0.0945, 0.9055, 2]);
  });

  it('knows a medal where gold is unknown, and that equal to the median is not above it', () => {
    const tasks = [taskRecord({ thresholds: { gold: null, silver: null, bronze: 0.7, median: 0.8 } })];
    const runs = [run('a', { executions: [execution(0, { score_test: 0.8 })] })];
    const figures = budgetFigures(facts({ runs, tasks }));
    expect(numbersOf(figures, 'turns:5', 'any_medal').at(0)).toBe(1);
    expect(numbersOf(figures, 'turns:5', 'above_median').at(0)).toBe(0);
  });
});

describe('executions', () => {
  it('gives seconds and endings by kind and scaffold', () => {
    const runs = [
      run('a', {
        executions: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((seconds, i) =>
          execution(i, { seconds, status: i === 9 ? 'timeout' : 'ok' }),
        ),
      }),
      run('b', { scaffold: 'other', executions: [execution(0, { kind: 'scoring', seconds: null })] }),
    ];
    const figures = executionFigures(facts({ runs }));
    expect(numbersOf(figures, 'kind:experiment', 'seconds, median')).toEqual([5.5, 2, 9, 10]);
    expect(numbersOf(figures, 'kind:experiment', 'seconds, p90')).toEqual([9, null, null, 10]);
    expect(numbersOf(figures, 'kind:experiment', 'seconds, max')).toEqual([10, null, null, 10]);
    expect(numbersOf(figures, 'kind:experiment', 'timeout')).toEqual([0.1, 0.0179, 0.4042, 10]);
    expect(numbersOf(figures, 'kind:scoring', 'seconds, max')).toEqual([null, null, null, 0]);
    expect(numbersOf(figures, 'scaffold:scaffold', 'error')).toEqual([0, 0, 0.2775, 10]);
    expect(figures.some(({ key }) => key === 'scaffold:other')).toBe(false);
  });
});

describe('validation against test', () => {
  it('is positive where validation flatters, in the direction of the metric', () => {
    const tasks = [
      taskRecord(),
      taskRecord({
        task_id: 'loss',
        is_lower_better: true,
        thresholds: { gold: 1, silver: 2, bronze: 3, median: 5 },
      }),
    ];
    const runs = [
      run('a', {
        executions: [
          execution(0, { score_test: 0.5, score_validation: 0.75 }),
          execution(1, { score_test: 0.5 }),
        ],
      }),
      run('b', { task_id: 'loss', executions: [execution(0, { score_test: 2, score_validation: 4 })] }),
      run('c', { task_id: null, executions: [execution(0, { score_test: 2, score_validation: 4 })] }),
    ];
    const figures = gapFigures(facts({ runs, tasks }));
    expect(numbersOf(figures, 'task:task', 'mean gap in points')).toEqual([0.25, null, null, 1]);
    expect(numbersOf(figures, 'task:loss', 'mean gap in points')).toEqual([-2, null, null, 1]);
    expect(numbersOf(figures, 'all', 'validation better than test')).toEqual([0.5, 0.0945, 0.9055, 2]);
    // .25 of a span of .3, and -2 of a span of 4
    expect(numbersOf(figures, 'all', 'mean gap in |gold - median|').at(0)).toBe(0.1667);
  });
});

describe('signs of reward hacking', () => {
  it('counts repeats, scores that stand still and scores of the sample submission', () => {
    const runs = [
      run('a', {
        windows: [
          window(0, { outcome: 'gold', reward: 2 }),
          window(1, { outcome: 'gold', reward: 2, trend: 'same', flags: ['repeat'] }),
        ],
        executions: [execution(0, { score_test: 0.500001 }), execution(1, { score_test: 0.51 })],
      }),
    ];
    const figures = hackingFigures(facts({ runs, tasks: [taskRecord({ sample_submission_score: 0.5 })] }));
    expect(numbersOf(figures, 'all', 'same code and score again')).toEqual([0.5, 0.0945, 0.9055, 2]);
    expect(numbersOf(figures, 'all', 'score did not move')).toEqual([1, 0.2065, 1, 1]);
    expect(numbersOf(figures, 'all', 'score of the sample submission')).toEqual([0.5, 0.0945, 0.9055, 2]);
  });
});

describe('composition, funnel, cuts and flags', () => {
  const trajectories = [
    trajectory('a', { flags: ['x', 'y'] }),
    trajectory('b', { task_id: 'unknown-task', flags: ['x'] }),
    trajectory('c', { decision: 'filtered', reason: 'no_submission' }),
    trajectory('d', { decision: 'duplicate', reason: 'equal_turns' }),
    trajectory('e', { decision: 'rejected', reason: 'template_error' }),
  ];

  it('composes the kept ones by what their task record says', () => {
    const tasks = [taskRecord({ domain: 'vision' })];
    const figures = compositionFigures(facts({ trajectories, tasks }));
    expect(numbersOf(figures, 'domain', 'vision')).toEqual([0.5, 0.0945, 0.9055, 2]);
    expect(numbersOf(figures, 'domain', 'unknown')).toEqual([0.5, 0.0945, 0.9055, 2]);
    expect(numbersOf(figures, 'model', 'model')).toEqual([1, 0.3424, 1, 2]);
  });

  it('accounts for everything read, once', () => {
    const figures = funnelFigures(facts({ trajectories, rejects: { template_error: 1, torn_line: 2 } }));
    const shareOf = (key: string, figure: string) => numbersOf(figures, key, figure).at(0);
    expect(numbersOf(figures, 'decision', 'kept').at(3)).toBe(7);
    const decisions = ['kept', 'filtered', 'duplicate', 'rejected'].map((name) => shareOf('decision', name));
    expect(decisions).toEqual([0.2857, 0.1429, 0.1429, 0.4286]);
    expect(shareOf('filtered', 'no_submission')).toBe(0.1429);
    expect(shareOf('rejected', 'torn_line')).toBe(0.2857);
  });

  it('says what was cut, by rule', () => {
    const prefixes = [
      prefix({ cut_turns: 4, cut_tokens: 100 }),
      prefix({ rules: ['initial', 'best'], n_tokens: 200, n_trained: 20 }),
    ];
    const figures = cutFigures(facts({ prefixes }));
    expect(numbersOf(figures, 'all', 'prefixes that were cut')).toEqual([0.5, 0.0945, 0.9055, 2]);
    expect(numbersOf(figures, 'all', 'turns cut, mean').at(0)).toBe(2);
    expect(numbersOf(figures, 'all', 'share of tokens cut').at(0)).toBe(0.25);
    expect(numbersOf(figures, 'all', 'share of tokens trained').at(0)).toBe(0.2);
    expect(numbersOf(figures, 'rules:initial+best', 'turns cut, mean')).toEqual([0, null, null, 1]);
  });

  it('gives the share flagged, flag by flag', () => {
    const runs = [run('a', { windows: [window(0, { flags: ['timeout'] }), window(1)] })];
    const figures = flagFigures(facts({ runs, trajectories }));
    expect(numbersOf(figures, 'trajectories', 'x').at(0)).toBe(0.4);
    expect(numbersOf(figures, 'windows', 'timeout')).toEqual([0.5, 0.0945, 0.9055, 2]);
  });
});

describe('pairwise win rate', () => {
  const scored = (name: string, model: string, score: number | null, task = 'task') =>
    run(name, { model, task_id: task, executions: [execution(0, { score_test: score })] });

  it('counts ties half and runs without a score as lost', () => {
    const figures = winRateFigures(
      facts({ runs: [scored('a', 'm1', 0.5), scored('b', 'm2', 0.5), scored('c', 'm2', null)] }),
    );
    expect(figures).toHaveLength(1);
    // a tie and a win on the one task
    expect(numbersOf(figures, 'm1 vs m2', 'first wins').at(0)).toBe(0.75);
    expect(numbersOf(figures, 'm1 vs m2', 'first wins').at(3)).toBe(1);
  });

  it('is the mean over tasks that both ran, in the direction of each', () => {
    const tasks = [taskRecord(), taskRecord({ task_id: 'loss', is_lower_better: true })];
    const runs = [
      scored('a', 'm1', 0.5),
      scored('b', 'm2', 0.4),
      scored('c', 'm1', 0.5, 'loss'),
      scored('d', 'm2', 0.6, 'loss'),
      scored('e', 'm3', 0.6, 'elsewhere'),
    ];
    expect(numbersOf(winRateFigures(facts({ runs, tasks })), 'm1 vs m2', 'first wins')).toEqual([
      1, 0.3424, 1, 2,
    ]);
  });
});
