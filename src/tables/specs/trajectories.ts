import { TERMINATIONS } from '../../trajectory/trajectory.js';
import type { TableSpec } from '../table-spec.js';
import { LINEAGE_COLUMNS } from './lineage.js';

/** What became of an input trajectory; every one has exactly one of these. */
export const TRAJECTORY_DECISIONS = ['kept', 'filtered', 'rejected', 'duplicate'] as const;

export const TRAJECTORIES_TABLE = {
  name: 'trajectories',
  doc: 'One input trajectory, kept or not, with its place in the raw log and the reason of the decision.',
  key: null,
  token_column: null,
  columns: [
    ...LINEAGE_COLUMNS,
    { name: 'byte_start', type: 'int64', nullable: false, doc: 'first byte in source_path' },
    { name: 'byte_end', type: 'int64', nullable: false, doc: 'byte after the last one, exclusive' },
    { name: 'sha256', type: 'string', nullable: false, doc: 'sha256 (hex) of those bytes' },
    { name: 'n_turns', type: 'int32', nullable: false, doc: 'turns' },
    { name: 'n_calls', type: 'int32', nullable: false, doc: 'tool calls that the model made' },
    { name: 'n_executions', type: 'int32', nullable: false, doc: 'executions of every kind' },
    { name: 'n_submissions', type: 'int32', nullable: false, doc: 'submissions' },
    {
      name: 'first_score',
      type: 'float64',
      nullable: true,
      doc: "first gradable score on the pipeline's scale",
    },
    { name: 'best_score', type: 'float64', nullable: true, doc: 'best one in the direction of the task' },
    { name: 'last_score', type: 'float64', nullable: true, doc: 'last one' },
    { name: 'termination', type: 'string', nullable: false, values: TERMINATIONS, doc: 'how the run ended' },
    {
      name: 'feedback_exposes_test_score',
      type: 'bool',
      nullable: false,
      doc: 'the agent saw scores on hidden labels',
    },
    {
      name: 'stage',
      type: 'string',
      nullable: true,
      doc: 'training stage that its input belongs to; null without',
    },
    {
      name: 'source',
      type: 'string',
      nullable: true,
      doc: 'source as its input is named; null without',
    },
    {
      name: 'decision',
      type: 'string',
      nullable: false,
      values: TRAJECTORY_DECISIONS,
      doc: 'what became of it',
    },
    {
      name: 'reason',
      type: 'string',
      nullable: true,
      doc: 'filter reason, duplicate reason or reject code; null where it was kept',
    },
    {
      name: 'duplicate_of',
      type: 'string',
      nullable: true,
      doc: 'trajectory_id of the one that stands for it; null unless a duplicate',
    },
    {
      name: 'detail',
      type: 'string',
      nullable: true,
      doc: 'a sentence with the numbers that decided; null where there is none',
    },
  ],
} as const satisfies TableSpec;
