import type { TaskRecord } from '../grading/task-record.js';
import type { Trajectory } from '../trajectory/trajectory.js';

/** What to do with trajectories whose turns are equal. */
export const DUPLICATE_CHOICES = ['drop', 'drop-later', 'keep'] as const;
export type DuplicateChoice = (typeof DUPLICATE_CHOICES)[number];

/**
 * How much is known of a log beside the turns, by which equal trajectories are compared: executions with a graded
 * submission, finite scores, its task (1 for its name, 2 for its record), turns with the policy's recorded tokens, and
 * whether it says how the run ended.
 */
export type Riches = [graded: number, scores: number, task: number, policy: number, ended: number];

const NAMES = [
  'graded executions',
  'scores',
  'task (1 by name, 2 with a record)',
  'turns with recorded tokens',
  'known end',
] as const;

/** `found` is the task as resolved: without its record no score is worth anything. */
export function richesOf(
  { submissions, turns, termination, resolved }: Trajectory,
  found: { readonly task: TaskRecord | null; readonly task_id: string | null },
): Riches {
  const scored = submissions.filter(({ score, stale }) => score !== null && Number.isFinite(score) && !stale);
  const graded = new Set(
    scored.flatMap(({ gradable, execution_id: id }) => (gradable && id !== null ? [id] : [])),
  );
  const policy = turns.filter((turn) => turn.policy !== null).length;
  const task = found.task !== null ? 2 : found.task_id !== null ? 1 : 0;
  const ended = termination === 'unknown' && resolved === null ? 0 : 1;
  return [graded.size, scored.length, task, policy, ended];
}

/** One of several equal trajectories. */
export interface EqualRun {
  readonly riches: Readonly<Riches> | null;
  /** its task refuses it */
  readonly rejected: boolean;
}

/**
 * The index of the one that stands for all, and what it has more of than the others: no rejected one while there is
 * another, then the richest, then the first.
 */
export function survivorOf(runs: readonly EqualRun[]): number {
  let best = 0;
  runs.forEach((run, index) => {
    const before = runs[best];
    if (before !== undefined && compare(run, before) > 0) best = index;
  });
  return best;
}

function compare(a: EqualRun, b: EqualRun): number {
  if (a.rejected !== b.rejected) return a.rejected ? -1 : 1;
  const at = firstDifference(a, b);
  return at === -1 ? 0 : (a.riches?.[at] ?? 0) - (b.riches?.[at] ?? 0);
}

const firstDifference = (a: EqualRun, b: EqualRun): number =>
  NAMES.findIndex((_, i) => (a.riches?.[i] ?? 0) !== (b.riches?.[i] ?? 0));

/** Why one stands for another, as the end of a sentence. */
export function whyItStands(survivor: EqualRun, other: EqualRun): string {
  if (survivor.rejected !== other.rejected) return 'its task does not refuse it';
  const at = firstDifference(survivor, other);
  if (at === -1) return 'first in plan order';
  return `${NAMES[at]}: ${survivor.riches?.[at] ?? 0} there, ${other.riches?.[at] ?? 0} here`;
}
