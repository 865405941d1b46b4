import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TrajmillError } from '../errors.js';
import { datasetCard } from '../tables/card.js';
import { CROISSANT_NAME, croissant } from '../tables/croissant.js';
import { MANIFEST_NAME, type ManifestFile, makeManifest, shardPath } from '../tables/manifest.js';
import { openShardWriter } from '../tables/shard-writer.js';
import { TABLES, type TableName } from '../tables/table-specs.js';
import { TOOL_VERSION } from '../version.js';
import { syncFolder, writeFileAtomic } from './atomic-file.js';
import { isCommitted } from './committed.js';
import { type Completion, type Part, partsIntact, readCompletion } from './completion.js';
import { faultPoint } from './fault.js';
import { makeFolder } from './make-folder.js';
import { type Plan, requirePlan } from './plan.js';
import { type RunFolder, runFolder } from './run-folder.js';
import type { RunSummary } from './run-summary.js';
import { type TaskTotals, TotalsBuilder } from './task-totals.js';

/**
 * Makes the corpus out of the finished parts: shards in task order under their final names, the dataset card, and
 * last of all the manifest. What the manifest does not name does not exist. Committing twice gives the same.
 *
 * @throws TrajmillError E_USAGE while tasks are owed, E_REJECT_LIMIT when too much was rejected
 */
export async function commitRun(options: { outDir: string }): Promise<RunSummary> {
  const folder = runFolder(options.outDir);
  const { plan } = requirePlan(folder);
  if (!isCommitted(folder, plan.plan_id)) {
    try {
      await makeCorpus(folder, plan);
    } catch (error) {
      // another rank may have committed, and cleared the parts away, in the meantime
      if (!isCommitted(folder, plan.plan_id)) throw error;
    }
  }
  clearLeavings(folder);
  return JSON.parse(readFileSync(folder.summary, 'utf8')) as RunSummary;
}

/** Builds the corpus in a folder of its own and puts it in place with one rename: readers see all or nothing. */
async function makeCorpus(folder: RunFolder, plan: Plan): Promise<void> {
  const completions = await loadCompletions(folder, plan);
  const totals = new TotalsBuilder();
  for (const completion of completions) totals.merge(completion.totals);
  const sums = totals.toTotals();
  assertRejectLimit(plan, sums);

  const corpus = `${folder.corpus}${PRIVATE_MARK}${process.pid}`;
  rmSync(corpus, { recursive: true, force: true });
  const files = await placeShards({ folder, corpus, plan, completions });
  const { rejected_by_code: rejectedByCode, ...counts } = sums;
  const manifest = makeManifest({
    plan_id: plan.plan_id,
    tool_version: TOOL_VERSION,
    files,
    rejects: { ...rejectedByCode },
    counts: { ...counts },
  });
  writeFileAtomic(join(corpus, 'README.md'), datasetCard(manifest, plan));
  writeFileAtomic(join(corpus, CROISSANT_NAME), croissant(manifest, plan));
  writeFileAtomic(join(corpus, MANIFEST_NAME), `${JSON.stringify(manifest, null, 2)}\n`);
  await joinRejects(folder, completions);
  const summary = toSummary(folder, plan, sums, files);
  writeFileAtomic(folder.summary, `${JSON.stringify(summary, null, 2)}\n`);
  faultPoint('before-manifest');
  rmSync(folder.corpus, { recursive: true, force: true });
  renameSync(corpus, folder.corpus);
  syncFolder(folder.dir);
  faultPoint('after-manifest');
}

/** Between the name of the corpus and the process that is still building it. */
const PRIVATE_MARK = '.building-';

/** What is of no more use once a corpus stands: parts, and what a committer that died had begun. */
function clearLeavings(folder: RunFolder): void {
  for (const path of [folder.staging, folder.presumed]) rmSync(path, { recursive: true, force: true });
  const begun = `${basename(folder.corpus)}${PRIVATE_MARK}`;
  for (const name of readdirSync(folder.dir)) {
    if (name.startsWith(begun)) rmSync(join(folder.dir, name), { recursive: true, force: true });
  }
}

