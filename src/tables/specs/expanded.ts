import type { TableSpec } from '../table-spec.js';
import { POLICY_COLUMNS } from './rl.js';
import { WINDOWS_TABLE } from './windows.js';

/** What a trainer can correct for: `none` where the rollout's log-probabilities are not known, so that q would be 1. */
export const IS_CORRECTIONS = ['recorded', 'none'] as const;

/** The stored form, tables `rl` and `windows`, with the tokens of each window in a row of its own. */
export const EXPANDED_TABLE = {
  name: 'expanded',
  doc: 'One window with its context, self-contained: the columns of table windows, and its sequence up to its last token. Only where a pipeline asks for it.',
  key: 'window_id',
  token_column: 'input_ids',
  columns: [
    ...WINDOWS_TABLE.columns,
    {
      name: 'split',
      type: 'string',
      nullable: false,
      doc: 'split of the row; a task family lies in one only',
    },
    {
      name: 'window',
      type: 'int32',
      nullable: false,
      doc: 'position of the window in its sequence, from 0; earlier ones are context',
    },
    { name: 'n_windows', type: 'int32', nullable: false, doc: 'windows of its sequence' },
    {
      name: 'input_ids',
      type: 'list<int32>',
      nullable: false,
      doc: 'token ids of the sequence, from its first to the last of the window: token_end of them',
    },
    {
      name: 'loss_mask',
      type: 'list<int8>',
      nullable: false,
      doc: '1 where the token itself is an action of this window, else 0; as long as input_ids, unshifted; a window whose reward is null is not to be trained',
    },
    {
      name: 'rollout_log_probs',
      type: 'list<float32>',
      nullable: true,
      nullable_elements: true,
      doc: 'as in table rl, as long as input_ids',
    },
    ...POLICY_COLUMNS,
    {
      name: 'is_correction',
      type: 'string',
      nullable: false,
      values: IS_CORRECTIONS,
      doc: 'what the policy correction can be computed from; none where policy_data is offline',
    },
    { name: 'sequence_flags', type: 'list<string>', nullable: false, doc: 'flags of the sequence' },
    {
      name: 'tail_ids',
      type: 'list<int32>',
      nullable: false,
      doc: 'ids of the sequence after its last window, in the row of that one only; no part of the row, kept so that the stored form can be made again',
    },
    {
      name: 'tail_log_probs',
      type: 'list<float32>',
      nullable: true,
      nullable_elements: true,
      doc: 'log-probabilities of tail_ids, as in rollout_log_probs',
    },
  ],
} as const satisfies TableSpec;
