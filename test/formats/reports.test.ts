import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reportVerdicts } from '../../src/formats/swebench-outcome.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { realLog } from './adapter-context.js';
import { folderWith, onlyReject, onlyTrajectory, readAll, readFiles } from './read-all.js';

const INSTANCE = 'pydantic__pydantic.acb0f10f.pr_8316';

describeWithShared('a real SWE-bench report', () => {
  const traj = () => readFileSync(sharedFile('logs/swe_agent_traj/swesmith_pydantic_pr_8316.traj'), 'utf8');
  const flat = () => realLog('swebench_eval_report', 'swesmith_pydantic_pr_8316_report.json');
  const ofRun = () => realLog('swebench_eval_report', 'swesmith_run_report.json');

  it('is joined to the run that bears its name: resolved counts, though the patch did not apply', async () => {
    const run = onlyTrajectory(await readFiles({ 'a.traj': traj(), 'a_report.json': flat() }));
    expect(run.resolved).toBe(true);
    expect(run.flags).toContain('resolved_although_patch_not_applied');
    expect(run.source.sidecars).toMatchObject([{ path: 'a_report.json', role: 'swebench_report' }]);
  });

  it('is joined by instance, nested or as lists of a run', async () => {
    const run = onlyTrajectory(
      await readFiles({ 'a.traj': traj(), 'report.json': { [INSTANCE]: flat(), other: flat() } }),
    );
    expect([run.task_id, run.resolved]).toEqual([INSTANCE, true]);
    const listed = onlyTrajectory(await readFiles({ 'a.traj': traj(), 'results.json': ofRun() }));
    expect(listed.resolved).toBe(true);
    const failed = { ids_resolved: [], ids_unresolved: [INSTANCE] };
    expect(onlyTrajectory(await readFiles({ 'a.traj': traj(), 'results.json': failed })).resolved).toBe(
      false,
    );
  });

  it('that contradicts another decides nothing', async () => {
    const failed = { ids_resolved: [], ids_unresolved: [INSTANCE] };
    const run = onlyTrajectory(
      await readFiles({ 'a.traj': traj(), 'results.json': failed, 'a_report.json': flat() }),
    );
    expect(run.resolved).toBeNull();
    expect(run.flags).toContain('reports_contradict');
  });

  it('of another run is left alone', async () => {
    const files = { 'a.traj': traj(), 'b.traj': traj(), 'b_report.json': flat() };
    expect(onlyTrajectory(await readFiles(files)).resolved).toBeNull();
    expect(await readAll({ root: folderWith(files), path: 'b_report.json' })).toEqual([
      { kind: 'sidecar', path: 'b_report.json', of: 'b.traj' },
    ]);
  });

  it('is joined to mini-swe-agent too', async () => {
    const name = 'sqlfluff-2419_deepseek-chat_run1.traj.json';
    const log = realLog('mini_swe_agent_traj', name);
    const verdict = { resolved_ids: [log.instance_id], unresolved_ids: [] };
    const run = onlyTrajectory(await readFiles({ [name]: log, 'report.json': verdict }));
    expect(run.resolved).toBe(true);
  });

  it('alone holds no trajectory', async () => {
    for (const report of [flat(), ofRun(), { [INSTANCE]: flat() }]) {
      const reject = onlyReject(await readFiles({ 'report.json': report }));
      expect([reject.code, reject.message]).toEqual([
        'not_a_trajectory',
        expect.stringMatching(/^looks like a SWE-bench/),
      ]);
    }
  });
});

it('reads verdicts of every shape, and of nothing else', () => {
  expect(reportVerdicts({ resolved: false, tests_status: {} })).toEqual(
    new Map([[null, { resolved: false, flags: [] }]]),
  );
  for (const other of [{}, [], null, { resolved: true }, { a: { resolved: true } }]) {
    expect(reportVerdicts(other)).toBeNull();
  }
});

const node = (step: number, metric: number) => ({
  step,
  id: `n${step}`,
  plan: 'p',
  code: 'x',
  _term_out: [],
  exec_time: 1,
  exc_type: null,
  is_buggy: false,
  metric: { value: metric, maximize: false },
});
const JOURNAL = { nodes: [node(0, 1), node(1, 0.5)], node2parent: {}, __version: '2' };

const grade = (rest: Record<string, unknown> = {}) => ({
  competition_id: 'stanford-covid-vaccine',
  score: 0.36,
  gold_threshold: 0.34728,
  silver_threshold: 0.35175,
  bronze_threshold: 0.3534,
  median_threshold: 0.363095,
  submission_exists: true,
  valid_submission: true,
  is_lower_better: true,
  ...rest,
});

describe('an MLE-bench grade', () => {
  it('beside a run is the test score of its final submission', async () => {
    const run = onlyTrajectory(await readFiles({ 'journal.json': JOURNAL, 'grade.json': grade() }));
    expect(run.submissions.at(-1)).toMatchObject({
      execution_id: null,
      score: 0.36,
      scale: 'test',
      grader: 'mle-bench',
      gradable: true,
    });
    expect(run.submissions.map(({ scale }) => scale)).toEqual(['self_reported', 'self_reported', 'test']);
    expect(run.task_id).toBe('stanford-covid-vaccine');
    expect(run.task_claims).toMatchObject({ gold: 0.34728, median: 0.363095, is_lower_better: true });
    expect(run.flags).toContain('grade_joined');
    expect(run.feedback_exposes_test_score).toBe(false);
  });

  it('of another direction contradicts the run', async () => {
    const run = onlyTrajectory(
      await readFiles({ 'journal.json': JOURNAL, 'grade.json': grade({ is_lower_better: false }) }),
    );
    expect(run.task_claims?.is_lower_better).toBeNull();
    expect(run.flags).toContain('direction_inconsistent');
  });

  it('that is invalid, or has no finite score, cannot be graded', async () => {
    const invalid = onlyTrajectory(
      await readFiles({
        'journal.json': JOURNAL,
        'grade.json': grade({ score: null, valid_submission: false }),
      }),
    );
    expect(invalid.submissions.at(-1)).toMatchObject({ gradable: false, score: null });
    const text = JSON.stringify(grade()).replace('0.36,', 'NaN,');
    const strange = onlyTrajectory(await readFiles({ 'journal.json': JOURNAL, 'grading_report.json': text }));
    expect(strange.submissions.at(-1)).toMatchObject({ gradable: false, flags: ['valid_without_score'] });
  });

  it('of many competitions counts for the one that the path names', async () => {
    const report = { competition_reports: [grade(), grade({ competition_id: 'other', score: 9 })] };
    const files = { 'stanford-covid-vaccine_journal.json': JOURNAL, 'grading_report.json': report };
    expect(onlyTrajectory(await readFiles(files)).submissions.at(-1)?.score).toBe(0.36);
    const unnamed = onlyTrajectory(
      await readFiles({ 'journal.json': JOURNAL, 'grading_report.json': report }),
    );
    expect(unnamed.submissions).toHaveLength(2);
    expect(unnamed.flags).toContain('grade_of_other_competition');
  });

  it('is the sidecar of a run, and alone no trajectory', async () => {
    const files = { 'grade.json': grade(), 'journal.json': JOURNAL };
    expect(await readFiles(files)).toEqual([{ kind: 'sidecar', path: 'grade.json', of: 'journal.json' }]);
    const reject = onlyReject(await readFiles({ 'grade.json': grade() }));
    expect([reject.code, reject.message]).toEqual([
      'not_a_trajectory',
      expect.stringMatching(/^looks like an MLE-bench/),
    ]);
  });
});
