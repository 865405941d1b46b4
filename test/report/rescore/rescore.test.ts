import { describe, expect, it } from 'vitest';
import {
  parseRescoreOptions,
  rescoredTasks,
  rescoredWindowOptions,
} from '../../../src/report/rescore/options.js';
import { rescore, type ScoringRules, storedScores } from '../../../src/report/rescore/rescore.js';
import { rescoreWindows } from '../../../src/report/rescore/rescore-windows.js';
import {
  type StoredExecution,
  type StoredRun,
  StoredRuns,
  type StoredTrajectory,
  type StoredWindow,
} from '../../../src/report/rescore/stored-run.js';
import { corpusScoresOf } from '../../../src/selection/corpus-scores.js';
import { selectionSchema } from '../../../src/selection/options.js';
import { type WindowOptionsInput, windowSchema } from '../../../src/windows/options.js';
import { segmentWindows } from '../../../src/windows/segment.js';
import { SeededRandom } from '../../interop/random.js';
import { type RunEvent, runOf, taskOf } from '../../windows/synthetic-run.js';

const task = taskOf();
const options = (change: WindowOptionsInput = {}) => windowSchema.parse(change);

/** The run as the tables hold it: what the pipeline would have written under the planned options. */
function storedRun(events: readonly RunEvent[], planned: WindowOptionsInput = {}): StoredRun {
  const trajectory = runOf(events);
  const { windows } = segmentWindows(trajectory, task, options(planned));
  const lineage = { trajectory_id: trajectory.trajectory_id, source_path: 'run.json' };
  const runs = new StoredRuns();
  for (const execution of trajectory.executions) {
    const own = trajectory.submissions.filter(
      ({ execution_id, stale }) => execution_id === execution.execution_id && !stale,
    );
    const scoreOn = (scale: string) =>
      own.findLast((each) => each.scale === scale && each.gradable)?.score ?? null;
    runs.execution({
      ...lineage,
      execution_id: execution.execution_id,
      order: execution.order,
      call_turn: execution.call_turn,
      feedback_turn: execution.feedback_turn,
      kind: execution.kind,
      status: execution.status,
      seconds: execution.seconds,
      submitted: own.length > 0,
      gradable: own.some(({ gradable }) => gradable),
      score_test: scoreOn('test'),
      score_validation: scoreOn('validation'),
      score_self_reported: scoreOn('self_reported'),
      parent_execution: execution.parent_execution,
      invalidated: execution.invalidated,
    } satisfies StoredExecution);
  }
  for (const window of windows) {
    runs.window({
      ...lineage,
      task_id: 'task',
      flags: [...window.flags],
      window_id: `${trajectory.trajectory_id.slice(0, 32)}.w${window.index}`,
      execution_id: window.execution_id,
      outcome: window.outcome,
      score: window.score,
      score_scale: window.score_scale,
      previous_score: window.previous_score,
      trend: window.trend,
      reward: window.reward,
    } satisfies StoredWindow);
  }
  runs.trajectory({
    ...lineage,
    task_id: 'task',
    flags: [],
    n_turns: trajectory.turns.length,
    stage: null,
    decision: 'kept',
    reason: null,
  } satisfies StoredTrajectory);
  const [run] = runs.runs();
  if (run === undefined) throw new Error('no run');
  return run;
}

const EVENTS: readonly RunEvent[] = [
  { exec: 'error' },
  { exec: 'ok', score: 0.85 },
  { exec: 'ok', score: 0.5 },
  { exec: 'timeout' },
  { exec: 'ok', score: 0.75 },
  { exec: 'ok' },
  { exec: 'ok', score: 0.2, scale: 'validation' },
  { exec: 'infra' },
];

