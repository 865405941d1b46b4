import type { TaskRecord } from '../../grading/task-record.js';
import type { CorpusScores } from '../../selection/corpus-scores.js';
import type { SelectionOptions } from '../../selection/options.js';
import { selectPrefixes } from '../../selection/select.js';
import { SCORED_RULES } from '../rescore/rescore-selection.js';
import { restoredTrajectory } from '../rescore/restored-trajectory.js';
import type { ExplainedRules } from './explanation.js';
import type { LogReading } from './from-log.js';
import type { ExplainedExecution, ExplainedTrajectory } from './stored-rows.js';

export interface RulesInput {
  readonly source_log: LogReading;
  readonly trajectory: ExplainedTrajectory | null;
  readonly executions: readonly ExplainedExecution[];
  readonly task: TaskRecord | null;
  /** null where the plan is not at hand */
  readonly selection: SelectionOptions | null;
  readonly scores: CorpusScores;
}

/** The rules' own sentences: from the log where it could be read, else the scored rules over the restored run. */
export function explainedRules(input: RulesInput): ExplainedRules {
  const { source_log: log, trajectory, executions, task, selection, scores } = input;
  if (log.read) return { from: 'log', outcomes: log.facts.rules };
  const wentThrough = trajectory?.decision === 'kept' || trajectory?.decision === 'filtered';
  if (!wentThrough || selection === null) return { from: 'none', outcomes: [] };
  const rules = SCORED_RULES.filter((rule) => selection.rules.includes(rule));
  const restored = restoredTrajectory({ trajectory, executions });
  const { outcomes } = selectPrefixes(restored, task, { ...selection, rules, tail: 'feedback' }, scores);
  return { from: 'tables', outcomes };
}
