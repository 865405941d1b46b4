import { isMaskedByTimeouts, timeoutReading } from '../../rewards/timeouts.js';
import type { MaskOptions } from '../../tokens/mask-options.js';
import type { Trajectory } from '../../trajectory/trajectory.js';

/** Whether the mask options leave a trajectory out as a whole because of its timeouts (SandMLE). */
export function isMaskedWhole(
  trajectory: Trajectory,
  { timeouts, timeout_seconds: seconds }: Pick<MaskOptions, 'timeouts' | 'timeout_seconds'>,
): boolean {
  if (timeouts === 'train') return false;
  return isMaskedByTimeouts(trajectory, { ...timeoutReading(timeouts), seconds });
}
