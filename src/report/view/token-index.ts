import { join } from 'node:path';
import type { CorpusManifest } from '../../tables/manifest.js';
import { readFooter, readShard } from '../../tables/read-shard.js';
import { type RlRow, type SftRow, TABLES } from '../../tables/table-specs.js';

/** Tables whose rows hold tokens of a trajectory. */
const TOKEN_TABLES = ['sft', 'rl'] as const;
type TokenTable = (typeof TOKEN_TABLES)[number];

interface RowGroup {
  readonly path: string;
  readonly group: number;
}

/** Which row groups hold the rows of a trajectory, so that one of them is all that is read for it. */
export class TokenIndex {
  readonly #groups = new Map<string, RowGroup[]>();

  private constructor() {}

  /** Reads one column of the token tables. */
  static async open(corpus: string, manifest: CorpusManifest): Promise<TokenIndex> {
    const index = new TokenIndex();
    for (const table of TOKEN_TABLES) {
      for (const file of manifest.files) {
        if (file.table === table && file.rows > 0) await index.#add(table, join(corpus, file.path));
      }
    }
    return index;
  }

  async #add(table: TokenTable, path: string): Promise<void> {
    const { row_groups: counts } = await readFooter(path);
    let group = 0;
    let left = counts[0] ?? 0;
    for await (const { trajectory_id: id } of readShard(path, TABLES[table], {
      columns: ['trajectory_id'],
    })) {
      while (left === 0) left = counts[++group] ?? Number.POSITIVE_INFINITY;
      left--;
      const key = `${table} ${id}`;
      const known = this.#groups.get(key) ?? [];
      const last = known.at(-1);
      if (last?.path !== path || last.group !== group) known.push({ path, group });
      this.#groups.set(key, known);
    }
  }

  /** Whether any row of tokens is of this trajectory. */
  has(id: string): boolean {
    return TOKEN_TABLES.some((table) => this.#groups.has(`${table} ${id}`));
  }

  /** The sft rows of a trajectory with their tokens, in the order of the shards. */
  sft(id: string): Promise<SftRow[]> {
    return this.#rows('sft', id) as Promise<SftRow[]>;
  }

  rl(id: string): Promise<RlRow[]> {
    return this.#rows('rl', id) as Promise<RlRow[]>;
  }

  async #rows(table: TokenTable, id: string): Promise<unknown[]> {
    const rows: unknown[] = [];
    for (const { path, group } of this.#groups.get(`${table} ${id}`) ?? []) {
      for await (const row of readShard(path, TABLES[table], { groups: new Set([group]) })) {
        if (row.trajectory_id === id) rows.push(row);
      }
    }
    return rows;
  }
}
