import type { TokenExporter, TokenSource } from './exporter.js';
import { type Pack, packRows, packStatistics } from './packing.js';
import { labelsOf, tokenSpec } from './token-columns.js';

const ROWS = tokenSpec('trl', { input_ids: 'list<int32>', labels: 'list<int32>' });

const PACKS = tokenSpec('trl-packed', {
  input_ids: 'list<int32>',
  labels: 'list<int32>',
  seq_lengths: 'list<int32>',
});

/** Labels of a pack. The first token of each row has none: the row before must not be trained to predict it. */
function packedLabels(pack: Pack<TokenSource>): Int32Array {
  const labels = new Int32Array(pack.length);
  let at = 0;
  for (const { input_ids, loss_mask } of pack.rows) {
    labels.set(labelsOf(input_ids, loss_mask), at);
    at += input_ids.length;
  }
  return labels;
}

export function joinedIds(pack: Pack<TokenSource>): Int32Array {
  const ids = new Int32Array(pack.length);
  let at = 0;
  for (const { input_ids } of pack.rows) {
    ids.set(input_ids, at);
    at += input_ids.length;
  }
  return ids;
}

export const TRL: TokenExporter = {
  name: 'trl',
  title: 'TRL SFTTrainer, tokens',
  takes: 'tokens',
  files: ['part-00000.parquet: input_ids, labels; with --pack also seq_lengths'],
  takesOptions: ['pack', 'overlong'],
  notes: [
    'Labels are used as they are; every mask policy survives. Set max_length to null: SFTTrainer cuts at 1,024 ' +
      'tokens by default, and a row whose trained tokens are cut off teaches nothing.',
  ],
  async export(rows, { sink, options }) {
    if (options.pack === null) {
      const file = sink.parquetParts(ROWS);
      for await (const { input_ids, loss_mask } of rows) {
        await file.append({ input_ids, labels: labelsOf(input_ids, loss_mask) });
      }
      await file.close();
      return {};
    }
    const file = sink.parquetParts(PACKS);
    const statistics = packStatistics(options.pack);
    const packing = {
      length: options.pack,
      cost: (row: TokenSource) => row.input_ids.length,
      overlong: options.overlong,
      onDrop: statistics.drop,
    };
    for await (const pack of packRows(rows, packing)) {
      statistics.add(pack);
      const seq_lengths = pack.rows.map(({ input_ids }) => input_ids.length);
      await file.append({ input_ids: joinedIds(pack), labels: packedLabels(pack), seq_lengths });
    }
    await file.close();
    return statistics.counts();
  },
};
