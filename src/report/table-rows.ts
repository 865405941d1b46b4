import { join } from 'node:path';
import type { CorpusManifest } from '../tables/manifest.js';
import { readShard } from '../tables/read-shard.js';
import { TABLES, type TableName, type TableRow } from '../tables/table-specs.js';

interface TableRequest<T extends TableName, C extends keyof TableRow<T> & string> {
  readonly corpus: string;
  readonly manifest: CorpusManifest;
  readonly table: T;
  readonly columns: readonly C[];
  /** the row groups of a shard to read, by its path in the manifest; all by default */
  readonly groupsOf?: (path: string) => ReadonlySet<number>;
}

/** Some columns of all rows of a table, shard after shard. The values of named columns are what the writer took. */
export async function* tableRows<T extends TableName, C extends keyof TableRow<T> & string>({
  corpus,
  manifest,
  table,
  columns,
  groupsOf,
}: TableRequest<T, C>): AsyncGenerator<Pick<TableRow<T>, C>> {
  for (const file of manifest.files) {
    if (file.table !== table) continue;
    const groups = groupsOf?.(file.path);
    if (groups?.size === 0) continue;
    const chosen = groups === undefined ? { columns } : { columns, groups };
    for await (const row of readShard(join(corpus, file.path), TABLES[table], chosen)) {
      yield row as unknown as Pick<TableRow<T>, C>;
    }
  }
}
