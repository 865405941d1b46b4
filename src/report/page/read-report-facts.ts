import { existsSync } from 'node:fs';
import type { TaskRecord } from '../../grading/task-record.js';
import type { Reject } from '../../logs/reject.js';
import type { CorpusManifest } from '../../tables/manifest.js';
import { rejectLines } from '../explain/stored-rows.js';
import { readPolicyFigures } from '../policy/policy-figures.js';
import { FACT_COLUMNS, FactsBuilder, tasksByName } from '../stats/facts-builder.js';
import { tableRows } from '../table-rows.js';
import {
  type LengthDetail,
  PAGE_COLUMNS,
  type ReportFacts,
  type RowDetail,
  type TrajectoryDetail,
} from './report-facts.js';

/** The page lists no more rejected records than this; their counts are whole. */
export const LISTED_REJECTS = 20_000;

interface ReadOptions {
  readonly corpus: string;
  readonly manifest: CorpusManifest;
  readonly tasks: readonly TaskRecord[];
  /** rejects.jsonl of the run; null without its folder */
  readonly rejects: string | null;
}

/** One pass over the tables of a committed corpus, without tokens and texts. */
export async function readReportFacts(options: ReadOptions): Promise<ReportFacts> {
  const { corpus, manifest, tasks } = options;
  const builder = new FactsBuilder();
  const trajectories: TrajectoryDetail[] = [];
  const rows: RowDetail[] = [];
  const lengths: LengthDetail[] = [];
  const of = { corpus, manifest };
  for await (const row of tableRows({ ...of, table: 'executions', columns: FACT_COLUMNS.executions })) {
    builder.execution(row);
  }
  for await (const row of tableRows({ ...of, table: 'windows', columns: PAGE_COLUMNS.windows })) {
    builder.window(row);
    const { token_start: start, token_end: end, n_trained } = row;
    if (start === null || end === null) continue;
    lengths.push({ ...lineageOf(row), n_tokens: end - start, n_trained });
  }
  for await (const row of tableRows({ ...of, table: 'sft', columns: PAGE_COLUMNS.sft })) {
    builder.prefix(row);
    const { n_tokens, n_trained, split, mask_policy, proofs, ids_differ_because } = row;
    rows.push({ ...lineageOf(row), n_tokens, n_trained, split, mask_policy, proofs, ids_differ_because });
  }
  for await (const row of tableRows({ ...of, table: 'trajectories', columns: PAGE_COLUMNS.trajectories })) {
    builder.trajectory(row);
    trajectories.push(row);
  }
  return {
    facts: builder.build({ rejects: manifest.rejects, tasks: tasksByName(tasks) }),
    trajectories,
    rows,
    lengths,
    policy: await readPolicyFigures(corpus, null),
    rejects: await firstRejects(options.rejects),
  };
}

/** Written out: a copy of the row would keep its lists in memory. */
function lineageOf({
  trajectory_id,
  source_path,
  task_id,
  scaffold,
  model,
}: Omit<LengthDetail, 'n_tokens' | 'n_trained'>) {
  return { trajectory_id, source_path, task_id, scaffold, model };
}

async function firstRejects(path: string | null): Promise<Reject[] | null> {
  if (path === null || !existsSync(path)) return null;
  const rejects: Reject[] = [];
  for await (const reject of rejectLines(path)) {
    rejects.push(reject);
    if (rejects.length === LISTED_REJECTS) break;
  }
  return rejects;
}
