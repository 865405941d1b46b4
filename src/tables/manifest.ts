import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { TrajmillError } from '../errors.js';
import { TOOL_VERSION } from '../version.js';
import { SCHEMA_VERSION, TABLE_NAMES } from './table-specs.js';

export const MANIFEST_NAME = 'manifest.json';

/** Split names that dataset readers accept: word characters and dots. */
export const SPLIT_PATTERN = /^\w+(\.\w+)*$/;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().nonnegative();

export const manifestFileSchema = z.strictObject({
  path: z.string().describe('relative to the corpus: data/<table>/<split>-00000-of-00001.parquet'),
  table: z.enum(TABLE_NAMES),
  split: z.string().regex(SPLIT_PATTERN),
  rows: count,
  tokens: count,
  bytes: count.describe('size of the file'),
  sha256,
  row_groups: count,
  task: count
    .nullable()
    .describe('task of the plan that wrote it; null for the empty shard of a table without rows'),
});

const shardTotalsSchema = z.strictObject({ files: count, rows: count, tokens: count, bytes: count });

/** corpus/manifest.json. It is written last: files that it does not name do not exist. It holds no times. */
export const manifestSchema = z
  .strictObject({
    schema_version: z.int().describe('version of the column lists'),
    plan_id: z.string(),
    tool_version: z.string(),
    files: z.array(manifestFileSchema).describe('in the order of tables, splits and shard numbers'),
    totals: z.partialRecord(z.enum(TABLE_NAMES), shardTotalsSchema).describe('sums of the files by table'),
    rejects: z.record(z.string(), count).describe('rejected records by code'),
    counts: z
      .record(z.string(), z.union([z.number(), z.record(z.string(), z.number())]))
      .describe('what the run counted: single numbers, or numbers by name'),
  })
  .describe('what a committed corpus consists of');

export type ManifestFile = z.infer<typeof manifestFileSchema>;
export type ShardTotals = z.infer<typeof shardTotalsSchema>;
export type CorpusManifest = z.infer<typeof manifestSchema>;

/** `data/<table>/<split>-00000-of-000NN.parquet`, the name that dataset readers look for. */
export function shardPath(table: string, split: string, place: { index: number; of: number }): string {
  const digits = (n: number): string => String(n).padStart(5, '0');
  return `data/${table}/${split}-${digits(place.index)}-of-${digits(place.of)}.parquet`;
}

/** Sums over some files of a manifest. */
export function shardTotals(files: readonly ManifestFile[]): ShardTotals {
  const sum = (field: 'rows' | 'tokens' | 'bytes'): number => files.reduce((n, file) => n + file[field], 0);
  return { files: files.length, rows: sum('rows'), tokens: sum('tokens'), bytes: sum('bytes') };
}

/** A manifest with its schema version and its totals by table filled in. */
export function makeManifest(facts: Omit<CorpusManifest, 'schema_version' | 'totals'>): CorpusManifest {
  const { plan_id, tool_version, files, rejects, counts } = facts;
  const totals: CorpusManifest['totals'] = {};
  for (const [table, own] of groupFiles(files, (file) => file.table)) totals[table] = shardTotals(own);
  return { schema_version: SCHEMA_VERSION, plan_id, tool_version, files, totals, rejects, counts };
}

/** The files by what `key` says of them, in the order of their first file. */
export function groupFiles<K>(
  files: readonly ManifestFile[],
  key: (file: ManifestFile) => K,
): Map<K, ManifestFile[]> {
  const groups = new Map<K, ManifestFile[]>();
  for (const file of files) groups.set(key(file), [...(groups.get(key(file)) ?? []), file]);
  return groups;
}

/** What lies there, or null where nothing does. A folder that is closed to us is a fault, not an absence. */
async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new TrajmillError('E_IO', `cannot be read: ${message}`, { place: path, cause });
  }
}

/**
 * The manifest of a corpus, given the corpus or its run folder. Throws TrajmillError E_USAGE where there is no such
 * folder or it has column lists of another version, E_UNCOMMITTED where there is no manifest, E_VERIFY where it is
 * damaged, E_IO where it is closed to us.
 */
export async function readManifest(dir: string): Promise<{ corpus: string; manifest: CorpusManifest }> {
  for (const corpus of [dir, join(dir, 'corpus')]) {
    const path = join(corpus, MANIFEST_NAME);
    if ((await statOf(path)) === null) continue;
    return { corpus, manifest: parseManifest(await readFile(path, 'utf8'), path) };
  }
  const found = await statOf(dir);
  if (found === null) throw new TrajmillError('E_USAGE', 'there is no such folder', { place: dir });
  if (!found.isDirectory()) throw new TrajmillError('E_USAGE', 'is no folder', { place: dir });
  throw new TrajmillError(
    'E_UNCOMMITTED',
    `no ${MANIFEST_NAME}: the corpus is not committed (finish the run, or name another folder)`,
    { place: dir },
  );
}

function parseManifest(text: string, place: string): CorpusManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TrajmillError('E_VERIFY', `is damaged: not JSON; ${ANEW}`, { place, cause });
  }
  refuseOtherVersion(value, place);
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new TrajmillError('E_VERIFY', `is damaged: ${where}${issue?.message}; ${ANEW}`, { place });
}

const ANEW = 'make the corpus anew with `trajmill run`';

/** Other column lists cannot be read by these; the words of their manifest may be others as well. */
function refuseOtherVersion(value: unknown, place: string): void {
  const { schema_version: schema, tool_version: tool } = (value ?? {}) as Record<string, unknown>;
  if (typeof schema !== 'number' || schema === SCHEMA_VERSION) return;
  throw new TrajmillError(
    'E_USAGE',
    `has column lists of version ${schema}, written by trajmill ${tool}; trajmill ${TOOL_VERSION} reads version ` +
      `${SCHEMA_VERSION}: read it with the version that wrote it, or ${ANEW}`,
    { place },
  );
}
