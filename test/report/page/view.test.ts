import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/browser/report/facts.js';
import { type Filters, NO_FILTERS, viewMaker } from '../../../src/browser/report/view.js';
import { reportTables } from '../../../src/report/page/report-data.js';
import type { ReportFacts } from '../../../src/report/page/report-facts.js';
import { corpusStats, STATS_SECTIONS } from '../../../src/report/stats/corpus-stats.js';
import type { RunFact } from '../../../src/report/stats/facts.js';
import type { Figure } from '../../../src/report/stats/figure.js';
import { syntheticFacts } from './synthetic.js';

const all = syntheticFacts({ trajectories: 120, tasks: 6 });

/** What the page computes, from the very text that it carries. */
function pageFigures(facts: ReportFacts, filters: Partial<Filters>, limit?: number): Figure[] {
  const data = JSON.parse(JSON.stringify({ ...reportTables(facts, limit), policy: [] }));
  const view = viewMaker(data, readFacts(data))({ ...NO_FILTERS, ...filters });
  return STATS_SECTIONS.flatMap(({ name }) => view.figuresOf(name));
}

/** The statistics of the part of a corpus that a test lets through, without the code of the page. */
function statsOf({ facts }: ReportFacts, isOwn: (run: RunFact) => boolean): Figure[] {
  const ids = new Set(facts.runs.filter(isOwn).map((run) => run.trajectory_id));
  const own = <T extends { readonly trajectory_id: string }>(rows: readonly T[]): T[] =>
    rows.filter((row) => ids.has(row.trajectory_id));
  return corpusStats({
    runs: own(facts.runs),
    trajectories: own(facts.trajectories),
    prefixes: own(facts.prefixes),
    rejects: {},
    tasks: facts.tasks,
  });
}

describe('the figures of the page', () => {
  it('equal those of trajmill stats, to the last digit, without a filter', () => {
    const figures = pageFigures(all, {});
    expect(figures).toEqual(corpusStats(all.facts));
    expect(new Set(figures.map(({ section }) => section))).toEqual(
      new Set(STATS_SECTIONS.map(({ name }) => name)),
    );
  });

  it('equal those of the part of the corpus that a filter lets through', () => {
    expect(pageFigures(all, { task: 'task-1' })).toEqual(statsOf(all, (run) => run.task_id === 'task-1'));
    expect(pageFigures(all, { model: 'model-2', scaffold: 'scaffold 0' })).toEqual(
      statsOf(all, (run) => run.model === 'model-2' && run.scaffold === 'scaffold 0'),
    );
  });

  it('know a trajectory by the best outcome of its windows, or by any of them', () => {
    const small = syntheticFacts({ trajectories: 60, executions: 2 });
    const outcomes = (run: RunFact): string[] => run.windows.map(({ outcome }) => outcome);
    expect(pageFigures(small, { outcome: 'best:silver' })).toEqual(
      statsOf(small, (run) => outcomes(run).includes('silver') && !outcomes(run).includes('gold')),
    );
    expect(pageFigures(small, { outcome: 'any:error' })).toEqual(
      statsOf(small, (run) => outcomes(run).includes('error')),
    );
    expect(pageFigures(small, { outcome: 'best:error' })).toEqual(
      statsOf(small, (run) => outcomes(run).every((outcome) => outcome === 'error')),
    );
  });

  it('count rejected records under the unknown task, unless they became a trajectory', () => {
    const [first] = all.trajectories;
    if (first === undefined) throw new Error('no trajectories');
    const { trajectory_id, source_path } = first;
    const reject = {
      ...(all.rejects?.[0] ?? never()),
      code: 'no_turns' as const,
      trajectory_id,
      source: source_path,
    };
    const facts: ReportFacts = {
      ...all,
      trajectories: [{ ...first, decision: 'rejected', reason: 'no_turns' }, ...all.trajectories.slice(1)],
      rejects: [reject, ...(all.rejects ?? [])],
    };
    const rejectedOf = (filters: Partial<Filters>) =>
      pageFigures(facts, filters)
        .filter(({ section, key }) => section === 'funnel' && key === 'rejected')
        .map(({ figure, value, n }) => [figure, Math.round((value ?? 0) * n)]);
    expect(rejectedOf({ task: first.task_id })).toEqual([['no_turns', 1]]);
    expect(rejectedOf({ task: 'unknown' })).toEqual([['torn_line', 2]]);
  });

  it('stay those of the whole corpus where the page holds a sample of it', () => {
    const { sample, tables } = reportTables(all, 50);
    expect(sample?.of).toBe(120);
    expect(tables.trajectories.n).toBe(50);
    expect(tables.runs.n).toBe(50);
    expect(pageFigures(all, {}, 50)).toEqual(corpusStats(all.facts));
    const ids = all.trajectories.map((row) => row.trajectory_id).sort();
    const kept = new Set(ids.slice(0, 50));
    expect(pageFigures(all, { task: 'task-1' }, 50)).toEqual(
      statsOf(all, (run) => run.task_id === 'task-1' && kept.has(run.trajectory_id)),
    );
  });
});

function never(): never {
  throw new Error('no rejects');
}
