import { expandSequence } from '../tables/expanded-rows.js';
import { EXPANDED_TABLE } from '../tables/specs/expanded.js';
import { WINDOWS_TABLE } from '../tables/specs/windows.js';
import type { StoredExporter } from './exporter.js';

/** Names of the Parquet files in the folder of a split, without number and ending. */
export const EXPANDED_PARTS = { expanded: 'part', withoutTokens: 'without-tokens' } as const;

export const EXPANDED: StoredExporter = {
  name: 'expanded',
  title: 'expanded windows, lossless',
  takes: 'stored',
  files: [
    'part-00000.parquet: the columns of table expanded, one window with its context a row',
    'without-tokens-00000.parquet: rows of table windows that have no sequence (sub-agents)',
  ],
  takesOptions: [],
  notes: [
    'Every window is here, in the order of its sequence, also those that pay nothing: leave out rows whose reward is ' +
      'null or whose n_trained is 0.',
    'The loss mask is that of the window alone: over all rows each trained token is trained once. The reward is the ' +
      'advantage of every trained token, and n_trained its denominator.',
    'Rows of one sequence share their beginning, so the file is about as many times larger as a sequence has windows. ' +
      '`trajmill collapse` gives back the tables rl and windows, value by value.',
  ],
  async export(sequences, { sink, withoutTokens }) {
    const file = sink.parquetParts(EXPANDED_TABLE, { name: EXPANDED_PARTS.expanded });
    let expanded = 0;
    for await (const sequence of sequences) {
      for (const row of expandSequence(sequence)) {
        await file.append(row);
        expanded++;
      }
    }
    await file.close();
    const rest = sink.parquetParts(WINDOWS_TABLE, { name: EXPANDED_PARTS.withoutTokens });
    let without = 0;
    for await (const row of withoutTokens) {
      await rest.append(row);
      without++;
    }
    await rest.close();
    return { expanded_rows: expanded, windows_without_tokens: without };
  },
};
