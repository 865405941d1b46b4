import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskRecord } from '../../src/grading/task-record.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { actionSpans } from '../../src/windows/action-spans.js';
import { windowSchema } from '../../src/windows/options.js';
import { segmentWindows } from '../../src/windows/segment.js';
import { type RunEvent, runOf, taskOf } from './synthetic-run.js';

const TEN = [-1, -0.6, -0.4, -0.2, 0.8, 1, 1.2, 1.8, 2, 2.2];

const score = fc.integer({ min: -8, max: 8 }).map((n) => n / 4);
const eventOf = fc.record({
  exec: fc.constantFrom('ok', 'ok', 'ok', 'error', 'timeout', 'infra', 'unknown'),
  score: fc.oneof(score, fc.constantFrom(null, undefined)),
  scale: fc.constantFrom('test', 'test', 'test', 'validation'),
  execution: fc.record({
    invalidated: fc.boolean(),
    call_span: fc.constantFrom(1, 1, 1, null),
  }),
  submission: fc.record({ stale: fc.constantFrom(false, false, false, true) }),
});
const runEvents = fc
  .array(eventOf, { maxLength: 12 })
  .map((list): RunEvent[] =>
    list.map(({ score: value, ...rest }) => (value === undefined ? rest : { ...rest, score: value })),
  );
const taskRecord = fc
  .record({
    tiers: fc.array(score, { minLength: 4, maxLength: 4 }),
    lower: fc.boolean(),
    known: fc.constantFrom(true, true, true, false),
  })
  .map(({ tiers, lower, known }): TaskRecord => {
    const sorted = [...tiers].sort((a, b) => (lower ? a - b : b - a));
    const [gold = 0, silver = 0, bronze = 0, median = 0] = sorted;
    if (!known) return taskOf(null);
    return taskOf({ gold, silver, bronze, median, is_lower_better: lower });
  });

const options = windowSchema.parse({});
const rewardsOf = (run: Trajectory, task: TaskRecord) => segmentWindows(run, task, options).windows;

function negated(task: TaskRecord): TaskRecord {
  const t = task.thresholds;
  const flip = (x: number | null) => (x === null ? null : -x);
  return {
    ...task,
    is_lower_better: !task.is_lower_better,
    thresholds: t && {
      gold: flip(t.gold),
      silver: flip(t.silver),
      bronze: flip(t.bronze),
      median: flip(t.median),
    },
  };
}

/** The reward rules told once more, one event after the other, for runs without parallel calls. */
function toldAgain(events: readonly RunEvent[], task: TaskRecord): (number | null)[] {
  let reference: number | null = null;
  return events.map((event) => {
    if (event.exec === 'infra') return null;
    if (event.exec === 'error' || event.exec === 'timeout') return -1;
    if (event.score !== undefined && event.submission?.stale === true) return -1;
    const submitted = event.score !== undefined;
    if (!submitted || event.score === null || event.score === undefined) {
      return event.exec === 'unknown' && !submitted ? null : -0.6;
    }
    if (event.scale === 'validation') return null;
    const sign = task.is_lower_better ? -1 : 1;
    const now: number = sign * event.score;
    const step: number = reference === null ? 0 : Math.sign(now - reference) * 2;
    reference = now;
    const { gold, bronze } = task.thresholds ?? {};
    if (typeof gold !== 'number' || typeof bronze !== 'number') return null;
    const base = now >= sign * gold ? 20 : now >= sign * bronze ? 10 : -4;
    return (base + step) / 10;
  });
}

