import { experimentsOf } from '../grading/experiments.js';
import { type ValidSubmission, validSubmissions } from '../grading/valid-submissions.js';
import type { Execution, ScoreScale } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { SelectionFlag } from './flags.js';
import type { SelectionOptions } from './options.js';
import type { NotKept } from './rule.js';

/** What the scored rules choose from. */
export interface Candidates {
  /** in the order of their calls */
  readonly experiments: readonly Execution[];
  /** submissions that may be anchors, in time of observation */
  readonly submissions: readonly ValidSubmission[];
  readonly flags: readonly SelectionFlag[];
}

/** The submissions of a run that count on the chosen scale; those of invalidated executions only by option. */
export function candidatesOf(trajectory: Trajectory, options: SelectionOptions): Candidates | NotKept {
  const experiments = experimentsOf(trajectory);
  if (experiments.length === 0 && trajectory.submissions.length === 0) {
    const bare = trajectory.flags.includes('no_experiment_boundary');
    return bare
      ? { reason: 'no_experiment_boundary', detail: 'the scaffold marks no experiments and none are named' }
      : { reason: 'no_execution', detail: 'no experiment was launched' };
  }
  const { list, skipped } = validSubmissions(trajectory, options.score_scale);
  const flags = new Set<SelectionFlag>();
  for (const why of skipped.values()) if (why !== 'call_truncated') flags.add(why);
  const allowed = list.filter(
    ({ execution }) => options.invalidated_anchors || execution?.invalidated !== true,
  );
  if (allowed.length < list.length) flags.add('invalidated_skipped');
  if (allowed.length > 0) return { experiments, submissions: allowed, flags: [...flags] };
  return list.length > 0
    ? { reason: 'no_submission', detail: `all ${list.length} submissions are of invalidated executions` }
    : nothingOnScale(trajectory, options.score_scale, skipped.size);
}

function nothingOnScale(trajectory: Trajectory, scale: ScoreScale, skipped: number): NotKept {
  const others = (['test', 'validation', 'self_reported'] as const)
    .filter((other) => other !== scale)
    .map((other) => ({ other, n: validSubmissions(trajectory, other).list.length }))
    .filter(({ n }) => n > 0);
  const left = skipped > 0 ? ` (${skipped} stale or of failed executions do not count)` : '';
  if (others.length > 0 && skipped === 0) {
    const counts = others.map(({ other, n }) => `${n} ${other}`).join(', ');
    return { reason: 'other_scale', detail: `no ${scale} score, but ${counts}` };
  }
  const n = trajectory.submissions.length;
  return { reason: 'no_submission', detail: `none of ${n} submissions is gradable on scale ${scale}${left}` };
}
