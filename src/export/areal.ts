import type { TokenExporter } from './exporter.js';
import { tokenSpec } from './token-columns.js';

const ROWS = tokenSpec('areal', { input_ids: 'list<int32>', loss_mask: 'list<int8>' });

export const AREAL: TokenExporter = {
  name: 'areal',
  title: 'AReaL SFT',
  takes: 'tokens',
  files: ['part-00000.parquet: input_ids, loss_mask'],
  takesOptions: [],
  notes: [
    'Nothing else is trained: AReaL itself rolls the mask by one to the left. Rows over max_length are filtered by the dataset function.',
  ],
  async export(rows, { sink }) {
    const file = sink.parquetParts(ROWS);
    for await (const { input_ids, loss_mask } of rows) await file.append({ input_ids, loss_mask });
    await file.close();
    return {};
  },
};
