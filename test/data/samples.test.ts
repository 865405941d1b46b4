import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaderboardThresholds, medalOf } from '../../src/grading/medals.js';
import { sanityReport } from '../../src/grading/sanity.js';
import { parseTaskFile } from '../../src/grading/task-file.js';
import {
  DATA_DIR,
  logPaths,
  readBoards,
  readFacts,
  readLog,
  scoresOf,
  sessionNamed,
  sessionsOf,
  submissionsOf,
} from './samples.js';

const facts = readFacts(DATA_DIR);
const boards = readBoards(DATA_DIR);
const tasksFile = join(DATA_DIR, 'tasks', 'samples.json');
const tasks = parseTaskFile(readFileSync(tasksFile, 'utf8'), tasksFile);

/** All that the samples are there to show. */
const COVERED = [
  'below_medal',
  'best_only_in_sidecar',
  'bronze',
  'cut',
  'degraded_tail',
  'direction_contradiction',
  'first_try_error',
  'gold',
  'improvement',
  'lower_is_better',
  'missing_submission',
  'never_submits',
  'reasoning',
  'recovery',
  'repeat',
  'secret_canary',
  'shell_only',
  'silver',
  'stale_submission',
  'timeout',
  'tree',
  'unparseable_submission',
  'wrong_length',
];

describe('sample tasks', () => {
  it.each(tasks)('$task_id has the thresholds of its own leaderboard', (task) => {
    const scores = (boards[task.task_id] ?? []).map((entry) => entry.score);
    const derived = leaderboardThresholds(scores);
    expect(derived.sorted).toBe(true);
    expect(task).toMatchObject({
      thresholds: derived.thresholds,
      is_lower_better: derived.is_lower_better,
      n_teams: derived.n_teams,
    });
    expect(facts.tasks[task.task_id]).toEqual(task);
  });

  it.each(tasks)('$task_id obeys the sanity rule', (task) => {
    expect(sanityReport(task)).toEqual({ violations: [], sample: 'ok', verdict: 'ok' });
  });

  it('has both directions and both kinds of leaderboard size', () => {
    expect(new Set(tasks.map((task) => task.is_lower_better))).toEqual(new Set([true, false]));
    expect(tasks.map((task) => (task.n_teams ?? 0) < 100)).toContain(true);
    expect(tasks.map((task) => (task.n_teams ?? 0) < 100)).toContain(false);
  });
});

describe('sample logs', () => {
  it('are exactly the files that the facts name, and stay small', () => {
    expect(facts.files.map((file) => file.path).sort()).toEqual(logPaths());
    const bytes = logPaths().reduce((sum, path) => sum + Buffer.byteLength(readLog(path)), 0);
    expect(bytes).toBeLessThan(600_000);
  });

  it('show everything that they are there for', () => {
    expect(Object.keys(facts.coverage)).toEqual(expect.arrayContaining(COVERED));
  });

  it.each(logPaths())('%s speaks of no machine', (path) => {
    const text = readLog(path);
    expect(text).not.toMatch(/\/tmp\/|\/root\/|\/home\/|\/Users\/|\/var\/folders|sample-runner/);
  });

  it.each(sessionsOf(facts))('$name has medals that follow from its task record', (session) => {
    const task = facts.tasks[session.task_id];
    for (const submission of submissionsOf(session)) {
      expect(submission.outcome === 'graded').toBe(submission.score_test !== null);
      expect(submission.medal).toBe(task === undefined ? null : medalOf(submission.score_test, task));
    }
  });
});

