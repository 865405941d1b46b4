import { TrajmillError } from '../errors.js';
import type { TokenExporter, TokenSource } from './exporter.js';
import { type Pack, packRows, packStatistics } from './packing.js';
import { shiftedMask, tokenSpec } from './token-columns.js';
import { joinedIds } from './trl.js';

const PACKS = tokenSpec('megatron-bridge', {
  input_ids: 'list<int32>',
  loss_mask: 'list<int8>',
  seq_start_id: 'list<int32>',
});

/** The reader cuts the last id of each row off as input and the first as label, so a row takes one place less. */
const placesOf = ({ input_ids }: TokenSource): number => Math.max(0, input_ids.length - 1);

/** The masks of a pack, each shifted left by one inside its row: entry i speaks of token i+1. */
function packedMask(pack: Pack<TokenSource>): Int8Array {
  const mask = new Int8Array(pack.length);
  let at = 0;
  for (const { loss_mask } of pack.rows) {
    mask.set(shiftedMask(loss_mask), at);
    at += loss_mask.length;
  }
  return mask;
}

function startsOf(pack: Pack<TokenSource>): Int32Array {
  const starts = new Int32Array(pack.rows.length);
  let at = 0;
  pack.rows.forEach(({ input_ids }, i) => {
    starts[i] = at;
    at += input_ids.length;
  });
  return starts;
}

export const MEGATRON_BRIDGE: TokenExporter = {
  name: 'megatron-bridge',
  title: 'Megatron-Bridge, packed Parquet',
  takes: 'tokens',
  files: ['packed-00000.idx.parquet: input_ids, loss_mask shifted left by one in each row, seq_start_id'],
  takesOptions: ['pack', 'overlong'],
  notes: [
    'The mask is shifted here, since the packed reader does not shift it again. Keep answer_only_loss true: with ' +
      'false the mask is not read.',
    'A row of n tokens takes n-1 places of a pack, as Megatron-Bridge counts. --pack must be packed_sequence_size.',
  ],
  async export(rows, { sink, options }) {
    if (options.pack === null) {
      throw new TrajmillError('E_USAGE', 'megatron-bridge needs --pack LENGTH, its packed_sequence_size');
    }
    const file = sink.parquetParts(PACKS, { name: 'packed', ending: '.idx.parquet' });
    const statistics = packStatistics(options.pack);
    const packing = {
      length: options.pack,
      cost: placesOf,
      overlong: options.overlong,
      onDrop: statistics.drop,
    };
    for await (const pack of packRows(rows, packing)) {
      statistics.add(pack);
      await file.append({
        input_ids: joinedIds(pack),
        loss_mask: packedMask(pack),
        seq_start_id: startsOf(pack),
      });
    }
    await file.close();
    return statistics.counts();
  },
};
