import type { Termination } from '../trajectory/trajectory.js';

const REASONS: Readonly<Record<string, Termination>> = {
  submit: 'submitted',
  max_steps: 'step_limit',
  exit_cost: 'step_limit',
  exit_context: 'context_limit',
  exit_error: 'error',
  exit_format: 'error',
  exit_api: 'error',
};

const PLAIN: Readonly<Record<string, Termination>> = {
  submitted: 'submitted',
  early_exit: 'cut',
  skipped: 'cut',
  exit_forfeit: 'unknown',
};

/** `<what became of the artefact> (<what ended the run>)`. */
const WITH_REASON = /^(.+?),? \((\w+)\)$/s;

export interface MlgymExit {
  readonly termination: Termination;
  /** the scaffold had the last artefact evaluated when the run hit a limit */
  readonly autosubmitted: boolean;
  readonly flags: readonly string[];
}

/**
 * What an exit status says. A run that ended otherwise than by `submitted` may still carry a score, of an artefact that
 * the scaffold found: which one counts is told by the status, never by the presence of a score.
 */
export function mlgymExit(status: string | null): MlgymExit {
  if (status === null || status === '') return { termination: 'cut', autosubmitted: false, flags: [] };
  const plain = Object.hasOwn(PLAIN, status) ? PLAIN[status] : undefined;
  if (plain !== undefined) return { termination: plain, autosubmitted: false, flags: [] };
  const match = WITH_REASON.exec(status);
  if (match === null) return { termination: 'error', autosubmitted: false, flags: [] };
  const [, what = '', reason = ''] = match;
  const autosubmitted = what === 'autosubmission';
  const known: Readonly<Record<string, string>> = {
    autosubmission: 'autosubmitted',
    submission_not_found: 'submission_not_found',
    evaluation_format_error: 'evaluation_format_error',
  };
  const flag = Object.hasOwn(known, what) ? known[what] : undefined;
  return {
    termination: Object.hasOwn(REASONS, reason) ? (REASONS[reason] ?? 'error') : 'error',
    autosubmitted,
    flags: [flag ?? 'evaluation_failed'],
  };
}

/** Whether an exit status is one that only MLGym writes. */
export function isMlgymExit(status: string | null): boolean {
  return /^(?:autosubmission|submission_not_found|evaluation_format_error) \(/.test(status ?? '');
}
