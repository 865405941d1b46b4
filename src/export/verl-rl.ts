import type { TableSpec } from '../tables/table-spec.js';
import type { RlExporter } from './exporter.js';
import { logProbsOf } from './rl-sources.js';
import { copyVerlDataset, VERL_DATASET_FILE } from './verl-tokens.js';

const column = <T extends TableSpec['columns'][number]['type']>(name: string, type: T, nullable = false) => ({
  name,
  type,
  nullable,
  doc: '',
});

const ROWS: TableSpec = {
  name: 'verl-rl',
  doc: '',
  key: null,
  token_column: 'prompt_ids',
  columns: [
    column('prompt_ids', 'list<int32>'),
    column('response_ids', 'list<int32>'),
    column('response_mask', 'list<int8>'),
    column('rollout_log_probs', 'list<float32>', true),
    column('reward', 'float64'),
    column('window_id', 'string'),
    column('sequence_id', 'string'),
    column('data_source', 'string'),
    column('is_correction', 'string'),
  ],
};

export const VERL_RL: RlExporter = {
  name: 'verl-rl',
  title: 'verl, rows of windows',
  takes: 'rl',
  files: [
    'part-00000.parquet: prompt_ids, response_ids, response_mask, rollout_log_probs, reward, window_id, sequence_id, ' +
      'data_source, is_correction; one window a row',
    `../${VERL_DATASET_FILE}: padded_batch, which makes a batch of them`,
  ],
  takesOptions: [],
  notes: [
    'verl’s RL trainer samples its own responses and reads none from files: the rows are for a trainer loop of your ' +
      'own on its DataProto. padded_batch pads prompts on the left and responses on the right.',
    'The mask is of response token i itself. rollout_log_probs is null without policy data, and 0.0 on tokens that are ' +
      'not trained; old_log_probs is never exported, the trainer computes it.',
    'One row is one window: loss_agg_mode seq-mean-token-mean divides by the trained tokens of each.',
  ],
  finish: copyVerlDataset,
  async export(rows, { sink }) {
    const file = sink.parquetParts(ROWS);
    let count = 0;
    for await (const sequence of rows) {
      const { input_ids, loss_mask, sequence_id, is_correction } = sequence;
      for (const { token_start: start, token_end: end, reward, window_id } of sequence.windows) {
        await file.append({
          prompt_ids: input_ids.slice(0, start),
          response_ids: input_ids.slice(start, end),
          response_mask: loss_mask.slice(start, end),
          rollout_log_probs: logProbsOf(sequence, start, end),
          reward,
          window_id,
          sequence_id,
          data_source: sequence.task_id ?? 'unknown',
          is_correction,
        });
        count++;
      }
    }
    await file.close();
    return { windows_written: count };
  },
};
