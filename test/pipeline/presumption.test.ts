import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adoptTasks } from '../../src/pipeline/adopt-tasks.js';
import { readCompletion, surveyPath, taskDecisionsPath, writeMarker } from '../../src/pipeline/completion.js';
import { decide } from '../../src/pipeline/decide.js';
import type { DecisionRow } from '../../src/pipeline/decisions.js';
import {
  cameTrue,
  corpusCameTrue,
  mayPresume,
  presumedDecisions,
  presumedRow,
  presumptionPath,
} from '../../src/pipeline/presumption.js';
import { RepeatWatch } from '../../src/pipeline/repeat-watch.js';
import { runFolder } from '../../src/pipeline/run-folder.js';
import { runStatus } from '../../src/pipeline/run-status.js';
import type { SurveyRow } from '../../src/pipeline/survey.js';
import { TotalsBuilder } from '../../src/pipeline/task-totals.js';
import { encodeReplyKeys } from '../../src/selection/repeated-replies.js';
import { taskOf } from '../windows/synthetic-run.js';
import { temporaryFolder } from './child-run.js';
import { planOf, surveyedRow } from './plan-of.js';

const LEFT_OUT = { reason: 'decontaminated', detail: 'a benchmark' } as const;

const presumedOf = (rows: readonly SurveyRow[]): DecisionRow[] =>
  rows.flatMap((row, order) => presumedRow(row, order) ?? []);

describe('what is presumed of a task', () => {
  it('is what the whole corpus decides, exactly where no trajectory has an equal', () => {
    const rows = fc.array(
      fc.record({ id: fc.constantFrom(...'abcdefghijklmnop'), out: fc.boolean() }).map(({ id, out }) =>
        // what speaks against a trajectory speaks against its equals
        surveyedRow(id, out ? { id: `x${id}`, left_out: LEFT_OUT } : {}),
      ),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(rows, rows, (first, second) => {
        const plan = planOf({}, { tasks: 2 });
        const surveys = [first, second].map((own, task) => ({ plan_id: plan.plan_id, task, rows: own }));
        const { decisions, tasks } = decide(plan, surveys);
        expect(corpusCameTrue(plan, decisions)).toBe(true);
        const ids = [...first, ...second].map(({ id }) => id);
        const alone = (own: readonly SurveyRow[]) =>
          own.every(({ id }) => ids.filter((each) => each === id).length === 1);
        for (const [task, own] of [first, second].entries()) {
          const decided = tasks[task] ?? { plan_id: '', task, rows: [] };
          if (alone(own)) expect(cameTrue({ rows: presumedOf(own) }, decided)).toBe(true);
          const changed = decided.rows.some(({ reason }) => reason === 'equal_turns');
          if (changed) expect(cameTrue({ rows: presumedOf(own) }, decided)).toBe(false);
        }
      }),
    );
  });

  it('has the mix weights that need no count, and is refuted by those that do', () => {
    const plan = planOf({ mix: { stages: { math: 3 } }, stage: 'math' });
    const { decisions } = decide(plan, [{ plan_id: plan.plan_id, task: 0, rows: [surveyedRow('a')] }]);
    expect(presumedDecisions(plan).weights).toMatchObject([{ stage: 'math', weight: 3 }]);
    expect(decisions.weights).not.toEqual([]);
    expect(corpusCameTrue(plan, decisions)).toBe(true);
    const [weight] = decisions.weights;
    const other = { ...decisions, weights: weight === undefined ? [] : [{ ...weight, weight: 2 }] };
    expect(corpusCameTrue(plan, other)).toBe(false);
  });

  it.each([
    ['plain selection', {}, true],
    ['mix weights', { mix: { stages: { math: 3 } } }, true],
    ['near duplicates', { near_duplicates: {} }, false],
    ['a cap', { caps: { task: 3 } }, false],
    ['shares', { mix: { as: 'share', stages: { math: 1 } } }, false],
    [
      'a quantile',
      { selection: { rules: ['best'], quality: { quantile: 0.5 }, degradation: { threshold: 0.05 } } },
      false,
    ],
  ])('is tried with %s: %s -> %s', (_, options, expected) => {
    expect(mayPresume(planOf(options))).toBe(expected);
  });

  it('is not tried where the corpus gives thresholds', () => {
    const tiers = { task_id: 't', gold: 0.1, silver: 0.2, bronze: 0.3, median: 0.5 };
    const rest = { records: [taskOf(null, { task_id: 't' })], corpus_thresholds: [tiers] };
    expect(mayPresume(planOf({}, rest))).toBe(false);
  });
});

