import { describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import type { SelectionRule } from '../../src/selection/decision.js';
import { FILTER_REASONS } from '../../src/selection/decision.js';
import { SELECTION_FLAGS } from '../../src/selection/flags.js';
import { type SelectionOptionsInput, selectionSchema } from '../../src/selection/options.js';
import { selectPrefixes } from '../../src/selection/select.js';
import { makeExecution, makeTurn } from '../../src/trajectory/build.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { call, observation, type RunEvent, runOf, taskOf, text } from '../windows/synthetic-run.js';

const defaults: SelectionOptionsInput = {
  rules: ['initial', 'best'],
  quality: 'median',
  degradation: { threshold: 0.05, unit: 'absolute' },
};

function decide(run: Trajectory, options: SelectionOptionsInput = {}, task = taskOf()) {
  return selectPrefixes(run, task, selectionSchema.parse({ ...defaults, ...options }));
}

/** The outcome of one rule and its prefix. */
function decideBy(
  rule: SelectionRule,
  run: Trajectory,
  options: SelectionOptionsInput = {},
  task: ReturnType<typeof taskOf> | null = taskOf(),
) {
  const parsed = selectionSchema.parse({ ...defaults, ...options, rules: [rule] });
  const { outcomes, prefixes } = selectPrefixes(run, task, parsed);
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('no outcome');
  return { ...outcome, prefix: prefixes[0] ?? null };
}

/** A run of test scores, one an experiment; text stands for a status without submission. */
function scores(...list: readonly (number | null | 'error' | 'timeout' | 'ok')[]): Trajectory {
  return runOf(
    list.map((item): RunEvent => {
      if (typeof item === 'string') return { exec: item };
      return { exec: 'ok', score: item };
    }),
  );
}

describe('rule best', () => {
  const absolute = { threshold: 0.05, unit: 'absolute' as const };
  const lowerTask = taskOf({ gold: 0.1, silver: 0.2, bronze: 0.3, median: 0.4, is_lower_better: true });
  it.each<[string, Trajectory, SelectionOptionsInput, string | null]>([
    ['no drop: the last', scores(0.7, 0.75), {}, 'e1'],
    ['a small drop: the last', scores(0.7, 0.8, 0.78), {}, 'e2'],
    ['a large drop: the best', scores(0.7, 0.8, 0.7), {}, 'e1'],
    ['exactly the threshold does not cut', scores(0.95, 0.9), {}, 'e1'],
    ['nor does it through rounding', scores(0.9, 0.85), {}, 'e1'],
    ['a little more cuts', scores(0.95, 0.8999), {}, 'e0'],
    ['the first of equal bests', scores(0.9, 0.7, 0.9, 0.7), {}, 'e0'],
    ['a tail of errors: the best is the last', scores(0.7, 0.8, 'error', 'timeout', null), {}, 'e1'],
    ['drop to the last, which recovered', scores(0.9, 0.5, 0.88), {}, 'e2'],
    ['drop to the worst', scores(0.9, 0.5, 0.88), { degradation: { ...absolute, drop: 'worst' } }, 'e0'],
    [
      'what was before the best is no drop',
      scores(0.1, 0.9, 0.88),
      { degradation: { ...absolute, drop: 'worst' } },
      'e2',
    ],
    ['threshold 0 cuts any drop', scores(0.9, 0.8999), { degradation: { ...absolute, threshold: 0 } }, 'e0'],
    [
      'threshold 0 keeps an equal tail',
      scores(0.9, 0.9),
      { degradation: { ...absolute, threshold: 0 } },
      'e1',
    ],
    ['tiers: within one', scores(0.99, 0.9), { degradation: { threshold: 0, unit: 'tiers' } }, 'e1'],
    ['tiers: one lost', scores(0.9, 0.89), { degradation: { threshold: 0, unit: 'tiers' } }, 'e0'],
    [
      'tiers: one lost of one allowed',
      scores(0.9, 0.89),
      { degradation: { threshold: 1, unit: 'tiers' } },
      'e1',
    ],
    // The span of the task is .3.
    ['span: a third is .1', scores(0.9, 0.8), { degradation: { threshold: 0.33, unit: 'span' } }, 'e0'],
    ['span: less than a third', scores(0.9, 0.8), { degradation: { threshold: 0.34, unit: 'span' } }, 'e1'],
  ])('%s', (_name, run, options, anchor) => {
    const found = decideBy('best', run, options);
    expect(found.reason).toBe('kept');
    expect(found.anchor_execution).toBe(anchor);
    expect(found.prefix?.last_turn).toBe(2 + 2 * Number(anchor?.slice(1)));
  });

  it.each<[string, Trajectory, SelectionOptionsInput, string]>([
    ['nothing ran', scores(), {}, 'no_execution'],
    ['nothing was submitted', scores('ok', 'error'), {}, 'no_submission'],
    ['nothing was gradable', scores(null), {}, 'no_submission'],
    ['below the threshold', scores(0.5, 0.59), {}, 'below_threshold'],
    ['below a fixed score', scores(0.7), { quality: { score: 0.71 } }, 'below_threshold'],
    ['only other scales', runOf([{ exec: 'ok', score: 0.9, scale: 'self_reported' }]), {}, 'other_scale'],
    ['only of a failed execution', runOf([{ exec: 'error', score: 0.9 }]), {}, 'no_submission'],
    [
      'one of a failed execution, one on another scale',
      runOf([
        { exec: 'error', score: 0.9 },
        { exec: 'ok', score: 0.9, scale: 'validation' },
      ]),
      {},
      'no_submission',
    ],
    ['only stale', runOf([{ exec: 'ok', score: 0.9, submission: { stale: true } }]), {}, 'no_submission'],
    ['no experiments marked', runOf([], { flags: ['no_experiment_boundary'] }), {}, 'no_experiment_boundary'],
  ])('%s: filtered', (_name, run, options, reason) => {
    const found = decideBy('best', run, options);
    expect(found).toMatchObject({ reason, anchor_turn: null, prefix: null });
    expect(FILTER_REASONS).toHaveProperty(found.reason);
    expect(found.detail).not.toBe('');
  });

  it.each([
    ['median', 0.6],
    ['bronze', 0.7],
    ['silver', 0.8],
    ['gold', 0.9],
  ] as const)('quality %s is inclusive', (quality, score) => {
    expect(decideBy('best', scores(score), { quality }).reason).toBe('kept');
    expect(decideBy('best', scores(score - 0.001), { quality }).reason).toBe('below_threshold');
  });

  it('mirrors for lower is better', () => {
    expect(decideBy('best', scores(0.3, 0.1, 0.2), {}, lowerTask).anchor_execution).toBe('e1');
    expect(decideBy('best', scores(0.3, 0.2, 0.1), {}, lowerTask).anchor_execution).toBe('e2');
    expect(decideBy('best', scores(0.5), {}, lowerTask).reason).toBe('below_threshold');
  });

  it('measures without a span by |best|, and by points where the best is 0', () => {
    const degradation = { threshold: 0.05 };
    const bare = taskOf({ gold: null, silver: null, bronze: null, median: 0 });
    const relative = decideBy('best', scores(10, 9.4), { degradation }, bare);
    expect(relative.anchor_execution).toBe('e0');
    expect(relative.prefix?.flags).toEqual(['drop_relative']);
    expect(decideBy('best', scores(10, 9.6), { degradation }, bare).anchor_execution).toBe('e1');
    const zero = decideBy('best', scores(0, -0.06), { degradation }, bare);
    expect(zero.anchor_execution).toBe('e0');
    expect(zero.prefix?.flags).toEqual(['drop_absolute']);
    const noSpan = taskOf({ gold: 0.5, silver: 0.5, bronze: 0.5, median: 0.5 });
    expect(decideBy('best', scores(1, 0.94), { degradation }, noSpan).prefix?.flags).toEqual([
      'drop_relative',
    ]);
  });

  it('says the numbers', () => {
    expect(decideBy('best', scores(0.7, 0.9, 0.8)).detail).toBe(
      'best of 3 submissions 0.9, last 0.8: drop 0.1 score points is greater than 0.05, so the first best is the anchor',
    );
    expect(decideBy('best', scores(0.5)).detail).toBe(
      'the best of 1 submissions scored 0.5 and does not reach median 0.6',
    );
  });

  it('tells tasks without thresholds from unknown tasks', () => {
    expect(decideBy('best', scores(0.9), {}, taskOf(null))).toMatchObject({
      reason: 'no_threshold',
      prefix: null,
    });
    expect(decideBy('best', scores(0.9), {}, null)).toMatchObject({ reason: 'unknown_task', prefix: null });
    const tiers = { quality: { score: 0.5 }, degradation: { threshold: 0, unit: 'tiers' as const } };
    expect(decideBy('best', scores(0.9, 0.2), tiers, taskOf(null)).reason).toBe('no_threshold');
    expect(decideBy('best', scores(0.2, 0.9), tiers, taskOf(null)).anchor_execution).toBe('e1');
    expect(
      decideBy('best', scores(0.9, 0.2), { quality: { score: 0.5 } }, taskOf(null)).anchor_execution,
    ).toBe('e0');
  });

  it('takes no invalidated anchor unless asked', () => {
    const run = runOf([
      { exec: 'ok', score: 0.7 },
      { exec: 'ok', score: 0.95, execution: { invalidated: true } },
      { exec: 'ok', score: 0.72 },
    ]);
    const found = decideBy('best', run);
    expect(found.anchor_execution).toBe('e2');
    expect(found.prefix?.flags).toEqual(['invalidated_skipped']);
    const asked = decideBy('best', run, { invalidated_anchors: true });
    expect(asked.anchor_execution).toBe('e1');
    expect(asked.prefix?.flags).toEqual(['anchor_invalidated']);
    const all = runOf([{ exec: 'ok', score: 0.95, execution: { invalidated: true } }]);
    expect(decideBy('best', all).reason).toBe('no_submission');
  });

  it('never mixes scales or graders', () => {
    const run = runOf([
      { exec: 'ok', score: 0.7, submission: { grader: 'a' } },
      { exec: 'ok', score: 0.99, scale: 'validation' },
      { exec: 'ok', score: 0.95, submission: { grader: 'b' } },
    ]);
    const found = decideBy('best', run);
    expect(found.prefix).toMatchObject({
      anchor_score: 0.7,
      score_scale: 'test',
      medal: 'bronze',
      flags: ['other_grader'],
    });
    const asked = decideBy('best', run, { score_scale: 'validation' });
    expect(asked.prefix).toMatchObject({
      anchor_score: 0.99,
      score_scale: 'validation',
      medal: null,
      flags: ['thresholds_of_test_scale'],
    });
  });
});

describe('rule initial', () => {
  it.each<[string, Trajectory, SelectionOptionsInput, string | null]>([
    ['the first that left a submission', scores('error', 'ok', 0.65, 0.9), {}, 'e2'],
    ['inclusive', scores(0.6), {}, 'e0'],
    ['the first is too weak', scores(0.5, 0.9), {}, null],
    ['a failed attempt is passed over', scores(null, 0.65), {}, 'e1'],
    ['attempt: what first tried counts', scores(null, 0.65), { complete: 'attempt' }, null],
    [
      'attempt: an error that submitted nothing did not try',
      scores('error', 0.65),
      { complete: 'attempt' },
      'e1',
    ],
    [
      'marked by the log as a full solution, without a score',
      runOf([
        { exec: 'ok', execution: { complete_solution: true } },
        { exec: 'ok', score: 0.9 },
      ]),
      {},
      null,
    ],
    [
      'marked by the log as a full solution, failed',
      runOf([
        { exec: 'error', execution: { complete_solution: true } },
        { exec: 'ok', score: 0.9 },
      ]),
      {},
      null,
    ],
    [
      'invalidated',
      runOf([
        { exec: 'ok', score: 0.9, execution: { invalidated: true } },
        { exec: 'ok', score: 0.9 },
      ]),
      {},
      null,
    ],
    [
      'invalidated, by option',
      runOf([{ exec: 'ok', score: 0.9, execution: { invalidated: true } }]),
      { invalidated_anchors: true },
      'e0',
    ],
    [
      'a score on another scale is no solution on this one',
      runOf([
        { exec: 'ok', score: 0.9, scale: 'validation' },
        { exec: 'ok', score: 0.7 },
      ]),
      {},
      'e1',
    ],
  ])('%s', (_name, run, options, anchor) => {
    const found = decideBy('initial', run, options);
    expect(found.anchor_execution).toBe(anchor);
    expect(found.reason).toBe(anchor === null ? 'first_solution_failed' : 'kept');
  });

  it('says the numbers', () => {
    expect(decideBy('initial', scores(0.5)).detail).toBe(
      'the first complete solution, e0, scored 0.5 and does not reach median 0.6',
    );
  });
});

describe('rule whole', () => {
  const final = makeTurn('assistant', [text('done')]);
  const calling = makeTurn('assistant', [call('run')]);
  it.each<[string, Trajectory, SelectionOptionsInput, string]>([
    ['submitted', scores('ok'), {}, 'kept'],
    ['unknown end, final message', runOf([], { termination: 'unknown' }, [final]), {}, 'kept'],
    ['unknown end, feedback', runOf([{ exec: 'ok' }], { termination: 'unknown' }), {}, 'not_complete'],
    ['unknown end, open call', runOf([], { termination: 'unknown' }, [calling]), {}, 'not_complete'],
    ['cut', runOf([], { termination: 'cut' }, [final]), {}, 'not_complete'],
    ['step limit', runOf([], { termination: 'step_limit' }, [final]), {}, 'not_complete'],
    [
      'provider error in the last turn',
      runOf([], {}, [{ ...final, truncated: 'error' }]),
      {},
      'not_complete',
    ],
    ['no model turn', runOf([], {}), {}, 'not_complete'],
    ['resolved', runOf([], { resolved: true }, [final]), { outcome: 'resolved' }, 'kept'],
    ['not resolved', runOf([], { resolved: false }, [final]), { outcome: 'resolved' }, 'not_resolved'],
    ['not joined', runOf([], {}, [final]), { outcome: 'resolved' }, 'not_resolved'],
    ['not resolved, any', runOf([], { resolved: false }, [final]), {}, 'kept'],
  ])('%s', (_name, run, options, reason) => {
    const found = decideBy('whole', run, options, null);
    expect(found.reason).toBe(reason);
    if (reason === 'kept') expect(found.prefix?.last_turn).toBe(run.turns.length - 1);
  });
});

describe('the end of a prefix', () => {
  const final = makeTurn('assistant', [text('this is my answer')]);
  const submit = makeTurn('assistant', [text('good'), call('submit')]);
  const other = makeTurn('assistant', [call('run')]);
  it.each<[string, readonly Turn[], Partial<Trajectory>, boolean]>([
    ['final text', [final], {}, true],
    ['submit', [submit], {}, true],
    ['submit and what follows', [submit, makeTurn('tool', [observation('ok')]), final], {}, true],
    ['text that is not final', [final, makeTurn('user', [observation('go on')]), other], {}, false],
    ['text of a cut log', [final], { termination: 'cut' }, false],
    ['another call', [other], {}, false],
    ['submit and another call', [makeTurn('assistant', [call('submit'), call('run')])], {}, false],
    ['a cut off turn', [{ ...submit, truncated: 'length' }], {}, false],
    ['no turn at all', [], {}, false],
    ['blank text', [makeTurn('assistant', [text(' ')])], {}, false],
  ])('tail commit keeps %s: %#', (_name, tail, rest, kept) => {
    const run = runOf([{ exec: 'ok', score: 0.7 }], rest, tail);
    const { prefix } = decideBy('best', run, { tail: 'commit' });
    expect(prefix).toMatchObject({ anchor_turn: 2, last_turn: kept ? 3 : 2 });
    expect(prefix?.flags).toEqual(kept ? ['commit_kept'] : []);
    expect(decideBy('best', run).prefix?.last_turn).toBe(2);
  });

  it('tail commit looks at what a scoring call scored', () => {
    const scoring = {
      ...makeExecution({
        execution_id: 's',
        order: 1,
        kind: 'scoring',
        tool: 'grade',
        call_turn: 3,
        status: 'ok',
      }),
    };
    const run = runOf([{ exec: 'ok', score: 0.7, submission: { scored_by: 's', observed_turn: 4 } }], {}, [
      makeTurn('assistant', [call('grade')]),
      makeTurn('tool', [observation('0.7')]),
    ]);
    const own = { ...run, executions: [...run.executions, scoring] };
    expect(decideBy('best', own, { tail: 'commit' }).prefix?.last_turn).toBe(3);
    const [submission] = run.submissions;
    if (submission === undefined) throw new Error('no submission');
    const foreign = { ...submission, execution_id: 'elsewhere', score: 0.1, order: -1 };
    const mixed = { ...own, submissions: [foreign, submission] };
    expect(decideBy('best', mixed, { tail: 'commit' }).prefix?.last_turn).toBe(2);
  });

  it('is the call where the log ends before the feedback', () => {
    const run = runOf([{ exec: 'ok', score: 0.7, execution: { feedback_turn: null } }]);
    expect(decideBy('best', run).prefix).toMatchObject({ last_turn: 1, flags: ['feedback_missing'] });
  });

  it('is the turn that shows the score where no execution is linked', () => {
    const run = runOf([{ exec: 'ok', score: 0.7, submission: { execution_id: null } }]);
    expect(decideBy('best', run).prefix).toMatchObject({
      anchor_execution: null,
      last_turn: 2,
      flags: ['anchor_without_execution'],
    });
  });

  it('flags calls of the same turn that are answered after the cut', () => {
    const run = runOf([
      { exec: 'ok', score: 0.7 },
      { exec: 'error', execution: { call_turn: 1, feedback_turn: 4 } },
    ]);
    expect(decideBy('best', run).prefix?.flags).toEqual(['parallel_feedback_cut']);
  });
});

describe('selectPrefixes', () => {
  it('yields one prefix for rules that end alike, and names them', () => {
    const run = scores(0.7);
    const { prefixes, outcomes } = decide(run, { rules: ['best', 'whole', 'initial'] });
    expect(prefixes).toEqual([
      {
        rules: ['whole', 'initial', 'best'],
        last_turn: 2,
        kind: 'chronological',
        off_path: [],
        anchor_execution: 'e0',
        anchor_turn: 2,
        anchor_score: 0.7,
        score_scale: 'test',
        medal: 'bronze',
        threshold_source: 'task_record',
        flags: [],
      },
    ]);
    expect(outcomes.map(({ rule }) => rule)).toEqual(['whole', 'initial', 'best']);
  });

  it('yields several prefixes for rules that end apart', () => {
    const { prefixes } = decide(scores(0.65, 'error', 0.9, 0.5));
    expect(prefixes.map(({ rules, anchor_execution, medal }) => [rules, anchor_execution, medal])).toEqual([
      [['initial'], 'e0', 'none'],
      [['best'], 'e2', 'gold'],
    ]);
  });

  it('does nothing without rules', () => {
    expect(selectPrefixes(scores(0.9), taskOf(), selectionSchema.parse({}))).toEqual({
      prefixes: [],
      outcomes: [],
    });
  });

  it('gives only flags that it lists', () => {
    const run = runOf([
      { exec: 'error', score: 0.9 },
      { exec: 'ok', score: 0.9, submission: { stale: true } },
      { exec: 'ok', score: 0.9 },
      { exec: 'ok', score: 0.9 },
    ]);
    const { prefixes } = decide(run);
    const flags = prefixes.flatMap((prefix) => prefix.flags);
    expect([...new Set(flags)].sort()).toEqual(['best_tied', 'failed_with_submission', 'stale_submission']);
    for (const flag of flags) expect(SELECTION_FLAGS).toHaveProperty(flag);
  });

  it('takes a quantile only with the scores of the corpus', () => {
    const options = selectionSchema.parse({ ...defaults, quality: { quantile: 0.5 } });
    expect(() => selectPrefixes(scores(0.9), taskOf(), options)).toThrow(TrajmillError);
    const corpus = {
      quantile: (id: string, scale: string, q: number) => (id === 'task' && scale === 'test' ? q : null),
    };
    const { outcomes } = selectPrefixes(scores(0.9), taskOf(), options, corpus);
    expect(outcomes.map(({ reason }) => reason)).toEqual(['kept', 'kept']);
    const elsewhere = selectPrefixes(scores(0.9), taskOf(undefined, { task_id: 'x' }), options, corpus);
    expect(elsewhere.outcomes[0]?.reason).toBe('no_threshold');
  });
});

describe('selectionSchema', () => {
  it.each<[string, object, string]>([
    ['a rule without quality', { rules: ['initial'] }, 'quality'],
    ['best without degradation', { rules: ['best'], quality: 'gold' }, 'degradation'],
    ['a threshold without rules', { quality: 'gold' }, 'rules'],
    ['an unknown tier', { rules: ['initial'], quality: 'platinum' }, 'quality'],
    ['an unknown key', { rules: [], qualities: 'gold' }, ''],
    ['a negative drop', { ...defaults, degradation: { threshold: -1 } }, 'degradation.threshold'],
    ['a quantile above 1', { ...defaults, quality: { quantile: 2 } }, 'quality.quantile'],
  ])('refuses %s', (_name, options, path) => {
    const parsed = selectionSchema.safeParse(options);
    expect(parsed.error?.issues[0]?.path.join('.')).toBe(path);
  });

  it('documents its defaults', () => {
    expect(selectionSchema.parse({ ...defaults, degradation: { threshold: 0.05 } })).toEqual({
      rules: ['initial', 'best'],
      quality: 'median',
      degradation: { threshold: 0.05, drop: 'last', unit: 'span' },
      score_scale: 'test',
      invalidated_anchors: false,
      tail: 'feedback',
      commit_tools: ['update_answer', 'submit', 'validate', 'Score', 'finish', 'answer'],
      prefixes: 'chronological',
      outcome: 'any',
      complete: 'first',
    });
  });
});
