import { tableRows } from '../table-rows.js';
import type { ViewCorpus } from './view-page.js';

/** The ids of all trajectories that were kept or of which a token row was written, each once, in the order of the table. */
export async function shownIds({ of: { corpus, manifest }, index }: ViewCorpus): Promise<string[]> {
  const ids = new Set<string>();
  const columns = ['trajectory_id', 'decision'] as const;
  for await (const { trajectory_id: id, decision } of tableRows({
    corpus,
    manifest,
    table: 'trajectories',
    columns,
  })) {
    if (decision === 'kept' || index.hasTokens(id)) ids.add(id);
  }
  return [...ids];
}
