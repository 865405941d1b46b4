import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../pipeline/atomic-file.js';
import type { TableSpec } from '../../tables/table-spec.js';
import { writeWholeTable } from '../whole-table.js';
import { type Figure, INTERVALS } from './figure.js';

/** The figures as a table of their own. It is no table of the corpus: it lies outside of its data. */
export const STATS_TABLE = {
  name: 'stats',
  doc: 'One figure about a corpus, with what it rests on.',
  key: null,
  token_column: null,
  columns: [
    { name: 'section', type: 'string', nullable: false, doc: 'part of the statistics' },
    { name: 'key', type: 'string', nullable: false, doc: 'what the figure is about: all, task:<id>, ...' },
    { name: 'figure', type: 'string', nullable: false, doc: 'name of the figure' },
    { name: 'value', type: 'float64', nullable: true, doc: 'null where there is nothing to compute it from' },
    { name: 'low', type: 'float64', nullable: true, doc: 'lower end of the 95% interval' },
    { name: 'high', type: 'float64', nullable: true, doc: 'upper end of the 95% interval' },
    { name: 'n', type: 'int32', nullable: false, doc: 'observations that it rests on' },
    {
      name: 'interval',
      type: 'string',
      nullable: false,
      values: INTERVALS,
      doc: 'how the interval was made: Wilson (shares), Student (means), order statistics (quantiles), or none',
    },
  ],
} as const satisfies TableSpec;

export interface StatsDocument {
  readonly plan_id: string;
  readonly tool_version: string;
  readonly figures: readonly Figure[];
}

/** Writes stats.parquet and stats.json into a folder, and gives their paths. */
export async function writeStats(folder: string, document: StatsDocument): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const parquet = join(folder, 'stats.parquet');
  const metadata = { plan_id: document.plan_id };
  await writeWholeTable({ path: parquet, spec: STATS_TABLE, metadata }, document.figures);
  const json = join(folder, 'stats.json');
  writeFileAtomic(json, `${JSON.stringify(document, null, 2)}\n`);
  return [parquet, json];
}
