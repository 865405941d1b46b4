import type { ExportSink } from './export-sink.js';
import type { TokenExporter } from './exporter.js';
import { attentionOf, labelsOf, tokenSpec } from './token-columns.js';

const ROWS = tokenSpec('llama-factory', {
  input_ids: 'list<int32>',
  attention_mask: 'list<int8>',
  labels: 'list<int32>',
});

const list = (dtype: string) => ({ feature: { dtype, _type: 'Value' }, length: -1, _type: 'Sequence' });

/** Versions of `datasets` before 4 know no `List`; those after it read `Sequence` as one. */
const INFO = {
  citation: '',
  description: '',
  features: { input_ids: list('int32'), attention_mask: list('int8'), labels: list('int32') },
  homepage: '',
  license: '',
};

/** What `load_from_disk` reads beside the Arrow files; the fingerprint only has to differ between data. */
const stateOf = (files: readonly string[], split: string, fingerprint: string) => ({
  _data_files: files.map((filename) => ({ filename })),
  _fingerprint: fingerprint,
  _format_columns: null,
  _format_kwargs: {},
  _format_type: null,
  _output_all_columns: false,
  _split: split,
});

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** LLaMA-Factory wants the training rows under `train`; other splits keep their names. */
async function writeDictionary(root: ExportSink, splits: readonly string[]): Promise<void> {
  await root.text('dataset_dict.json', json({ splits }));
}

export const LLAMA_FACTORY: TokenExporter = {
  name: 'llama-factory',
  title: 'LLaMA-Factory, tokenized_path',
  takes: 'tokens',
  files: [
    'data-00000.arrow: input_ids, attention_mask, labels',
    'dataset_info.json',
    'state.json',
    '../dataset_dict.json',
  ],
  takesOptions: [],
  notes: [
    'tokenized_path makes LLaMA-Factory ignore every other data argument: cutoff_len does not cut these rows.',
    'It looks for the splits train and validation.',
  ],
  finish: writeDictionary,
  async export(rows, { sink }) {
    const before = sink.files.length;
    const file = sink.arrowParts(ROWS, (index) => `data-${String(index).padStart(5, '0')}.arrow`);
    for await (const { input_ids, loss_mask } of rows) {
      await file.append({
        input_ids,
        attention_mask: attentionOf(input_ids),
        labels: labelsOf(input_ids, loss_mask),
      });
    }
    await file.close();
    const written = sink.files.slice(before);
    const names = written.map(({ path }) => path.split('/').at(-1) ?? path);
    const split = written[0]?.path.split('/').at(-2) ?? 'train';
    const fingerprint = written.map(({ sha256 }) => sha256)[0]?.slice(0, 16) ?? '0'.repeat(16);
    await sink.text('dataset_info.json', json(INFO));
    await sink.text('state.json', json(stateOf(names, split, fingerprint)));
    return {};
  },
};
