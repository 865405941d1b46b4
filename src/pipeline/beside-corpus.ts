import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { type CardPlan, datasetCard } from '../tables/card.js';
import { CROISSANT_NAME, croissant } from '../tables/croissant.js';
import type { CorpusManifest } from '../tables/manifest.js';
import type { Finding } from '../tables/verify.js';
import { TOOL_VERSION } from '../version.js';
import { canonicalSha256 } from './canonical-json.js';
import { type Part, readCompletion } from './completion.js';
import { RejectCounter } from './reject-counter.js';
import { type RunFolder, runFolder } from './run-folder.js';

/** What a plan file is looked at for, also one of another version. */
interface StoredPlan {
  readonly plan_id?: unknown;
  readonly body?: {
    readonly tasks?: readonly unknown[];
    readonly decontamination?: {
      readonly lists: readonly { name: string }[];
      readonly texts: readonly { name: string }[];
    };
  };
}

/**
 * What lies around the shards of a run against the manifest: the plan and its seal, the counts of summary.json, every
 * byte of rejects.jsonl, croissant.json, and what loaders read in the head of the card. A corpus that was moved away from
 * its plan has nothing of it; what another version wrote is compared as far as it says the same in every version.
 */
export async function besideCorpus(corpus: string, manifest: CorpusManifest): Promise<Finding[]> {
  const folder = runFolder(dirname(corpus));
  if (basename(corpus) !== basename(folder.corpus) || !existsSync(folder.plan)) return [];
  const { plan, problem } = readStoredPlan(folder, manifest);
  const findings: Finding[] = [{ place: '../plan.json', problem }];
  if (plan === null) return findings;
  findings.push({ place: '../rejects.jsonl', problem: await rejectsProblem(folder, manifest, plan) });
  if (manifest.tool_version !== TOOL_VERSION) return findings;
  findings.push({ place: '../summary.json', problem: summaryProblem(folder, manifest, plan) });
  // the plan was sealed by this version, so it has what a card tells of it
  const card = plan as CardPlan;
  findings.push({
    place: CROISSANT_NAME,
    problem: textProblem(join(corpus, CROISSANT_NAME), (text) =>
      text === croissant(manifest, card) ? null : 'is not what the manifest gives',
    ),
  });
  findings.push({
    place: 'README.md',
    problem: textProblem(join(corpus, 'README.md'), (text) => headProblem(text, datasetCard(manifest, card))),
  });
  return findings;
}

/** The plan, or null where it is not the one that the corpus was made by. */
function readStoredPlan(
  folder: RunFolder,
  { plan_id: id }: CorpusManifest,
): { plan: StoredPlan | null; problem: string | null } {
  let plan: StoredPlan = {};
  const problem = textProblem(folder.plan, (text) => {
    plan = JSON.parse(text) as StoredPlan;
    if (plan.plan_id !== id) return `is plan ${plan.plan_id}, the manifest says ${id}`;
    return canonicalSha256(plan.body) === id ? null : 'was changed after it was frozen';
  });
  return { plan: problem === null ? plan : null, problem };
}

function summaryProblem(folder: RunFolder, manifest: CorpusManifest, plan: StoredPlan): string | null {
  return textProblem(folder.summary, (text) => {
    const { out_dir: _, ...said } = JSON.parse(text) as Record<string, unknown>;
    const expected = summaryOf(manifest, plan);
    for (const name of new Set([...Object.keys(expected), ...Object.keys(said)])) {
      if (isDeepStrictEqual(said[name], expected[name])) continue;
      return `${name} is ${shown(said[name])}, the manifest gives ${shown(expected[name])}`;
    }
    return null;
  });
}

/** summary.json as the manifest gives it, without the folder of the run. */
function summaryOf({ counts, rejects, files, plan_id }: CorpusManifest, { body }: StoredPlan) {
  const rows: Record<string, number> = {};
  for (const file of files) rows[file.table] = (rows[file.table] ?? 0) + file.rows;
  const { lists = [], texts = [] } = body?.decontamination ?? {};
  return {
    ...counts,
    rejected_by_code: rejects,
    rows,
    decontamination: [...lists, ...texts].map(({ name }) => name),
    plan_id,
    files: files.map((file) => ({ path: `corpus/${file.path}`, rows: file.rows, bytes: file.bytes })),
    seconds: null,
  } as Record<string, unknown>;
}

/** By the sums of the tasks where their markers are there, else by codes. */
async function rejectsProblem(
  folder: RunFolder,
  manifest: CorpusManifest,
  plan: StoredPlan,
): Promise<string | null> {
  if (!existsSync(folder.rejects)) return 'is missing';
  const parts: Part[] = [];
  for (const task of (plan.body?.tasks ?? []).keys()) {
    const completion = readCompletion(folder, task, manifest.plan_id);
    if (completion === null) return codesProblem(folder, manifest);
    parts.push(...completion.parts.filter(({ table, rows }) => table === 'rejects' && rows > 0));
  }
  const expected = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const { size } = statSync(folder.rejects);
  if (size !== expected) return `has ${size} bytes, the tasks wrote ${expected}`;
  let start = 0;
  for (const { bytes, sha256 } of parts) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(folder.rejects, { start, end: start + bytes - 1 })) {
      hash.update(chunk as Buffer);
    }
    if (hash.digest('hex') !== sha256)
      return `bytes ${start} to ${start + bytes} are not what their task wrote`;
    start += bytes;
  }
  return codesProblem(folder, manifest);
}

async function codesProblem(folder: RunFolder, { rejects }: CorpusManifest): Promise<string | null> {
  const counter = new RejectCounter();
  for await (const chunk of createReadStream(folder.rejects)) counter.take(chunk as Buffer);
  const found = counter.counts();
  if (found === null) return 'holds a line that is no reject';
  return isDeepStrictEqual(found, { ...rejects })
    ? null
    : `holds ${shown(found)}, the manifest says ${shown(rejects)}`;
}

/** Pages may be edited by people; what loaders read of a card may not. */
function headProblem(text: string, expected: string): string | null {
  const [said, right] = [frontMatter(text), frontMatter(expected)];
  const wrong = ['configs', 'dataset_info'].filter((name) => !isDeepStrictEqual(said[name], right[name]));
  return wrong.length === 0 ? null : `${wrong.join(' and ')} in its head are not what the manifest gives`;
}

function frontMatter(text: string): Record<string, unknown> {
  const [, head = ''] = /^---\r?\n(.*?)\r?\n---/s.exec(text) ?? [];
  return (parse(head) ?? {}) as Record<string, unknown>;
}

function textProblem(path: string, problemOf: (text: string) => string | null): string | null {
  try {
    return problemOf(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'is missing';
    return `cannot be read: ${message.split('\n')[0]}`;
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
