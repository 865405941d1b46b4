import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import type { StoredMessage } from '../../src/chat/messages.js';
import type { ExportReport } from '../../src/export/export-report.js';
import type { ExportOptions } from '../../src/export/exporter.js';
import { runExport } from '../../src/export/run-export.js';
import { type ManifestFile, shardPath } from '../../src/tables/manifest.js';
import { openShardWriter } from '../../src/tables/shard-writer.js';
import type { TableSpec } from '../../src/tables/table-spec.js';
import { TABLES, type TableName } from '../../src/tables/table-specs.js';
import { type CorpusRows, rlRow, secondWindow, sftRow, windowRow, writeManifest } from '../tables/corpus.js';

const home = mkdtempSync(join(tmpdir(), 'trajmill-export-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A new folder, gone after the tests of a file. */
export const newFolder = (): string => mkdtempSync(join(home, 'f-'));

export const MESSAGES: readonly StoredMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Train it. \u{1f600}' },
  {
    role: 'assistant',
    content: 'First.',
    reasoning_content: 'Think.',
    tool_calls: [
      {
        id: 'c1',
        type: 'function',
        function: { name: 'run', arguments: '{"x": 1.0, "big": 12345678901234567890}' },
        arguments_were_object: true,
      },
    ],
    trained: false,
  },
  { role: 'tool', content: 'score 0.5', tool_call_id: 'c1', name: 'run' },
  { role: 'assistant', content: 'Done.', trained: true },
];

const TOOLS =
  '[{"type": "function", "function": {"name": "run", "parameters": {"type": "object", "max": 1e5}}}]';

const row = (row_id: string, input_ids: number[], loss_mask: number[], rest = {}) =>
  sftRow({
    row_id,
    input_ids,
    loss_mask,
    n_tokens: input_ids.length,
    n_trained: loss_mask.filter((bit) => bit === 1).length,
    messages: JSON.stringify(MESSAGES),
    ...rest,
  });

/** Rows on which an error by one shows; the first token of the second is trained, as nothing can predict it. */
export const SFT_ROWS = [
  row('r0', [11, 12, 13], [0, 1, 1], { tools: TOOLS }),
  row('r1', [21, 22, 23, 24, 25], [1, 0, 1, 0, 1], { mask_policy: 'nemo-rl' }),
  row('r2', [31, 32, 33, 34], [0, 0, 0, 1], { ids_differ_because: ['split'] }),
];

export const VALIDATION_ROWS = [row('v0', [41, 42], [0, 1], { split: 'validation' })];

const logProbs = [null, -0.5, -0.25, null, -1, null, -2, null];

/** Two windows of reward -1 and 1.2 (tokens 1-2, and 4 and 6), recorded; and one that pays nothing. */
export const RL_ROWS = [
  rlRow({
    window_rewards: [-1, 1.2],
    rollout_log_probs: logProbs,
    policy_data: 'recorded',
    weight_version: '7',
    task_id: 'titanic',
  }),
  rlRow({
    sequence_id: 's1',
    window_rewards: [null, null],
    policy_data: 'recorded',
    rollout_log_probs: logProbs,
  }),
];

export const WINDOW_ROWS = [
  windowRow({ window_id: 'w0', task_id: 'titanic' }),
  secondWindow({
    task_id: 'titanic',
    outcome: 'bronze',
    reward: 1.2,
    score: 0.9,
    score_scale: 'test',
    trend: 'rose',
  }),
  windowRow({ window_id: 'w2', sequence_id: 's1', outcome: 'ungraded', reward: null }),
  secondWindow({ window_id: 'w3', sequence_id: 's1' }),
];

type SplitRows = Readonly<Record<string, CorpusRows>>;

/** A corpus in a folder of its own, one shard a table and split. */
export const writeSplits = (splits: SplitRows): Promise<string> => writeTasks([splits]);

/** The same, written by several tasks: one shard a table, split and task. */
export async function writeTasks(tasks: readonly SplitRows[]): Promise<string> {
  const dir = newFolder();
  const files: ManifestFile[] = [];
  for (const [task, splits] of tasks.entries())
    files.push(...(await writeTask(dir, splits, { task, of: tasks.length })));
  writeManifest(dir, files);
  return dir;
}

async function writeTask(
  dir: string,
  splits: SplitRows,
  { task, of }: { task: number; of: number },
): Promise<ManifestFile[]> {
  const files: ManifestFile[] = [];
  for (const [split, tables] of Object.entries(splits)) {
    for (const [table, rows] of Object.entries(tables) as [TableName, readonly unknown[]][]) {
      const path = shardPath(table, split, { index: task, of });
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      const writer = await openShardWriter<TableSpec>({
        path: join(dir, path),
        spec: TABLES[table],
        metadata: { plan_id: 'plan' },
        rowGroup: { maxRows: 2 },
      });
      for (const each of rows) await writer.append(each as never);
      files.push({ path, table, split, ...(await writer.close()), task });
    }
  }
  return files;
}

export const wholeCorpus = (): Promise<string> =>
  writeSplits({
    train: { sft: SFT_ROWS, rl: RL_ROWS, windows: WINDOW_ROWS },
    validation: { sft: VALIDATION_ROWS },
  });

interface Request {
  readonly split?: string;
  readonly offlinePolicy?: boolean;
  readonly scoreScale?: string;
  readonly options?: Partial<ExportOptions>;
}

export interface Exported extends ExportReport {
  readonly path: (...names: string[]) => string;
  readonly lines: (...names: string[]) => Record<string, unknown>[];
}

const DEFAULTS: ExportOptions = { pack: null, overlong: 'error', eosToken: null, denominator: 'window' };

/** Exports a corpus beside itself. */
export async function exported(dir: string, to: string, request: Request = {}): Promise<Exported> {
  const out = join(newFolder(), to);
  const report = await runExport({
    dir,
    to,
    out,
    split: request.split ?? null,
    offlinePolicy: request.offlinePolicy ?? false,
    scoreScale: request.scoreScale ?? null,
    options: { ...DEFAULTS, ...request.options },
  });
  const path = (...names: string[]): string => join(out, ...names);
  const lines = (...names: string[]): Record<string, unknown>[] =>
    readFileSync(path(...names), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { ...report, path, lines };
}
