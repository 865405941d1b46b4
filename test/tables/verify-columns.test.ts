import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeManifest } from '../../src/tables/manifest.js';
import type { ExecutionRow, SftRow, TrajectoryRow, WindowRow } from '../../src/tables/table-specs.js';
import { verifyCorpus } from '../../src/tables/verify.js';
import { type CorpusRows, lineage, rlRow, secondWindow, sftRow, windowRow, writeCorpus } from './corpus.js';
import { temporaryFolder } from './temporary.js';

const folder = temporaryFolder();
let corpora = 0;

function execution(change: Partial<ExecutionRow> = {}): ExecutionRow {
  return {
    ...lineage,
    execution_id: 'e0',
    order: 0,
    call_turn: 2,
    feedback_turn: 3,
    kind: 'experiment',
    status: 'ok',
    exit_code: 0,
    seconds: 1,
    submitted: true,
    gradable: true,
    score_test: 0.25,
    score_validation: null,
    score_self_reported: null,
    medal: null,
    parent_execution: null,
    invalidated: false,
    ...change,
  };
}

function trajectory(change: Partial<TrajectoryRow> = {}): TrajectoryRow {
  return {
    ...lineage,
    byte_start: 0,
    byte_end: 1,
    sha256: 'x',
    n_turns: 5,
    n_calls: 1,
    n_executions: 1,
    n_submissions: 1,
    first_score: 0.25,
    best_score: 0.25,
    last_score: 0.25,
    termination: 'submitted',
    feedback_exposes_test_score: false,
    stage: null,
    source: null,
    decision: 'kept',
    reason: null,
    duplicate_of: null,
    detail: null,
    ...change,
  };
}

const duplicate = (change: Partial<TrajectoryRow> = {}): TrajectoryRow =>
  trajectory({
    source_path: 'b.jsonl',
    decision: 'duplicate',
    reason: 'equal_turns',
    duplicate_of: 't',
    ...change,
  });

/** Two rows of one kept run, one anchored turn before its last, and an equal run that was left out. */
const GOOD = {
  sft: [sftRow({ cut_turns: 1 }), sftRow({ row_id: 'r1', cut_turns: 1 })],
  rl: [rlRow()],
  windows: [windowRow(), secondWindow()],
  executions: [execution()],
  trajectories: [trajectory(), duplicate()],
} satisfies CorpusRows;

interface Counts {
  readonly kept: number;
  readonly filtered: number;
  readonly duplicates: number;
  readonly rejected: number;
}

async function failuresOf(rows: CorpusRows, counts?: Partial<Counts>): Promise<string[]> {
  const dir = join(folder, `${corpora++}`);
  const files = await writeCorpus(dir, rows);
  if (counts !== undefined) {
    const manifest = makeManifest({ plan_id: 'plan', tool_version: '0', files, rejects: {}, counts });
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest));
  }
  const { checks } = await verifyCorpus(dir);
  return checks.flatMap(({ name, failures }) => failures.map(({ message }) => `${name}: ${message}`));
}

const failure = (message: string): string[] => [`columns: ${message}`];

