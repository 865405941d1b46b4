import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ManifestFile, makeManifest, shardPath } from '../../src/tables/manifest.js';
import { openShardWriter } from '../../src/tables/shard-writer.js';
import { PROOF_NAMES } from '../../src/tables/specs/sft.js';
import type { TableSpec } from '../../src/tables/table-spec.js';
import {
  type RlRow,
  type SftRow,
  TABLES,
  type TableName,
  type TableRow,
  type WindowRow,
} from '../../src/tables/table-specs.js';

export const lineage = {
  trajectory_id: 't',
  task_id: null,
  source_path: 'a.jsonl',
  source_format: 'mle-dojo',
  adapter_version: '1',
  scaffold: null,
  model: null,
  flags: [],
};

export function sftRow(change: Partial<SftRow> = {}): SftRow {
  return {
    ...lineage,
    row_id: 'r0',
    stage: null,
    source: null,
    split: 'train',
    rules: ['best'],
    stretch: 0,
    epoch: 0,
    anchor_turn: 3,
    anchor_score: 0.25,
    score_scale: 'test',
    medal: 'none',
    threshold_source: 'leaderboard',
    weight: 1,
    input_ids: [5, 6, 7, 8],
    loss_mask: [0, 1, 1, 0],
    n_tokens: 4,
    n_trained: 2,
    n_turns: 2,
    cut_turns: 0,
    cut_tokens: 0,
    prefix: 'chronological',
    off_path_turns: 0,
    off_path_tokens: 0,
    straddled_tokens: 0,
    mask_policy: 'sampled',
    template_sha256: 'a',
    tokenizer_sha256: 'b',
    strategy: 'split',
    ids_differ_because: [],
    proofs: PROOF_NAMES,
    messages: '[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]',
    tools: null,
    ...change,
  };
}

/** Two windows: tokens 1-2 and 4-6, of which 1, 2, 4 and 6 are trained. */
export function rlRow(change: Partial<RlRow> = {}): RlRow {
  return {
    ...lineage,
    sequence_id: 's0',
    split: 'train',
    input_ids: [1, 2, 3, 4, 5, 6, 7, 8],
    loss_mask: [0, 1, 1, 0, 1, 0, 1, 0],
    window_index: [-1, 0, 0, -1, 1, 1, 1, -1],
    window_rewards: [-1, null],
    window_n_trained: [2, 2],
    rollout_log_probs: null,
    weight_version: null,
    policy_data: 'offline',
    ...change,
  };
}

export function windowRow(change: Partial<WindowRow> = {}): WindowRow {
  return {
    ...lineage,
    window_id: 'w0',
    sequence_id: 's0',
    token_start: 1,
    token_end: 3,
    turn_start: 1,
    turn_end: 1,
    execution_id: 'e0',
    outcome: 'error',
    score: null,
    score_scale: null,
    previous_score: null,
    trend: null,
    medal: null,
    threshold_source: null,
    reward: -1,
    reward_name: 'wirl',
    n_trained: 2,
    seconds: 1.5,
    completed_at: null,
    parent_window: null,
    ...change,
  };
}

export const secondWindow = (change: Partial<WindowRow> = {}): WindowRow =>
  windowRow({ window_id: 'w1', token_start: 4, token_end: 7, outcome: 'ungraded', reward: null, ...change });

export type CorpusRows = { readonly [T in TableName]?: readonly TableRow<T>[] };

export const GOOD_ROWS: CorpusRows = {
  sft: [sftRow(), sftRow({ row_id: 'r1' })],
  rl: [rlRow()],
  windows: [secondWindow(), windowRow()],
  executions: [],
};

/** Writes a committed corpus with one shard a table, and gives the files of its manifest. */
export async function writeCorpus(dir: string, rows: CorpusRows): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  for (const [table, list] of Object.entries(rows) as [TableName, readonly unknown[]][]) {
    const path = shardPath(table, 'train', { index: 0, of: 1 });
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    const writer = await openShardWriter<TableSpec>({
      path: join(dir, path),
      spec: TABLES[table],
      metadata: { plan_id: 'plan' },
      rowGroup: { maxRows: 1 },
    });
    for (const row of list) await writer.append(row as never);
    files.push({ path, table, split: 'train', ...(await writer.close()), task: 0 });
  }
  writeManifest(dir, files);
  return files;
}

export function writeManifest(dir: string, files: ManifestFile[], planId = 'plan'): void {
  const manifest = makeManifest({
    plan_id: planId,
    tool_version: '0',
    files,
    rejects: {},
    counts: { read: 1, kept_by_rule: { best: 1 } },
  });
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest));
}

/** The files with sizes and sums taken anew, as if the shards had been written that way. */
export function resealed(dir: string, files: readonly ManifestFile[]): ManifestFile[] {
  return files.map((file) => {
    const bytes = readFileSync(join(dir, file.path));
    return { ...file, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  });
}