describe('rescoreWindows', () => {
  const planned = { options: options(), task };
  const run = storedRun(EVENTS);

  // what the package itself pays under the other options is the answer
  it.each<[string, WindowOptionsInput]>([
    ['the same options', {}],
    ['the best so far', { trend: 'best' }],
    ['no trend', { trend: 'none' }],
    ['masked timeouts', { timeouts: 'masked' }],
    ['runs masked for a timeout', { timeouts: 'any' }],
    ['runs masked for many timeouts', { timeouts: { share: 0.9 } }],
    ['new tiers only', { base: 'new_tier' }],
    ['all at once', { trend: 'best', base: 'new_tier', timeouts: 'masked' }],
    [
      'another scale',
      {
        score_scale: 'validation',
        thresholds: { task: { gold: 0.3, silver: 0.2, bronze: 0.1, median: 0 } },
      },
    ],
  ])('pays by %s what a run by them pays', (_name, other) => {
    const asked = { options: options(other), task };
    const { windows } = segmentWindows(runOf(EVENTS), task, asked.options);
    const rescored = rescoreWindows(run, planned, asked);
    expect(rescored.map(({ new_reward, outcome }) => [outcome, new_reward])).toEqual(
      windows.map(({ reward, outcome }) => [outcome, reward]),
    );
    expect(rescored.every(({ reproducible }) => reproducible)).toBe(true);
    expect(rescored.map(({ old_reward }) => old_reward)).toEqual([-1, 1, -0.6, -1, 1.2, -0.6, null, null]);
  });

  it('agrees with a new run on random runs and options, or says that it cannot', () => {
    const random = new SeededRandom(3);
    let reproduced = 0;
    for (let i = 0; i < 1_000; i++) {
      const n = 1 + random.below(7);
      const inOrder = [...Array(n).keys()];
      const order = random.chance(0.3) ? random.shuffle(inOrder) : inOrder;
      // another order of observation comes of parallel executions, or of scoring calls
      const parallel = random.chance(0.5);
      const scoring: RunEvent = { exec: 'ok', execution: { kind: 'scoring' } };
      const events = order.map((observed, e): RunEvent => {
        const exec = random.pick<RunEvent['exec']>('ok', 'ok', 'ok', 'error', 'timeout', 'infra');
        const parent = e > 0 && random.chance(0.5) ? `e${random.below(e)}` : null;
        const seen = parallel ? { feedback_turn: 2 + 2 * observed } : {};
        const execution = { parent_execution: parent, ...seen };
        if (random.chance(0.2)) return { exec, execution };
        const scale = random.chance(0.8) ? 'test' : 'validation';
        const score = random.chance(0.1) ? null : random.below(21) / 20;
        return { exec, execution, scale, score, submission: { order: observed } };
      });
      if (!parallel && order !== inOrder) events.push(scoring);
      const some = (): WindowOptionsInput => ({
        trend: random.pick('previous', 'best', 'parent', 'none'),
        base: random.pick('every', 'new_tier'),
        timeouts: random.pick<WindowOptionsInput['timeouts']>('error', 'masked', 'any', { share: 0.3 }),
      });
      const [before, after] = [some(), some()];
      const rescored = rescoreWindows(
        storedRun(events, before),
        { options: options(before), task },
        { options: options(after), task },
      );
      const { windows } = segmentWindows(runOf(events), task, options(after));
      rescored.forEach((window, w) => {
        if (!window.reproducible) return;
        reproduced += 1;
        expect([window.outcome, window.new_reward], JSON.stringify({ events, before, after })).toEqual([
          windows[w]?.outcome,
          windows[w]?.reward,
        ]);
      });
    }
    expect(reproduced).toBeGreaterThan(1_000);
  });

  it('takes other thresholds, also where there were none', () => {
    const strict = taskOf({ gold: 0.99, silver: 0.98, bronze: 0.97, median: 0.5 });
    const rewards = rescoreWindows(run, planned, { ...planned, task: strict }).map(
      ({ new_reward }) => new_reward,
    );
    expect(rewards).toEqual([-1, -0.4, -0.6, -1, -0.2, -0.6, null, null]);
    const none = rescoreWindows(run, planned, { ...planned, task: taskOf(null) });
    expect(none.map(({ new_reward }) => new_reward)).toEqual([-1, null, null, -1, null, -0.6, null, null]);
  });

  it('does not guess which of two results that one turn shows was first', () => {
    const together = { feedback_turn: 4 };
    const both: readonly RunEvent[] = [
      { exec: 'ok', score: 0.7, execution: together, submission: { order: 1 } },
      { exec: 'ok', score: 0.8, execution: together, submission: { order: 0 } },
    ];
    const none = { options: options({ trend: 'none' }), task };
    const rescored = rescoreWindows(storedRun(both, { trend: 'none' }), none, planned);
    expect(rescored.map(({ reproducible }) => reproducible)).toEqual([false, false]);
  });

  it('does not guess where scores were observed in another order than the feedback', () => {
    // the second submission was scored first: its stored reference is none, that of the first is .8
    const odd = storedRun([
      { exec: 'ok', score: 0.7, submission: { order: 1 } },
      { exec: 'ok', score: 0.8, submission: { order: 0 } },
      { exec: 'ok', execution: { kind: 'scoring' } },
    ]);
    const rescored = (other: WindowOptionsInput) =>
      rescoreWindows(odd, planned, { options: options(other), task }).map(({ new_reward, reproducible }) => [
        new_reward,
        reproducible,
      ]);
    // the stored references hold for the same trend
    expect(rescored({ timeouts: 'masked' })).toEqual([
      [0.8, true],
      [1, true],
    ]);
    expect(rescored({ trend: 'best' })).toEqual([
      [null, false],
      [null, false],
    ]);
  });
});

