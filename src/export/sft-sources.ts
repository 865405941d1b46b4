import type { StoredMessage } from '../chat/messages.js';
import { readShard } from '../tables/read-shard.js';
import { SFT_TABLE } from '../tables/specs/sft.js';
import type { StoredConversation, TokenSource } from './exporter.js';

const TOKEN_COLUMNS = ['row_id', 'input_ids', 'loss_mask'] as const;
const MESSAGE_COLUMNS = [...TOKEN_COLUMNS, 'messages', 'tools', 'mask_policy', 'ids_differ_because'] as const;

/**
 * Rows of `sft` shards with their tokens, one row group in memory at a time. The first token of a row is never
 * trained: nothing predicts it, and trainers that roll masks over a packed batch would train the end of the row
 * before on it. `onFirst` learns of each that the mask had.
 */
export async function* tokenSources(
  paths: readonly string[],
  onFirst: () => void = () => {},
): AsyncGenerator<TokenSource> {
  for (const path of paths) {
    for await (const row of readShard(path, SFT_TABLE, { columns: TOKEN_COLUMNS })) {
      const { row_id, input_ids, loss_mask } = row;
      if (loss_mask[0] === 1) {
        loss_mask[0] = 0;
        onFirst();
      }
      yield { row_id, input_ids, loss_mask };
    }
  }
}

/** Rows of `sft` shards with the messages that they were rendered from, and the tokens that these gave. */
export async function* conversations(paths: readonly string[]): AsyncGenerator<StoredConversation> {
  for (const path of paths) {
    for await (const row of readShard(path, SFT_TABLE, { columns: MESSAGE_COLUMNS })) {
      const { messages: json, ...rest } = row;
      yield { ...rest, json, messages: JSON.parse(json) as StoredMessage[] };
    }
  }
}
