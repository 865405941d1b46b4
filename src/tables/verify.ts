import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { tokensOf } from './batch-builder.js';
import { type CheckList, type CheckResult, createCheckList } from './check-list.js';
import { columnProblem } from './column-check.js';
import { expandedRowProblem } from './expanded-rows.js';
import { huggingfaceValue } from './features.js';
import { type FileSum, sumFile } from './file-sum.js';
import {
  type CorpusManifest,
  groupFiles,
  MANIFEST_NAME,
  type ManifestFile,
  readManifest,
  shardPath,
  shardTotals,
} from './manifest.js';
import { expectedSchema, schemaDifference } from './parquet-schema.js';
import { readFooter, readShard } from './read-shard.js';
import type { AnyRow, TableSpec } from './table-spec.js';
import { type ExpandedRow, SCHEMA_VERSION, TABLE_NAMES, TABLES, type TableName } from './table-specs.js';
import { ColumnChecks, type ReadExecutionRow, type ReadTrajectoryRow } from './verify-columns.js';
import { ExpandedChecks } from './verify-expanded.js';
import {
  type ReadRlRow,
  type ReadSftRow,
  type ReadWindowRow,
  rewardProblem,
  rlTokensProblem,
  sequenceProblem,
  sequenceRewardsProblem,
  sftProofsProblem,
  sftTokensProblem,
  type WindowPlace,
  windowPlace,
} from './verify-rows.js';

/** One thing that was looked at, and what is wrong with it or null. */
export interface Finding {
  readonly place: string;
  readonly problem: string | null;
}

export interface VerifyOptions {
  /** Proves the mask of an sft row anew; gives what does not hold, or null. */
  readonly prove?: (row: ReadSftRow) => string | null | Promise<string | null>;
  /** Looks at what lies beside the shards of the corpus. */
  readonly beside?: (corpus: string, manifest: CorpusManifest) => Promise<readonly Finding[]>;
  /** Called before each file, with its number from 0 and how many there are. */
  readonly onFile?: (path: string, index: number, of: number) => void;
}

export interface VerifyReport {
  /** folder of the manifest */
  readonly corpus: string;
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
  /** tables of which a shard could not be read: what needs all of their rows was not checked */
  readonly unread: readonly TableName[];
}

/** Windows first: sequences are checked against them, and expanded rows against both. */
const READ_ORDER: readonly TableName[] = ['windows', 'rl', 'expanded', 'sft', 'executions', 'trajectories'];

/** What expanded rows are compared in and with. */
const EXPANDED_TABLES: readonly TableName[] = ['windows', 'rl', 'expanded'];

/**
 * Checks a committed corpus from its manifest and shards alone. Sums, schemas and footers come first; a shard
 * that fails them is not read further. Throws TrajmillError E_UNCOMMITTED where there is no manifest.
 */
export async function verifyCorpus(dir: string, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { corpus, manifest } = await readManifest(dir);
  const checks = createCheckList();
  await checkFiles(corpus, manifest, checks);
  const rows = new RowChecks(checks, manifest, options.prove);
  const files = READ_ORDER.flatMap((table) => manifest.files.filter((file) => file.table === table));
  for (const [index, file] of files.entries()) {
    options.onFile?.(file.path, index, files.length);
    const path = join(corpus, file.path);
    const holds =
      (await sumsHold(path, file, checks)) && (await footerHolds(path, { file, manifest, checks }));
    if (holds) await rows.checkShard(path, file);
    else rows.lose(file.table);
  }
  rows.finish();
  checks.rows.look(MANIFEST_NAME, totalsProblem(manifest));
  for (const { place, problem } of (await options.beside?.(corpus, manifest)) ?? []) {
    checks.beside.look(place, problem);
  }
  const results = Object.values(checks).map((check) => check.result());
  return { corpus, ok: results.every(({ ok }) => ok), checks: results, unread: rows.unread };
}

