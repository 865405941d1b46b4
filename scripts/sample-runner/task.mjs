import { join } from 'node:path';
import { callPython } from './python.mjs';

/** What a task record says beside the numbers of a run. */
const RECORDS = {
  'sample-frost-damage': { domain: 'agriculture', problem_type: 'binary classification' },
  'sample-parcel-hours': { domain: 'logistics', problem_type: 'regression' },
  'sample-seed-variety': { domain: 'botany', problem_type: 'multi-class classification' },
};

export const TASK_IDS = Object.keys(RECORDS);

/** 1-based positions of gold, silver and bronze on a leaderboard of n scores, as MLE-bench sets them. */
export function medalPositions(n) {
  const share = (part) => Math.max(1, Math.trunc(part * n));
  if (n < 100) return { gold: share(0.1), silver: share(0.2), bronze: share(0.4) };
  if (n < 250) return { gold: 10, silver: share(0.2), bronze: share(0.4) };
  const gold = 10 + Math.trunc(0.002 * n);
  return n < 1000 ? { gold, silver: 50, bronze: 100 } : { gold, silver: share(0.05), bronze: share(0.1) };
}

/** Thresholds of a leaderboard in rank order. */
export function thresholdsOf(scores) {
  const position = medalPositions(scores.length);
  const middle = scores.length / 2;
  const median =
    scores.length % 2 === 1 ? scores[Math.floor(middle)] : (scores[middle - 1] + scores[middle]) / 2;
  return {
    gold: scores[position.gold - 1],
    silver: scores[position.silver - 1],
    bronze: scores[position.bronze - 1],
    median,
  };
}

export function medalOf(score, { thresholds, is_lower_better }) {
  const reaches = (tier) => (is_lower_better ? score <= thresholds[tier] : score >= thresholds[tier]);
  return ['gold', 'silver', 'bronze'].find(reaches) ?? 'none';
}

/** Place on the board if the score were handed in: ties take the best shared place. */
export function positionOf(score, { board, is_lower_better }) {
  const better = board.filter((entry) => (is_lower_better ? entry.score < score : entry.score > score));
  return better.length + 1;
}

/** SandMLE's sanity rule: thresholds strictly ordered, and the strongest beats the sample submission. */
export function checkSanity({ task_id, thresholds, is_lower_better, sample_submission_score }) {
  const better = (a, b) => (is_lower_better ? a < b : a > b);
  const chain = [thresholds.gold, thresholds.silver, thresholds.bronze, thresholds.median];
  const ordered = chain.every((value, i) => i === 0 || better(chain[i - 1], value));
  if (!ordered || !chain.every((value) => better(value, sample_submission_score))) {
    throw new Error(`sample-runner: thresholds of ${task_id} are not sane: ${chain.join(', ')}`);
  }
}

/** Draws a task into `folder`, runs its baselines and grades them: facts, leaderboard and task record. */
export function makeTask({ python, task_id, folder }) {
  const facts = callPython(python, 'make_task.py', [task_id, folder]);
  const answers = join(folder, 'private', 'answers.csv');
  const grade = (submission) => callPython(python, 'grade.py', [task_id, submission, answers]);
  const sample = grade(join(folder, 'public', 'sample_submission.csv'));
  const board = callPython(python, 'baselines.py', [task_id, folder]);
  const record = {
    task_id,
    aliases: [],
    family: task_id,
    origin: 'synthetic',
    metric: facts.metric,
    is_lower_better: facts.is_lower_better,
    thresholds: thresholdsOf(board.map((entry) => entry.score)),
    threshold_source: 'baselines',
    sample_submission_score: sample.score,
    n_teams: board.length,
    split: null,
    domain: RECORDS[task_id].domain,
    modality: 'tabular',
    problem_type: RECORDS[task_id].problem_type,
    licence: 'Apache-2.0',
    provenance: 'made by scripts/sample-runner',
  };
  checkSanity(record);
  return { ...facts, ...record, record, board, folder, grade, public: join(folder, 'public') };
}
