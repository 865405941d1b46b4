/** Places at which a run can be made to die, for the tests of resume. */
export const FAULT_POINTS = [
  'after-plan',
  'survey-task',
  'after-decide',
  'build-trajectory',
  'before-completion',
  'after-completion',
  'commit-link',
  'before-manifest',
  'after-manifest',
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number];

const hits = new Map<FaultPoint, number>();

/**
 * Kills this process without warning when TRAJMILL_FAULT is `point:n` and the point is passed for the n-th time
 * (in this thread). Does nothing otherwise.
 */
export function faultPoint(point: FaultPoint): void {
  const wanted = process.env['TRAJMILL_FAULT'];
  if (wanted === undefined) return;
  const [name, count] = wanted.split(':');
  if (name !== point) return;
  const seen = (hits.get(point) ?? 0) + 1;
  hits.set(point, seen);
  if (seen === Number(count ?? '1')) process.kill(process.pid, 'SIGKILL');
}
