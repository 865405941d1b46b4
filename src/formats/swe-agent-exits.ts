import type { Termination } from '../trajectory/trajectory.js';

/** Exit statuses of every version; one that is not listed is a fault of the run. */
const TERMINATIONS: Readonly<Record<string, Termination>> = {
  submitted: 'submitted',
  exit_cost: 'step_limit',
  exit_total_execution_time: 'time_limit',
  exit_context: 'context_limit',
  exit_command: 'unknown',
  exit_forfeit: 'unknown',
  early_exit: 'cut',
  skipped: 'cut',
};

/** Actions and texts that the scaffold writes as an assistant turn when it ends a run. */
const HARNESS_ACTION = /^(exit_(?!forfeit$)\w+|early_exit|skip)$/;
const HARNESS_TEXT = /^Exit(ing)? due to /;
const AUTOSUBMITTED = /^submitted \((.+)\)$/;

export interface Exit {
  readonly termination: Termination;
  readonly flags: readonly string[];
}

/**
 * What an exit status says. `submitted (exit_cost)` means that the scaffold submitted for the agent when the run
 * hit a limit: the limit ended it. A finished log without a status was cut; a bare history says nothing.
 */
export function exitTermination(status: string | null, has_info: boolean): Exit {
  if (status === null || status === '') return { termination: has_info ? 'cut' : 'unknown', flags: [] };
  const inner = AUTOSUBMITTED.exec(status)?.[1];
  const termination = TERMINATIONS[inner ?? status] ?? 'error';
  return { termination, flags: inner === undefined ? [] : ['autosubmitted'] };
}

/** Whether an action is the scaffold's own mark for an end of the run, not a command of the model. */
export function isHarnessAction(action: string): boolean {
  return HARNESS_ACTION.test(action.trim());
}

/** Whether the scaffold, not the model, wrote an assistant message. */
export function isHarnessReply(message: { content: string; action: string | null; calls: number }): boolean {
  if (message.calls > 0) return false;
  const action = message.action ?? '';
  if (isHarnessAction(action)) return message.content.trim() === '' || HARNESS_TEXT.test(message.content);
  return action.trim() === '' && HARNESS_TEXT.test(message.content);
}