async function loadCompletions(folder: RunFolder, plan: Plan): Promise<Completion[]> {
  const completions: Completion[] = [];
  const owed: number[] = [];
  for (let task = 0; task < plan.body.tasks.length; task++) {
    const completion = readCompletion(folder, task, plan.plan_id);
    if (completion === null || !(await partsIntact(folder, completion))) owed.push(task);
    else completions.push(completion);
  }
  if (owed.length > 0) {
    throw new TrajmillError(
      'E_USAGE',
      `${owed.length} of ${plan.body.tasks.length} tasks are owed; do them with \`trajmill run ... --resume\``,
      { place: folder.dir },
    );
  }
  return completions;
}

function assertRejectLimit(plan: Plan, totals: TaskTotals): void {
  const limit = plan.body.config.limits.max_rejected;
  if (limit === null) return;
  const allowed = typeof limit === 'number' ? limit : (Number.parseFloat(limit) / 100) * totals.read;
  if (totals.rejected <= allowed) return;
  throw new TrajmillError(
    'E_REJECT_LIMIT',
    `${totals.rejected} of ${totals.read} trajectories were rejected, the pipeline allows ${limit}; see \`trajmill status\` and the parts' rejects.jsonl`,
  );
}

/** Shards get their final names in task order, by hard link where the disk can, so that a retry finds the parts. */
async function placeShards(options: {
  folder: RunFolder;
  corpus: string;
  plan: Plan;
  completions: readonly Completion[];
}): Promise<ManifestFile[]> {
  const { folder, corpus, plan, completions } = options;
  const files: ManifestFile[] = [];
  for (const table of plan.body.config.tables) {
    const bySplit = new Map<string, { part: Part; task: number }[]>();
    for (const { parts, task } of completions) {
      for (const part of parts) {
        if (part.table !== table) continue;
        const list = bySplit.get(part.split) ?? [];
        list.push({ part, task });
        bySplit.set(part.split, list);
      }
    }
    if (bySplit.size === 0) files.push(await emptyShard(corpus, plan, table));
    for (const split of [...bySplit.keys()].sort()) {
      const shards = bySplit.get(split) ?? [];
      shards.forEach(({ part, task }, index) => {
        const path = shardPath(table, split, { index, of: shards.length });
        place(join(folder.dir, part.path), join(corpus, path));
        faultPoint('commit-link');
        const { rows, tokens, bytes, sha256, row_groups } = part;
        files.push({ path, table, split, rows, tokens, bytes, sha256, row_groups, task });
      });
    }
  }
  return files;
}

function place(from: string, to: string): void {
  makeFolder(dirname(to));
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
  syncFolder(dirname(to));
}

/** A table without rows still has a shard with its schema, so that loaders find the columns. */
async function emptyShard(corpus: string, plan: Plan, table: TableName): Promise<ManifestFile> {
  const path = shardPath(table, 'train', { index: 0, of: 1 });
  const absolute = join(corpus, path);
  makeFolder(dirname(absolute));
  const writer = await openShardWriter({
    path: absolute,
    spec: TABLES[table],
    metadata: { plan_id: plan.plan_id },
  });
  return { path, table, split: 'train', ...(await writer.close()), task: null };
}

/** rejects.jsonl of the run: those of the tasks, in order. */
async function joinRejects(folder: RunFolder, completions: readonly Completion[]): Promise<void> {
  const temporary = `${folder.rejects}${PRIVATE_MARK}${process.pid}`;
  writeFileAtomic(temporary, '');
  for (const { parts } of completions) {
    const part = parts.find((each) => each.table === 'rejects');
    if (part === undefined || part.rows === 0) continue;
    await pipeline(
      createReadStream(join(folder.dir, part.path)),
      createWriteStream(temporary, { flags: 'a' }),
    );
  }
  renameSync(temporary, folder.rejects);
}

function toSummary(
  folder: RunFolder,
  plan: Plan,
  totals: TaskTotals,
  files: readonly ManifestFile[],
): RunSummary {
  const { rows: _rows, ...rest } = totals;
  const rows: Record<string, number> = {};
  for (const file of files) rows[file.table] = (rows[file.table] ?? 0) + file.rows;
  return {
    ...rest,
    rows,
    decontamination: decontaminatedBy(plan),
    plan_id: plan.plan_id,
    out_dir: folder.dir,
    files: files.map((file) => ({ path: `corpus/${file.path}`, rows: file.rows, bytes: file.bytes })),
    seconds: null,
  };
}

function decontaminatedBy({ body }: Plan): string[] {
  const { lists, texts } = body.decontamination;
  return [...lists, ...texts].map(({ name }) => name);
}
