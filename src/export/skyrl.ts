import type { TokenExporter } from './exporter.js';
import { tokenSpec } from './token-columns.js';

const ROWS = tokenSpec('skyrl', { input_ids: 'list<int32>', loss_mask: 'list<int8>' });

export const SKYRL: TokenExporter = {
  name: 'skyrl',
  title: 'SkyRL SFT, pretokenized',
  takes: 'tokens',
  files: ['part-00000.parquet: input_ids, loss_mask'],
  takesOptions: [],
  notes: ['Nothing else is trained: the mask is taken as it is. Rows over max_length keep their start.'],
  async export(rows, { sink }) {
    const file = sink.parquetParts(ROWS);
    for await (const { input_ids, loss_mask } of rows) await file.append({ input_ids, loss_mask });
    await file.close();
    return {};
  },
};
