import { experimentsOf } from '../grading/experiments.js';
import type { Execution } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';

export const TIMEOUT_READINGS = ['any', 'share'] as const;
export type TimeoutReading = (typeof TIMEOUT_READINGS)[number];

export interface TimeoutOptions {
  /** any: one timed-out execution masks the run (SandMLE's paper); share: more than `share` of them do (its release) */
  readonly reading: TimeoutReading;
  /** default 0.2 */
  readonly share?: number;
  /** limit of one execution in seconds, for logs that do not mark timeouts; SandMLE trained with 90 */
  readonly seconds?: number | null;
}

/** How a pipeline names the reading. */
export type TimeoutChoice = 'any' | { readonly share: number };

/** A choice of a pipeline as options. */
export function timeoutReading(choice: TimeoutChoice): Pick<TimeoutOptions, 'reading' | 'share'> {
  return choice === 'any' ? { reading: 'any' } : { reading: 'share', share: choice.share };
}

/** Whether the timeouts of a run mask it wholly. */
export function isMaskedByTimeouts(trajectory: Trajectory, options: TimeoutOptions): boolean {
  return isMaskedByLate(experimentsOf(trajectory), options);
}

/** The same of experiments alone. */
export function isMaskedByLate(
  experiments: readonly Pick<Execution, 'status' | 'seconds'>[],
  options: TimeoutOptions,
): boolean {
  const { reading, share = 0.2, seconds = null } = options;
  const late = experiments.filter(
    (e) => e.status === 'timeout' || (seconds !== null && e.seconds !== null && e.seconds > seconds),
  ).length;
  return reading === 'any' ? late > 0 : late > share * experiments.length;
}
