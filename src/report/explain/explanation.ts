import type { TaskRecord } from '../../grading/task-record.js';
import type { Reject } from '../../logs/reject.js';
import type { RuleOutcome } from '../../selection/decision.js';
import type { LogReading } from './from-log.js';
import { meaningOf } from './meanings.js';
import { rewardReason } from './reward-reason.js';
import type {
  ExplainedExecution,
  ExplainedRl,
  ExplainedSft,
  ExplainedTrajectory,
  ExplainedWindow,
  RunRows,
} from './stored-rows.js';

export interface ExplainedFlag {
  readonly flag: string;
  /** null where nothing describes it */
  readonly meaning: string | null;
}

/** What each selection rule decided, with its numbers. */
export interface ExplainedRules {
  /** tables: the scored rules over what the tables remember of the run; none: no rule was asked */
  readonly from: 'log' | 'tables' | 'none';
  readonly outcomes: readonly RuleOutcome[];
}

/** What happened to one trajectory, stage by stage. */
export interface Explanation {
  readonly trajectory_id: string | null;
  /** every input that holds it: equal trajectories have one id */
  readonly inputs: readonly ExplainedTrajectory[];
  /** what its decision means; null where it was kept */
  readonly reason_meaning: string | null;
  readonly rejects: readonly (Reject & { readonly meaning: string | null })[];
  readonly task: TaskRecord | null;
  readonly flags: readonly ExplainedFlag[];
  readonly source_log: LogReading;
  readonly rules: ExplainedRules;
  readonly executions: readonly ExplainedExecution[];
  readonly windows: readonly (ExplainedWindow & { readonly why: string })[];
  readonly sft: readonly ExplainedSft[];
  readonly rl: readonly ExplainedRl[];
}

export interface ExplanationParts {
  readonly trajectory_id: string | null;
  readonly inputs: readonly ExplainedTrajectory[];
  readonly rejects: readonly Reject[];
  readonly rows: RunRows;
  readonly task: TaskRecord | null;
  readonly source_log: LogReading;
  readonly rules: ExplainedRules;
}

/** Puts the rows of a trajectory, its rejects and its log together, with the reasons in words. Pure. */
export function explain(parts: ExplanationParts): Explanation {
  const { inputs, rejects, rows, task } = parts;
  const flags = new Set([
    ...inputs.flatMap((input) => input.flags),
    ...rows.sft.flatMap((row) => row.flags),
    ...rows.rl.flatMap((row) => row.flags),
    ...rows.windows.flatMap((row) => row.flags),
    ...rows.executions.flatMap((row) => row.flags),
  ]);
  const [standing] = standingFirst(inputs);
  return {
    trajectory_id: parts.trajectory_id,
    inputs: standingFirst(inputs),
    reason_meaning: meaningOf(standing?.reason ?? ''),
    rejects: rejects.map((reject) => ({ ...reject, meaning: meaningOf(reject.code) })),
    task,
    flags: [...flags].sort().map((flag) => ({ flag, meaning: meaningOf(flag) })),
    source_log: parts.source_log,
    rules: parts.rules,
    executions: rows.executions.toSorted((a, b) => a.order - b.order),
    windows: rows.windows.map((window) => ({ ...window, why: rewardReason(window, task) })),
    sft: rows.sft,
    rl: rows.rl,
  };
}

/** The input that went through, before its duplicates. */
export function standingFirst(inputs: readonly ExplainedTrajectory[]): ExplainedTrajectory[] {
  const weight = ({ decision }: ExplainedTrajectory): number => (decision === 'duplicate' ? 1 : 0);
  return inputs.toSorted((a, b) => weight(a) - weight(b));
}