describe('columns that say the same thing', () => {
  it('agree in a good corpus, with the counts of its manifest', async () => {
    expect(await failuresOf(GOOD, { kept: 1, filtered: 0, duplicates: 1, rejected: 3 })).toEqual([]);
  });

  const sft = (change: Partial<SftRow>): CorpusRows => ({
    ...GOOD,
    sft: [sftRow({ cut_turns: 1 }), sftRow({ row_id: 'r1', cut_turns: 1, ...change })],
  });

  it.each<[Partial<SftRow>, string]>([
    [{ n_turns: 3 }, 'n_turns is 3, messages holds 2'],
    [{ messages: '{}' }, 'n_turns is 2, messages holds null'],
    [{ weight: -1 }, 'weight is -1'],
    [{ anchor_turn: -1 }, 'anchor_turn is -1, cut_turns 1'],
    [{ cut_turns: 2 }, '2 turns are cut behind anchor_turn 3, its trajectory has 5'],
    [{ anchor_turn: 4 }, '1 turns are cut behind anchor_turn 4, its trajectory has 5'],
    [{ off_path_turns: 1 }, '1 turns and 0 tokens are off the path of a chronological prefix'],
    [{ prefix: 'lineage', off_path_turns: -1 }, 'off_path_turns is -1, off_path_tokens 0'],
    [{ anchor_turn: 1, prefix: 'lineage', off_path_turns: 2 }, 'off_path_turns is 2 before anchor_turn 1'],
    [
      { prefix: 'lineage', off_path_turns: 3 },
      'n_turns 2, cut_turns 1 and off_path_turns 3 are more than the 5 turns of its trajectory',
    ],
    [{ anchor_score: 0.5 }, 'anchor_score 0.5 is no test score of its executions'],
    [{ score_scale: 'validation' }, 'anchor_score 0.25 is no validation score of its executions'],
    [{ score_scale: null }, 'anchor_score is 0.25, score_scale null'],
    [{ anchor_score: null, score_scale: null, medal: null }, 'anchor_score is null under the rules best'],
    [{ rules: ['whole'] }, 'anchor_score is 0.25 under the rules whole'],
    [{ rules: ['whole'], anchor_score: null, score_scale: null }, 'medal is none without anchor_score'],
    [{ task_id: 'other' }, 'task_id is other, that of its trajectory null'],
    [{ trajectory_id: 'u' }, 'its trajectory is not kept in table trajectories'],
  ])('of a supervised row with %j do not', async (change, message) => {
    expect(await failuresOf(sft(change))).toEqual(failure(message));
  });

  it('of a supervised row may have a score that no single execution has, where its flags say so', async () => {
    expect(await failuresOf(sft({ anchor_score: 0.5, flags: ['anchor_without_execution'] }))).toEqual([]);
  });

  it('have one weight for each stage and source', async () => {
    const [message = '', ...others] = await failuresOf(sft({ weight: 2 }));
    expect(others).toEqual([]);
    expect(message).toMatch(
      /^columns: weight is 2, in .* row 0 \(row_id r0\) of the same stage and source 1$/,
    );
    expect(await failuresOf(sft({ weight: 2, source: 'dojo' }))).toEqual([]);
  });

  it.each<[Partial<TrajectoryRow>, string]>([
    [{ n_turns: 1 }, 'n_turns is 2, its trajectory has 1 turns'],
    [{ n_executions: 2 }, 'n_executions is 2, table executions has 1'],
    [{ reason: 'no_rule' }, 'decision is kept, reason no_rule'],
    [{ duplicate_of: 't' }, 'decision is kept, duplicate_of t'],
    [{ last_score: null }, 'first_score is 0.25, best_score 0.25, last_score null'],
    [{ first_score: null, last_score: null }, 'first_score is null, best_score 0.25, last_score null'],
    [{ n_submissions: 0 }, 'first_score is 0.25 without submissions'],
  ])('of a trajectory with %j do not', async (change, message) => {
    const found = await failuresOf({ ...GOOD, trajectories: [trajectory(change), duplicate()] });
    expect([...new Set(found)]).toContain(`columns: ${message}`);
  });

  it.each<[string, Partial<TrajectoryRow>, string]>([
    ['filtered', { decision: 'filtered', reason: 'no_rule' }, 'is filtered, but table sft holds 2 rows'],
    [
      'rejected',
      { decision: 'rejected', reason: 'x' },
      'decision is rejected, but other tables hold 5 rows of it',
    ],
    ['filtered for nothing', { decision: 'filtered', reason: 'whim' }, 'reason whim is none of filtered'],
    ['filtered without a reason', { decision: 'filtered' }, 'decision is filtered, reason null'],
  ])('of a run that has rows but is %s do not', async (_, change, message) => {
    const found = await failuresOf({ ...GOOD, trajectories: [trajectory(change)] });
    expect(found).toContain(`columns: ${message}`);
  });

  it('of a kept run without any row do not', async () => {
    const lone = trajectory({ trajectory_id: 'u', n_executions: 0 });
    expect(await failuresOf({ ...GOOD, trajectories: [...GOOD.trajectories, lone] })).toEqual(
      failure('is kept, but gave no row'),
    );
  });

  it.each<[Partial<TrajectoryRow>, string]>([
    [{ duplicate_of: 'nobody' }, 'duplicate_of nobody, of which no row stands'],
    [{ duplicate_of: null }, 'decision is duplicate, duplicate_of null'],
    [{ reason: 'no_rule' }, 'reason no_rule is none of duplicate'],
    [{ trajectory_id: 'u', duplicate_of: 'u' }, 'duplicate_of u, of which no row stands'],
  ])('of a duplicate with %j do not', async (change, message) => {
    expect(await failuresOf({ ...GOOD, trajectories: [trajectory(), duplicate(change)] })).toEqual(
      failure(message),
    );
  });

  it.each<[Partial<Counts>, string]>([
    [{ kept: 2 }, 'counts 2 kept, table trajectories has 1 kept'],
    [{ filtered: 1 }, 'counts 1 filtered, table trajectories has 0 filtered'],
    [{ duplicates: 0 }, 'counts 0 duplicates, table trajectories has 1 duplicate'],
  ])('of a manifest that counts %j do not', async (counts, message) => {
    expect(await failuresOf(GOOD, counts)).toEqual(failure(message));
  });

  it.each<[string, Partial<WindowRow>, string]>([
    ['that is not there', { parent_window: 'w7' }, 'parent_window w7 is not there'],
    ['of another run', { parent_window: 'w0', source_path: 'b.jsonl' }, 'parent_window w0 is of another run'],
  ])('of a window with a parent %s do not', async (_, change, message) => {
    expect(await failuresOf({ rl: [rlRow()], windows: [windowRow(), secondWindow(change)] })).toEqual(
      failure(message),
    );
    const good = secondWindow({ parent_window: 'w0' });
    expect(await failuresOf({ rl: [rlRow()], windows: [windowRow(), good] })).toEqual([]);
  });
});
