import { join } from 'node:path';
import type { CorpusManifest } from '../tables/manifest.js';
import { readFooter, readShard } from '../tables/read-shard.js';
import { type RlRow, type SftRow, TABLES } from '../tables/table-specs.js';

/** Tables each row of which is of one trajectory. */
const RUN_TABLES = ['trajectories', 'executions', 'windows', 'sft', 'rl'] as const;
type RunTable = (typeof RUN_TABLES)[number];

const NO_GROUPS: ReadonlySet<number> = new Set();

/** Which row groups hold the rows of a trajectory, so that these are all that is read for it. */
export class RowIndex {
  readonly #corpus: string;
  /** by table and trajectory, then by path in the corpus, in the order of the shards */
  readonly #groups = new Map<string, Map<string, Set<number>>>();

  private constructor(corpus: string) {
    this.#corpus = corpus;
  }

  /** Reads one column of the tables. */
  static async open(corpus: string, manifest: CorpusManifest): Promise<RowIndex> {
    const index = new RowIndex(corpus);
    for (const table of RUN_TABLES) {
      for (const file of manifest.files) {
        if (file.table === table && file.rows > 0) await index.#add(table, file.path);
      }
    }
    return index;
  }

  async #add(table: RunTable, path: string): Promise<void> {
    const shard = join(this.#corpus, path);
    const { row_groups: counts } = await readFooter(shard);
    let group = 0;
    let left = counts[0] ?? 0;
    for await (const { trajectory_id: id } of readShard(shard, TABLES[table], {
      columns: ['trajectory_id'],
    })) {
      while (left === 0) left = counts[++group] ?? Number.POSITIVE_INFINITY;
      left--;
      const key = `${table} ${id}`;
      const paths = this.#groups.get(key) ?? new Map<string, Set<number>>();
      const groups = paths.get(path) ?? new Set<number>();
      this.#groups.set(key, paths.set(path, groups.add(group)));
    }
  }

  /** The row groups of a shard that hold rows of the trajectory; `path` as the manifest names it. */
  groupsOf(table: RunTable, id: string, path: string): ReadonlySet<number> {
    return this.#groups.get(`${table} ${id}`)?.get(path) ?? NO_GROUPS;
  }

  /** Whether any row of tokens is of this trajectory. */
  hasTokens(id: string): boolean {
    return this.#groups.has(`sft ${id}`) || this.#groups.has(`rl ${id}`);
  }

  /** The sft rows of a trajectory with their tokens, in the order of the shards. */
  sft(id: string): Promise<SftRow[]> {
    return this.#rows('sft', id) as Promise<SftRow[]>;
  }

  rl(id: string): Promise<RlRow[]> {
    return this.#rows('rl', id) as Promise<RlRow[]>;
  }

  async #rows(table: 'sft' | 'rl', id: string): Promise<unknown[]> {
    const rows: unknown[] = [];
    for (const [path, groups] of this.#groups.get(`${table} ${id}`) ?? []) {
      for await (const row of readShard(join(this.#corpus, path), TABLES[table], { groups })) {
        if (row.trajectory_id === id) rows.push(row);
      }
    }
    return rows;
  }
}
