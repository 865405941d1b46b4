import type { ColumnSpec } from '../column.js';
import type { TableSpec } from '../table-spec.js';
import { LINEAGE_COLUMNS } from './lineage.js';

/** Whether sampled ids, log-probabilities and weight versions were recorded when the run was made. */
export const POLICY_DATA = ['recorded', 'offline'] as const;

/** Who sampled the tokens of a sequence, and what of that was recorded. */
export const POLICY_COLUMNS = [
  {
    name: 'weight_version',
    type: 'string',
    nullable: true,
    doc: 'version of the weights that sampled the tokens; null where not recorded',
  },
  {
    name: 'policy_data',
    type: 'string',
    nullable: false,
    values: POLICY_DATA,
    doc: 'recorded: ids and log-probabilities are those of the rollout; offline: they were not recorded',
  },
] as const satisfies readonly ColumnSpec[];

export const RL_TABLE = {
  name: 'rl',
  doc: 'One context epoch, or a part of one that is too long: ids, loss mask, and the execution window of each token with its reward.',
  key: 'sequence_id',
  token_column: 'input_ids',
  columns: [
    ...LINEAGE_COLUMNS,
    {
      name: 'sequence_id',
      type: 'string',
      nullable: false,
      doc: 'unique in the corpus and the same in every run',
    },
    {
      name: 'split',
      type: 'string',
      nullable: false,
      doc: 'split of the row; a task family lies in one only',
    },
    { name: 'input_ids', type: 'list<int32>', nullable: false, doc: 'token ids' },
    {
      name: 'loss_mask',
      type: 'list<int8>',
      nullable: false,
      doc: '1 where the token itself is an action, else 0; as long as input_ids, unshifted; windows whose reward is null are not to be trained',
    },
    {
      name: 'window_index',
      type: 'list<int32>',
      nullable: false,
      doc: 'per token its window: a position in window_rewards, -1 outside; as long as input_ids',
    },
    {
      name: 'window_rewards',
      type: 'list<float64>',
      nullable: false,
      nullable_elements: true,
      doc: 'reward of each window, in order; null where its outcome pays nothing',
    },
    {
      name: 'window_n_trained',
      type: 'list<int32>',
      nullable: false,
      doc: 'trained tokens of each window; as long as window_rewards',
    },
    {
      name: 'rollout_log_probs',
      type: 'list<float32>',
      nullable: true,
      nullable_elements: true,
      doc: 'log-probability of each token when it was sampled, null for tokens without; null where none was recorded',
    },
    ...POLICY_COLUMNS,
  ],
} as const satisfies TableSpec;
