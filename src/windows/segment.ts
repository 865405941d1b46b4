import type { TaskRecord } from '../grading/task-record.js';
import { type ValidSubmissions, validSubmissions } from '../grading/valid-submissions.js';
import { isMaskedByTimeouts, timeoutReading } from '../rewards/timeouts.js';
import { wirlReward } from '../rewards/wirl.js';
import type { Submission } from '../trajectory/execution.js';
import { SUBMISSIONS_NOT_RECORDED } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { actionSpans, epochOfTurns, type SpanPlace } from './action-spans.js';
import { normaliseCode } from './code.js';
import type { WindowFlag } from './flags.js';
import { type Launch, launchesOf } from './launches.js';
import type { WindowOptions } from './options.js';
import { gradableFor, outcomeOf } from './outcome.js';
import { placeFlags } from './place-flags.js';
import { type JudgedLaunch, NO_REFERENCE, references, repeatedTiers } from './trend.js';
import type { ExecutionWindow, WindowSegmentation } from './window.js';

/**
 * Cuts a run into execution windows with outcomes, trends and WIRL rewards (MLExpert). There is one window for each
 * launch, in the order of the calls, even where nothing in it can be trained; each action span is in one window or
 * trailing. `task` null means that direction and thresholds are unknown. Flags are those of flags.ts.
 */
export function segmentWindows(
  trajectory: Trajectory,
  task: TaskRecord | null,
  options: WindowOptions,
): WindowSegmentation {
  const launches = launchesOf(trajectory);
  const valid = validSubmissions(trajectory, options.score_scale);
  const judged = judge(trajectory, { launches, valid, task, options });
  const compared = references(judged, valid.list, {
    trend: options.trend,
    is_lower_better: task?.is_lower_better ?? null,
  });
  const withheld = options.base === 'new_tier' ? repeatedTiers(judged) : new Set<Launch>();
  const repeats = repeatsOf(judged);
  const parents = parentsOf(launches);
  const maskedRun = isRunMasked(trajectory, options);
  const epochs = epochOfTurns(trajectory);
  const { own, trailing } = partition(actionSpans(trajectory, options.model), launches);

  const windows = judged.map((row, w): ExecutionWindow => {
    const { launch, outcome } = row;
    const { result } = launch;
    const spans = own.get(launch) ?? [];
    const reference = compared.get(launch) ?? NO_REFERENCE;
    const masked = result.status === 'timeout' && options.timeouts === 'masked';
    const reward = wirlReward(outcome, reference.trend, { base_paid: !withheld.has(launch) });
    const flags: WindowFlag[] = [...launch.flags, ...row.flags];
    if (masked) flags.push('timeout_masked');
    if (maskedRun) flags.push('run_timeout_masked');
    if (repeats.has(launch)) flags.push('repeat');
    if (withheld.has(launch)) flags.push('base_withheld');
    flags.push(...placeFlags(trajectory, { launch, before: launches[w - 1] ?? null, spans, epochs }));
    const lastTurn = spans[spans.length - 1]?.[0] ?? result.call_turn;
    return {
      index: w,
      epoch: epochs.get(lastTurn) ?? 0,
      execution_id: result.execution_id,
      parent: parents[w] ?? null,
      turn_start: spans[0]?.[0] ?? result.call_turn,
      turn_end: lastTurn,
      spans,
      outcome,
      score: row.score,
      score_scale: row.score_scale,
      previous_score: reference.score,
      trend: reference.trend,
      medal: row.medal,
      reward: masked || maskedRun ? null : reward,
      seconds: result.seconds,
      completed_at: result.completed_at,
      flags,
    };
  });
  return { windows, trailing };
}

/** Whether timeouts mask the run as a whole (SandMLE). */
function isRunMasked(
  trajectory: Trajectory,
  { timeouts, timeout_seconds: seconds }: Pick<WindowOptions, 'timeouts' | 'timeout_seconds'>,
): boolean {
  if (timeouts === 'error' || timeouts === 'masked') return false;
  return isMaskedByTimeouts(trajectory, { ...timeoutReading(timeouts), seconds });
}

interface JudgeInput {
  readonly launches: readonly Launch[];
  readonly valid: ValidSubmissions;
  readonly task: TaskRecord | null;
  readonly options: WindowOptions;
}

function judge(trajectory: Trajectory, { launches, valid, task, options }: JudgeInput): JudgedLaunch[] {
  const submissions_recorded = !trajectory.flags.includes(SUBMISSIONS_NOT_RECORDED);
  const gradable = gradableFor(task, options);
  const byExecution = new Map<string, Submission[]>();
  for (const submission of trajectory.submissions) {
    if (submission.execution_id === null) continue;
    const list = byExecution.get(submission.execution_id);
    if (list === undefined) byExecution.set(submission.execution_id, [submission]);
    else list.push(submission);
  }
  return launches.map((launch) => {
    const execution = launch.result;
    const submissions = byExecution.get(execution.execution_id) ?? [];
    const { score_scale } = options;
    return {
      launch,
      ...outcomeOf({ execution, submissions, valid, gradable, score_scale, submissions_recorded }),
    };
  });
}

/** Every span goes to the first launch that ends at or after it; what is left over is trailing. */
function partition(
  spans: readonly SpanPlace[],
  launches: readonly Launch[],
): { own: Map<Launch, SpanPlace[]>; trailing: SpanPlace[] } {
  const own = new Map<Launch, SpanPlace[]>();
  let next = 0;
  for (const launch of launches) {
    const taken: SpanPlace[] = [];
    for (let place = spans[next]; place !== undefined && isUpTo(place, launch.end); place = spans[next]) {
      taken.push(place);
      next += 1;
    }
    own.set(launch, taken);
  }
  return { own, trailing: spans.slice(next) };
}

function isUpTo(place: SpanPlace, end: SpanPlace): boolean {
  return place[0] < end[0] || (place[0] === end[0] && place[1] <= end[1]);
}

/** For each launch the number of the one that holds the parent node of its result. */
function parentsOf(launches: readonly Launch[]): (number | null)[] {
  const owners = new Map<string, number>();
  for (const [w, { executions }] of launches.entries()) {
    for (const { execution_id } of executions) owners.set(execution_id, w);
  }
  return launches.map(({ result }, w) => {
    const parent = owners.get(result.parent_execution ?? '') ?? null;
    return parent === w ? null : parent;
  });
}

/** Launches that ran the code of an earlier one and got its score again. */
function repeatsOf(judged: readonly JudgedLaunch[]): Set<Launch> {
  const seen = new Set<string>();
  const repeats = new Set<Launch>();
  for (const { launch, score, score_scale } of judged) {
    const code = normaliseCode(launch.result.code);
    if (code === null || score === null) continue;
    const key = `${score_scale} ${score} ${code}`;
    if (seen.has(key)) repeats.add(launch);
    seen.add(key);
  }
  return repeats;
}