describe('invariants of windows and rewards', () => {
  it('a reward is null or one of ten values, and null exactly where the outcome pays nothing', () => {
    fc.assert(
      fc.property(runEvents, taskRecord, (events, task) => {
        for (const { outcome, reward } of rewardsOf(runOf(events), task)) {
          expect([null, ...TEN]).toContain(reward);
          expect(reward === null).toBe(outcome === 'ungraded' || outcome === 'infrastructure');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a second telling of the rules agrees', () => {
    fc.assert(
      fc.property(runEvents, taskRecord, (events, task) => {
        const found = rewardsOf(runOf(events), task).map(({ reward }) => reward);
        expect(found).toEqual(toldAgain(events, task));
      }),
      { numRuns: 2000 },
    );
  });

  it('negating scores, thresholds and direction changes no reward', () => {
    fc.assert(
      fc.property(runEvents, taskRecord, (events, task) => {
        const mirrored = events.map((event) =>
          typeof event.score === 'number' ? { ...event, score: -event.score } : event,
        );
        const found = rewardsOf(runOf(events), task).map((w) => [w.outcome, w.trend, w.reward]);
        const mirror = rewardsOf(runOf(mirrored), negated(task)).map((w) => [w.outcome, w.trend, w.reward]);
        expect(mirror).toEqual(found);
      }),
      { numRuns: 500 },
    );
  });

  it('dropping a window that errored or had no submission leaves the others as they were', () => {
    fc.assert(
      fc.property(runEvents, taskRecord, fc.nat(), (events, task, pick) => {
        const run = runOf(events);
        const windows = rewardsOf(run, task);
        const useless = windows.filter((w) => w.outcome === 'error' || w.outcome === 'no_submission');
        const dropped = useless[pick % Math.max(1, useless.length)];
        fc.pre(dropped !== undefined);
        const without = {
          ...run,
          executions: run.executions.filter((e) => e.execution_id !== dropped?.execution_id),
          submissions: run.submissions.filter((s) => s.execution_id !== dropped?.execution_id),
        };
        const facts = (w: (typeof windows)[number]) => [
          w.execution_id,
          w.outcome,
          w.previous_score,
          w.reward,
        ];
        expect(rewardsOf(without, task).map(facts)).toEqual(windows.filter((w) => w !== dropped).map(facts));
      }),
      { numRuns: 500 },
    );
  });

  it('windows and trailing hold every generated span exactly once, in order', () => {
    const shape = fc.array(
      fc.record({
        spans: fc.integer({ min: 1, max: 4 }),
        weight: fc.constantFrom(1, 1, 1, 0),
        origin: fc.constantFrom('model', 'model', 'environment'),
        inEpoch: fc.constantFrom(true, true, true, false),
      }),
      { minLength: 1, maxLength: 10 },
    );
    const calls = fc.array(
      fc.record({ turn: fc.nat(), span: fc.option(fc.nat()), infra: fc.boolean(), retry: fc.boolean() }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(shape, calls, (turnShapes, callShapes) => {
        const base = runOf([{ exec: 'ok' }]);
        const [, model] = base.turns;
        const [execution] = base.executions;
        if (model === undefined || execution === undefined) throw new Error('no turn');
        const turns = turnShapes.map(({ spans, weight, origin }) => ({
          ...model,
          weight,
          spans: Array.from({ length: spans }, (_, s) => ({
            ...(model.spans[s % 2] ?? { kind: 'text' as const, inline: true, call: null, model: null }),
            origin,
            text: `${s}`,
          })),
        }));
        const executions = callShapes.map(({ turn, span, infra, retry }, i) => {
          const callTurn = turn % turns.length;
          const spans = turns[callTurn]?.spans.length ?? 1;
          return {
            ...execution,
            execution_id: `e${i}`,
            order: i,
            call_turn: callTurn,
            call_span: span === null ? null : span % spans,
            status: infra ? ('infrastructure' as const) : ('ok' as const),
            flags: retry ? [`retry_of:e${i - 1}`] : [],
          };
        });
        const inEpoch = [...turnShapes.keys()].filter((t) => turnShapes[t]?.inEpoch);
        const run = {
          ...base,
          turns,
          executions,
          submissions: [],
          epochs: [{ turns: inEpoch, reason: null }],
        };
        const { windows, trailing } = segmentWindows(run, taskOf(), options);
        expect([...windows.flatMap(({ spans }) => spans), ...trailing]).toEqual(actionSpans(run));
        for (const { spans, turn_start, turn_end } of windows) {
          for (const [turn] of spans) expect(turn >= turn_start && turn <= turn_end).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