describe('tasks that were built while they were surveyed', () => {
  const plan = planOf({}, { tasks: 1 });
  const { plan_id } = plan;

  function adopt(
    presumed: readonly DecisionRow[],
    decided: readonly DecisionRow[],
    corpus = presumedDecisions(plan),
  ) {
    const folder = runFolder(temporaryFolder());
    mkdirSync(join(folder.staging, 't00000.1-1-a'), { recursive: true });
    const completion = { plan_id, task: 0, parts: [], totals: new TotalsBuilder().toTotals() };
    writeMarker(presumptionPath(folder, 0), { plan_id, rows: presumed, completion });
    writeMarker(taskDecisionsPath(folder, 0), { plan_id, task: 0, rows: decided });
    writeMarker(folder.decisions, corpus);
    adoptTasks(folder, plan, [0]);
    adoptTasks(folder, plan, [0]);
    expect(existsSync(presumptionPath(folder, 0))).toBe(false);
    return { done: readCompletion(folder, 0, plan_id) !== null, attempts: readdirSync(folder.staging) };
  }

  const filtered = presumedOf([surveyedRow('a', { left_out: LEFT_OUT })]);

  it('are done where the corpus decided so', () => {
    expect(adopt([], [])).toEqual({ done: true, attempts: ['t00000.1-1-a'] });
    expect(adopt(filtered, filtered).done).toBe(true);
  });

  it('are named by the status until the corpus has decided', () => {
    const folder = runFolder(temporaryFolder());
    const location = {
      input_root: '/',
      stdin: null,
      adapters: [],
      tokenizer: 'qwen3',
      template: 'qwen3',
      texts: [],
    };
    writeFileSync(folder.plan, JSON.stringify(plan));
    writeFileSync(folder.location, JSON.stringify(location));
    expect(runStatus({ outDir: folder.dir })).toMatchObject({ presumed: 0, owed: [0] });
    const completion = { plan_id, task: 0, parts: [], totals: new TotalsBuilder().toTotals() };
    writeMarker(presumptionPath(folder, 0), { plan_id, rows: [], completion });
    expect(runStatus({ outDir: folder.dir })).toMatchObject({ presumed: 1, completed: 0, owed: [0] });
    writeMarker(taskDecisionsPath(folder, 0), { plan_id, task: 0, rows: [] });
    writeMarker(folder.decisions, presumedDecisions(plan));
    adoptTasks(folder, plan, [0]);
    expect(runStatus({ outDir: folder.dir })).toMatchObject({ presumed: 0, completed: 1, owed: [] });
  });

  it('are dropped, with what they wrote, where it decided otherwise', () => {
    expect(adopt(filtered, [])).toEqual({ done: false, attempts: [] });
    expect(adopt([], filtered)).toEqual({ done: false, attempts: [] });
    const weighed = { ...presumedDecisions(plan), weights: [{ stage: null, source: null, n: 1, weight: 2 }] };
    expect(adopt([], [], weighed)).toEqual({ done: false, attempts: [] });
  });
});

describe('building while surveying', () => {
  const watched = (ids: readonly (readonly string[])[]): boolean =>
    watchedRows(ids.map((own) => own.map((id) => surveyedRow(id))));

  function watchedRows(tasks: readonly SurveyRow[][]): boolean {
    const plan = planOf({}, { tasks: tasks.length });
    const folder = runFolder(temporaryFolder());
    const watch = new RepeatWatch(folder, plan);
    tasks.forEach((rows, task) => {
      writeMarker(surveyPath(folder, task), { plan_id: plan.plan_id, task, rows });
      watch.note(task);
    });
    return watch.presume;
  }

  it('goes on while tasks hold trajectories of their own', () => {
    expect(watched([])).toBe(true);
    expect(watched(Array.from({ length: 20 }, (_, i) => [`a${i}`, `b${i}`]))).toBe(true);
  });

  it('stops where more than a quarter of the tasks repeat others or themselves', () => {
    expect(watched(Array.from({ length: 20 }, (_, i) => [`a${i % 10}`]))).toBe(false);
    expect(watched(Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? ['x', 'x'] : [`a${i}`])))).toBe(false);
    expect(watched(Array.from({ length: 4 }, () => ['same']))).toBe(true);
  });

  it('stops where more than a quarter of the tasks begin as others do', () => {
    const begun = (key: bigint) => ({ replies: encodeReplyKeys(BigUint64Array.of(key, 7n)) });
    const tasks = (every: number) =>
      Array.from({ length: 20 }, (_, i) => [
        surveyedRow(`a${i}`, begun(BigInt(i % every === 0 ? 1 : i + 2))),
      ]);
    expect(watchedRows(tasks(2))).toBe(false);
    expect(watchedRows(tasks(20))).toBe(true);
  });
});