describe('rescore', () => {
  const selection = (quality: 'median' | 'gold', threshold: number) =>
    selectionSchema.parse({ rules: ['initial', 'best'], quality, degradation: { threshold } });
  const rules = (change: Partial<ScoringRules> = {}): ScoringRules => ({
    tasks: [task],
    windows: options(),
    selectionOf: () => selection('median', 0.5),
    scores: corpusScoresOf([]),
    ...change,
  });
  // initial: the first scored .85 (turn 4); best: it dropped by .1 of a span of .3 to the last (turn 10)
  const run: StoredRun = {
    ...storedRun(EVENTS),
    prefixes: [
      { trajectory_id: 't', source_path: 'run.json', row_id: 'a', rules: ['initial'], anchor_turn: 4 },
      { trajectory_id: 't', source_path: 'run.json', row_id: 'b', rules: ['best'], anchor_turn: 10 },
    ],
  };

  it('says which prefixes would move, be lost or stay', () => {
    const anchors = (asked: ScoringRules) =>
      rescore([run], rules(), asked).prefixes.map(({ rule, old_anchor, new_anchor }) => [
        rule,
        old_anchor,
        new_anchor,
      ]);
    expect(anchors(rules())).toEqual([
      ['initial', 4, 4],
      ['best', 10, 10],
    ]);
    expect(anchors(rules({ selectionOf: () => selection('median', 0.2) }))).toEqual([
      ['initial', 4, 4],
      ['best', 10, 4],
    ]);
    expect(anchors(rules({ selectionOf: () => selection('gold', 0.5) }))).toEqual([
      ['initial', 4, null],
      ['best', 10, null],
    ]);
  });

  it('says nothing of a selection that the tables do not give', () => {
    const other = { ...run, prefixes: run.prefixes.map((prefix) => ({ ...prefix, anchor_turn: 6 })) };
    const { prefixes } = rescore([other], rules(), rules());
    expect(prefixes.map(({ reproducible, new_anchor }) => [reproducible, new_anchor])).toEqual([
      [false, null],
      [false, null],
    ]);
  });

  it('leaves alone what something else than scores decided', () => {
    const duplicate = {
      ...run,
      trajectory: run.trajectory && { ...run.trajectory, decision: 'duplicate' as const },
    };
    const capped = {
      ...run,
      prefixes: [],
      trajectory: run.trajectory && { ...run.trajectory, decision: 'filtered' as const, reason: 'cap_task' },
    };
    expect(rescore([duplicate, capped], rules(), rules()).prefixes).toEqual([]);
  });

  it('counts changes by from and to, none first', () => {
    const asked = rules({ windows: options({ timeouts: 'masked', trend: 'none' }) });
    expect(rescore([run], rules(), asked).changes).toEqual([
      { from: -1, to: null, windows: 1 },
      { from: -0.6, to: -0.4, windows: 1 },
      { from: 1.2, to: 1, windows: 1 },
    ]);
  });

  it('takes quantiles that the run decided by first, and else those of the tables', () => {
    const known = corpusScoresOf([{ task_id: 'task', scale: 'test', q: 0.5, score: 42, n: 1 }]);
    const scores = storedScores([run], [task], known);
    expect(scores.quantile('task', 'test', 0.5)).toBe(42);
    expect(scores.quantile('task', 'test', 1)).toBe(0.85);
    expect(scores.quantile('task', 'validation', 0.1)).toBe(0.2);
    expect(scores.quantile('elsewhere', 'test', 1)).toBeNull();
  });
});

describe('rescore options', () => {
  const parse = (text: string) => parseRescoreOptions(text, 'other.yaml');

  it('takes an empty file as nothing asked', () => {
    expect(parse('')).toEqual({ thresholds: {}, windows: {}, selection: {} });
  });

  it.each([
    ['thresholds: {task: {gold: 1}}', 'other.yaml: thresholds.task.silver'],
    ['windows: {trend: sideways}', 'other.yaml: windows.trend'],
    ['rewards: 3', "other.yaml: unknown key 'rewards'; allowed: thresholds, windows, selection"],
    ['windows: [', 'other.yaml: '],
  ])('refuses %s with its place', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('needs thresholds for another scale, and drops those of the old one', () => {
    const validation = options({
      score_scale: 'validation',
      thresholds: { task: { gold: 1, silver: 1, bronze: 1, median: 1 } },
    });
    const asked = parse('windows: {score_scale: self_reported}');
    expect(() => rescoredWindowOptions(validation, asked, 'other.yaml')).toThrow('windows.thresholds');
    const back = parse('windows: {score_scale: test}');
    expect(rescoredWindowOptions(validation, back, 'other.yaml').thresholds).toEqual({});
  });

  it('puts thresholds into records that exist', () => {
    const asked = parse('thresholds: {task: {gold: 5, silver: 4, bronze: 3, median: null}}');
    expect(rescoredTasks([task], asked, 'f')[0]?.thresholds).toEqual({
      gold: 5,
      silver: 4,
      bronze: 3,
      median: null,
    });
    expect(() => rescoredTasks([], asked, 'f')).toThrow('no task record');
  });
});
