import type { TokenExporter } from './exporter.js';
import { attentionOf, labelsOf, tokenSpec } from './token-columns.js';

const ROWS = tokenSpec('axolotl', {
  input_ids: 'list<int32>',
  attention_mask: 'list<int8>',
  labels: 'list<int32>',
});

export const AXOLOTL: TokenExporter = {
  name: 'axolotl',
  title: 'axolotl, pre-tokenised',
  takes: 'tokens',
  files: ['part-00000.parquet: input_ids, attention_mask, labels'],
  takesOptions: [],
  notes: [
    'Nothing is added to the ids. Rows over sequence_len are dropped by default (excess_length_strategy).',
  ],
  async export(rows, { sink }) {
    const file = sink.parquetParts(ROWS);
    for await (const { input_ids, loss_mask } of rows) {
      await file.append({
        input_ids,
        attention_mask: attentionOf(input_ids),
        labels: labelsOf(input_ids, loss_mask),
      });
    }
    await file.close();
    return {};
  },
};