/** Names of the files under a folder, relative to it with forward slashes, in code-unit order. */
async function filesUnder(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(dir.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

async function checkFiles(corpus: string, manifest: CorpusManifest, { files }: CheckList): Promise<void> {
  const present = new Set(await filesUnder(join(corpus, 'data')));
  const named = new Set<string>();
  for (const file of manifest.files) {
    const twice = named.has(file.path);
    named.add(file.path);
    const missing = !present.has(file.path.replace(/^data\//, ''));
    files.look(file.path, missing ? 'is missing' : twice ? 'is named twice' : nameProblem(file));
  }
  for (const name of present) {
    if (!named.has(`data/${name}`)) files.look(`data/${name}`, 'is not in the manifest');
  }
}

/** Whether the totals by table are the sums of the files. */
function totalsProblem({ files, totals }: CorpusManifest): string | null {
  const sums = new Map(
    [...groupFiles(files, ({ table }) => table)].map(([table, own]) => [table, shardTotals(own)]),
  );
  const wrong = TABLE_NAMES.find((table) => !isDeepStrictEqual(totals[table], sums.get(table)));
  return wrong === undefined ? null : `totals of table ${wrong} are not the sums of its files`;
}

function nameProblem({ path, table, split }: ManifestFile): string | null {
  const [, index, of] = /-(\d{5})-of-(\d{5})\.parquet$/.exec(path) ?? [];
  const expected = shardPath(table, split, { index: Number(index), of: Number(of) });
  return path === expected ? null : `is named unlike a shard of ${table}, split ${split}`;
}

async function sumsHold(path: string, file: ManifestFile, { sums }: CheckList): Promise<boolean> {
  let sum: FileSum;
  try {
    sum = await sumFile(path);
  } catch (cause) {
    sums.look(file.path, `cannot be read: ${messageOf(cause)}`);
    return false;
  }
  const { bytes, sha256 } = sum;
  const problem =
    bytes !== file.bytes
      ? `has ${bytes} bytes, the manifest says ${file.bytes}`
      : sha256 !== file.sha256
        ? `has sha256 ${sha256}, the manifest says ${file.sha256}`
        : null;
  sums.look(file.path, problem);
  return problem === null;
}

async function footerHolds(
  path: string,
  context: { readonly file: ManifestFile; readonly manifest: CorpusManifest; readonly checks: CheckList },
): Promise<boolean> {
  const { file, manifest, checks } = context;
  const spec = TABLES[file.table];
  try {
    const footer = await readFooter(path);
    const difference = schemaDifference(footer.schema, expectedSchema(spec));
    checks.schema.look(file.path, difference);
    checks.footer.look(file.path, keysProblem(footer.keys, spec, manifest));
    const problem =
      footer.rows !== file.rows
        ? `has ${footer.rows} rows, the manifest says ${file.rows}`
        : footer.row_groups.length !== file.row_groups
          ? `has ${footer.row_groups.length} row groups, the manifest says ${file.row_groups}`
          : null;
    checks.rows.look(file.path, problem);
    return difference === null;
  } catch (cause) {
    checks.schema.look(file.path, messageOf(cause));
    return false;
  }
}

function keysProblem(
  keys: ReadonlyMap<string, string>,
  spec: TableSpec,
  manifest: CorpusManifest,
): string | null {
  const expected = {
    huggingface: huggingfaceValue(spec),
    schema_version: String(SCHEMA_VERSION),
    plan_id: manifest.plan_id,
  };
  for (const [key, value] of Object.entries(expected)) {
    const actual = keys.get(key);
    if (actual !== value) return `footer key ${key} is ${actual ?? 'absent'}, expected ${value}`;
  }
  return null;
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The checks that need rows, and what must be remembered between shards: ids and places of windows. */
class RowChecks {
  readonly #checks: CheckList;
  readonly #prove: VerifyOptions['prove'];
  readonly #seen = new Map<TableName, Set<string>>();
  readonly #windows = new Map<string, WindowPlace[]>();
  readonly #columns: ColumnChecks;
  /** tables of the corpus that were read whole so far */
  readonly #whole: Set<TableName>;
  readonly #lost = new Set<TableName>();
  /** null where the corpus has no expanded rows */
  readonly #expanded: ExpandedChecks | null;

  constructor(checks: CheckList, manifest: CorpusManifest, prove: VerifyOptions['prove']) {
    this.#checks = checks;
    this.#prove = prove;
    this.#whole = new Set(manifest.files.map(({ table }) => table));
    this.#columns = new ColumnChecks(checks.columns, { tables: this.#whole, counts: manifest.counts });
    this.#expanded = this.#whole.has('expanded') ? new ExpandedChecks(checks.windows) : null;
  }

  get unread(): TableName[] {
    return [...this.#lost];
  }

  /** A shard of this table is not read: nothing is said any more that needs all of its rows. */
  lose(table: TableName): void {
    this.#whole.delete(table);
    this.#lost.add(table);
  }

  async checkShard(path: string, file: ManifestFile): Promise<void> {
    const spec: TableSpec = TABLES[file.table];
    let rows = 0;
    let tokens = 0;
    try {
      for await (const row of readShard<TableSpec>(path, spec)) {
        const key = spec.key === null ? '' : ` (${spec.key} ${String(row[spec.key])})`;
        tokens += await this.#checkRow(row, file.table, `${file.path} row ${rows}${key}`);
        rows++;
      }
      const problem =
        tokens === file.tokens ? null : `has ${tokens} tokens, the manifest says ${file.tokens}`;
      this.#checks.rows.look(file.path, problem);
    } catch (cause) {
      this.#checks.rows.look(file.path, `row ${rows} cannot be read: ${messageOf(cause)}`);
      this.lose(file.table);
    }
  }

  /** Windows whose sequence never came, and sequences that are not expanded. */
  finish(): void {
    if (EXPANDED_TABLES.every((table) => !this.#lost.has(table))) this.#expanded?.finish();
    this.#columns.finish();
    // a pipeline may ask for windows alone
    if (!this.#whole.has('rl')) return;
    for (const [sequence, windows] of this.#windows) {
      for (const { window_id } of windows) {
        this.#checks.windows.look(`window ${window_id}`, `its sequence ${sequence} is not in table rl`);
      }
    }
  }

  /** Checks one row and gives its number of tokens. */
  async #checkRow(row: AnyRow, table: TableName, place: string): Promise<number> {
    const spec: TableSpec = TABLES[table];
    const problem = valuesProblem(spec, row);
    this.#checks.values.look(place, problem);
    // the other checks rely on the types
    if (problem !== null) return tokensOf(spec, row);
    if (spec.key !== null) this.#checks.keys.look(place, this.#keyProblem(table, String(row[spec.key])));
    if (table === 'sft') await this.#checkSft(row as unknown as ReadSftRow, place);
    if (table === 'windows') {
      this.#checkWindow(row as unknown as ReadWindowRow, place);
      this.#expanded?.storedWindow(row);
    }
    if (table === 'rl') {
      this.#checkSequence(row as unknown as ReadRlRow, place);
      this.#expanded?.storedSequence(row);
    }
    if (table === 'executions') this.#columns.execution(row as unknown as ReadExecutionRow);
    if (table === 'trajectories') this.#columns.trajectory(row as unknown as ReadTrajectoryRow, place);
    if (table === 'expanded') this.#checkExpanded(row as unknown as ExpandedRow, place);
    return tokensOf(spec, row);
  }

  #keyProblem(table: TableName, key: string): string | null {
    const seen = this.#seen.get(table) ?? new Set<string>();
    this.#seen.set(table, seen);
    if (seen.has(key)) return 'another row has the same id';
    seen.add(key);
    return null;
  }

  async #checkSft(row: ReadSftRow, place: string): Promise<void> {
    this.#checks.tokens.look(place, sftTokensProblem(row));
    this.#columns.sft(row, place);
    this.#checks.proofs.look(place, sftProofsProblem(row) ?? (await this.#prove?.(row)) ?? null);
  }

  #checkExpanded(row: ExpandedRow, place: string): void {
    const problem = expandedRowProblem(row);
    this.#checks.tokens.look(place, problem);
    this.#checks.rewards.look(place, rewardProblem(row));
    const isStored = !this.#lost.has('rl') && !this.#lost.has('windows');
    if (problem === null && isStored) this.#expanded?.take(row);
  }

  #checkWindow(row: ReadWindowRow, place: string): void {
    this.#checks.rewards.look(place, rewardProblem(row));
    const { place: window, problem } = windowPlace(row);
    this.#checks.windows.look(place, problem);
    this.#columns.window(row, place);
    if (window === null || row.sequence_id === null) return;
    const windows = this.#windows.get(row.sequence_id) ?? [];
    windows.push(window);
    this.#windows.set(row.sequence_id, windows);
  }

  #checkSequence(row: ReadRlRow, place: string): void {
    const problem = rlTokensProblem(row);
    this.#checks.tokens.look(place, problem);
    const windows = this.#whole.has('windows') ? (this.#windows.get(row.sequence_id) ?? []) : undefined;
    windows?.sort((a, b) => a.token_start - b.token_start);
    this.#windows.delete(row.sequence_id);
    if (windows !== undefined && problem === null) {
      this.#checks.windows.look(place, sequenceProblem(row, windows));
    }
    this.#checks.rewards.look(place, sequenceRewardsProblem(row, windows));
  }
}

function valuesProblem(spec: TableSpec, row: AnyRow): string | null {
  for (const column of spec.columns) {
    const problem = columnProblem(column, row[column.name]);
    if (problem !== null) return `${column.name} ${problem}`;
  }
  return null;
}
