import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ExportSink } from './export-sink.js';
import type { TokenExporter } from './exporter.js';
import { tokenSpec } from './token-columns.js';

const ROWS = tokenSpec('verl-tokens', { input_ids: 'list<int32>', loss_mask: 'list<int8>' });

export const VERL_DATASET_FILE = 'trajmill_verl.py';

/** Puts the dataset classes for verl beside the splits. */
export async function copyVerlDataset(root: ExportSink): Promise<void> {
  const path = fileURLToPath(new URL(`../../python/${VERL_DATASET_FILE}`, import.meta.url));
  await root.text(VERL_DATASET_FILE, await readFile(path, 'utf8'));
}

export const VERL_TOKENS: TokenExporter = {
  name: 'verl-tokens',
  title: 'verl SFT, pre-tokenised by a custom dataset class',
  takes: 'tokens',
  files: ['part-00000.parquet: input_ids, loss_mask', `../${VERL_DATASET_FILE}: the dataset class`],
  takesOptions: [],
  notes: [
    'verl reads no ids of its own accord: data.custom_cls names the class TokenRows of the file beside the splits.',
    'The class takes the mask as it is. A row over max_length is an error unless truncation says left or right.',
  ],
  finish: copyVerlDataset,
  async export(rows, { sink }) {
    const file = sink.parquetParts(ROWS);
    for await (const { input_ids, loss_mask } of rows) await file.append({ input_ids, loss_mask });
    await file.close();
    return {};
  },
};