describe('what the samples claim to show', () => {
  it.each(['gold', 'silver', 'bronze'])('%s is reached wherever it is claimed', (tier) => {
    for (const name of facts.coverage[tier] ?? []) {
      const medals = submissionsOf(sessionNamed(facts, name)).map((submission) => submission.medal);
      expect(medals, name).toContain(tier);
    }
  });

  it.each(facts.coverage['degraded_tail'] ?? [])('%s falls by more than 5%% of the span', (name) => {
    const session = sessionNamed(facts, name);
    const task = facts.tasks[session.task_id];
    const { gold, median } = task?.thresholds ?? { gold: null, median: null };
    const scores = scoresOf(session).map((score) => (task?.is_lower_better ? -score : score));
    const drop = Math.max(...scores) - (scores.at(-1) ?? Number.NaN);
    expect(drop / Math.abs((gold ?? 0) - (median ?? 0))).toBeGreaterThan(0.05);
  });

  it.each(facts.coverage['repeat'] ?? [])('%s gets the same score twice in a row', (name) => {
    const scores = scoresOf(sessionNamed(facts, name));
    expect(scores.some((score, i) => i > 0 && score === scores[i - 1])).toBe(true);
  });

  it.each(facts.coverage['first_try_error'] ?? [])('%s fails first', (name) => {
    const session = sessionNamed(facts, name);
    const first = session.executions.find((execution) => execution.kind === 'experiment');
    expect(first?.status).toBe('error');
    expect(session.executions.some((execution) => execution.status === 'ok')).toBe(true);
  });

  it.each(facts.coverage['timeout'] ?? [])('%s runs into its limit', (name) => {
    const stopped = sessionNamed(facts, name).executions.filter((one) => one.status === 'timeout');
    expect(stopped.length).toBeGreaterThan(0);
    for (const one of stopped) expect(one.seconds).toBeGreaterThanOrEqual(3);
  });

  it.each([
    ['missing_submission', /not found/],
    ['wrong_length', /expected \d+ rows, found \d+/],
    ['unparseable_submission', /unknown label/],
  ])('%s is refused by the grader for that reason', (tag, reason) => {
    const names = facts.coverage[tag] ?? [];
    expect(names).not.toEqual([]);
    for (const name of names) {
      const errors = submissionsOf(sessionNamed(facts, name)).map((submission) => submission.error ?? '');
      expect(
        errors.some((error) => reason.test(error)),
        name,
      ).toBe(true);
    }
  });

  it('never_submits hands nothing in', () => {
    for (const name of facts.coverage['never_submits'] ?? []) {
      expect(submissionsOf(sessionNamed(facts, name))).toEqual([]);
    }
  });

  it('the shell sessions resolve their issues', () => {
    const resolved = (facts.coverage['shell_only'] ?? []).map((name) => sessionNamed(facts, name).resolved);
    expect(resolved).toEqual([true, true]);
  });

  it('one row stands in two files, one file ends inside its last line', () => {
    const [first, second] = ['rollouts-1.jsonl', 'rollouts-2.jsonl'].map((name) =>
      readLog(`logs/openai-messages/${name}`).split('\n'),
    );
    expect(second?.filter((line) => first?.includes(line) && line !== '')).toHaveLength(1);
    expect(() => JSON.parse(second?.at(-1) ?? '')).toThrow(SyntaxError);
    expect(second?.slice(0, -1).map((line) => typeof JSON.parse(line))).toEqual([
      'object',
      'object',
      'object',
    ]);
  });

  it('one log claims the wrong direction', () => {
    const path = 'logs/aide-journal/sample-frost-damage/frost-aide-wrong-direction/journal.json';
    expect(readLog(path)).toContain('"maximize": false');
    expect(facts.tasks['sample-frost-damage']?.is_lower_better).toBe(false);
  });

  it('the canaries stand in one file and have the shape of secrets', () => {
    const holders = logPaths().filter((path) => /AKIA[A-Z0-9]{16}|hf_[A-Za-z0-9]{30,}/.test(readLog(path)));
    expect(holders).toEqual(['logs/openai-messages/rollouts-2.jsonl']);
    expect(readLog(holders[0] ?? '')).toMatch(/AKIA[A-Z0-9]{16}[\s\S]*hf_[A-Za-z0-9]{30,}/);
  });
});

describe('scores in the logs', () => {
  it.each([
    ['mle-dojo', /"raw_score": ([\d.]+)/g, (path: string) => path.endsWith('env_history.json')],
    ['rllm-episode', /score_primary [^"]*\\":([\d.]+)/g, (path: string) => path.endsWith('.json')],
    ['openai-messages', /\\"score\\":([\d.]+)/g, (path: string) => path.endsWith('-1.jsonl')],
    ['atif', /\\"score\\":([\d.]+)/g, (path: string) => path.endsWith('.json')],
  ])("of %s are all the grader's", (format, pattern, wanted) => {
    const paths = logPaths().filter((path) => path.startsWith(`logs/${format}/`) && wanted(path));
    expect(paths).not.toEqual([]);
    const graded = new Set(sessionsOf(facts).flatMap((one) => submissionsOf(one).map((s) => s.score_test)));
    const found = paths.flatMap((path) =>
      [...readLog(path).matchAll(pattern)].map((match) => Number(match[1])),
    );
    expect(found.length).toBeGreaterThan(0);
    for (const score of found) expect(graded).toContain(score);
  });
});
