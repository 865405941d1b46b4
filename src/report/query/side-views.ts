import type { TaskRecord } from '../../grading/task-record.js';
import type { CorpusManifest } from '../../tables/manifest.js';
import type { AnyRow, TableSpec } from '../../tables/table-spec.js';
import type { QueryCorpus } from './query-corpus.js';

const TASKS_VIEW = {
  name: 'tasks',
  doc: 'One task record of the plan, with the thresholds that the run decided by; the shipped ones without a plan.',
  key: 'task_id',
  token_column: null,
  columns: [
    { name: 'task_id', type: 'string', nullable: false, doc: 'id of the task' },
    { name: 'aliases', type: 'list<string>', nullable: false, doc: 'other names of it' },
    { name: 'family', type: 'string', nullable: true, doc: 'seed task that it was derived from' },
    { name: 'origin', type: 'string', nullable: false, doc: 'official or synthetic' },
    { name: 'metric', type: 'string', nullable: true, doc: 'name of the metric' },
    { name: 'is_lower_better', type: 'bool', nullable: false, doc: 'direction of the metric' },
    { name: 'gold', type: 'float64', nullable: true, doc: 'score of a gold medal' },
    { name: 'silver', type: 'float64', nullable: true, doc: 'score of a silver medal' },
    { name: 'bronze', type: 'float64', nullable: true, doc: 'score of a bronze medal' },
    { name: 'median', type: 'float64', nullable: true, doc: 'median score of the leaderboard' },
    { name: 'threshold_source', type: 'string', nullable: true, doc: 'where the thresholds came from' },
    {
      name: 'sample_submission_score',
      type: 'float64',
      nullable: true,
      doc: 'score of the sample submission',
    },
    { name: 'n_teams', type: 'int64', nullable: true, doc: 'teams on the leaderboard' },
    { name: 'split', type: 'string', nullable: true, doc: 'low, medium, high or dev of MLE-bench' },
    { name: 'domain', type: 'string', nullable: true, doc: 'domain' },
    { name: 'modality', type: 'string', nullable: true, doc: 'kind of data' },
    { name: 'problem_type', type: 'string', nullable: true, doc: 'kind of problem' },
    { name: 'licence', type: 'string', nullable: true, doc: 'licence of the data' },
    { name: 'provenance', type: 'string', nullable: true, doc: 'where the record came from' },
  ],
} as const satisfies TableSpec;

const DECISIONS_VIEW = {
  name: 'decisions',
  doc: 'What the whole corpus decided on one trajectory; those that it left to selection are absent.',
  key: null,
  token_column: null,
  columns: [
    { name: 'task', type: 'int64', nullable: false, doc: 'task of the plan, from 0; no task of an agent' },
    {
      name: 'order',
      type: 'int64',
      nullable: false,
      doc: 'place among the trajectories of that task, from 0',
    },
    { name: 'trajectory_id', type: 'string', nullable: false, doc: 'the trajectory' },
    {
      name: 'decision',
      type: 'string',
      nullable: false,
      doc: 'duplicate, filtered, copy: a duplicate that is kept, or repeats: some replies are not trained',
    },
    {
      name: 'reason',
      type: 'string',
      nullable: false,
      doc: 'equal_turns, near_duplicate, repeated_replies, or a filter reason',
    },
    {
      name: 'occurrence',
      type: 'int64',
      nullable: false,
      doc: 'how many equal trajectories stand before it',
    },
    {
      name: 'duplicate_of',
      type: 'string',
      nullable: true,
      doc: 'trajectory_id of the one that stands for it',
    },
    { name: 'detail', type: 'string', nullable: true, doc: 'a sentence with what decided' },
  ],
} as const satisfies TableSpec;

const FILES_VIEW = {
  name: 'files',
  doc: 'One file of the corpus, as the manifest names it.',
  key: 'path',
  token_column: null,
  columns: [
    { name: 'path', type: 'string', nullable: false, doc: 'relative to the corpus' },
    { name: 'table_name', type: 'string', nullable: false, doc: 'table that it is a shard of' },
    { name: 'split', type: 'string', nullable: false, doc: 'split of its rows' },
    { name: 'rows', type: 'int64', nullable: false, doc: 'rows' },
    { name: 'tokens', type: 'int64', nullable: false, doc: 'tokens of its rows' },
    { name: 'bytes', type: 'int64', nullable: false, doc: 'size' },
    { name: 'sha256', type: 'string', nullable: false, doc: 'sha256 (hex) of the file' },
    { name: 'row_groups', type: 'int64', nullable: false, doc: 'row groups' },
    { name: 'task', type: 'int64', nullable: true, doc: 'task of the plan that wrote it' },
  ],
} as const satisfies TableSpec;

const COUNTS_VIEW = {
  name: 'counts',
  doc: 'One number that the run counted, as the manifest holds it.',
  key: null,
  token_column: null,
  columns: [
    { name: 'name', type: 'string', nullable: false, doc: 'what was counted' },
    { name: 'key', type: 'string', nullable: true, doc: 'for which value; null for a single number' },
    { name: 'value', type: 'float64', nullable: false, doc: 'the count' },
  ],
} as const satisfies TableSpec;

const CORPUS_VIEW = {
  name: 'corpus',
  doc: 'One row: the plan and the versions that the corpus was written by.',
  key: null,
  token_column: null,
  columns: [
    { name: 'plan_id', type: 'string', nullable: false, doc: 'sha256 (hex) of the plan' },
    { name: 'tool_version', type: 'string', nullable: false, doc: 'version of trajmill' },
    { name: 'schema_version', type: 'int64', nullable: false, doc: 'version of the column lists' },
  ],
} as const satisfies TableSpec;

/** Lines of rejects.jsonl. DuckDB reads the file itself, since it may be long. */
export const REJECTS_VIEW = {
  name: 'rejects',
  doc: 'One record that was refused; empty where the corpus lies without its run folder.',
  key: null,
  token_column: null,
  columns: [
    { name: 'source', type: 'string', nullable: false, doc: 'raw log, relative to the input root' },
    { name: 'line', type: 'int64', nullable: true, doc: 'line, from 1; null for a whole file' },
    { name: 'byte_start', type: 'int64', nullable: false, doc: 'first byte' },
    { name: 'byte_end', type: 'int64', nullable: false, doc: 'byte after the last one, exclusive' },
    { name: 'sha256', type: 'string', nullable: true, doc: 'sha256 (hex) of those bytes' },
    { name: 'stage', type: 'string', nullable: false, doc: 'where it was refused' },
    { name: 'code', type: 'string', nullable: false, doc: 'reject code' },
    { name: 'message', type: 'string', nullable: false, doc: 'a sentence with the values' },
    { name: 'format', type: 'string', nullable: true, doc: 'raw format, where it was recognised' },
    { name: 'trajectory_id', type: 'string', nullable: true, doc: 'the trajectory, where one was read' },
  ],
} as const satisfies TableSpec;

export interface SideView {
  readonly spec: TableSpec;
  readonly rows: (source: QueryCorpus) => readonly AnyRow[];
}

function taskRow({ thresholds, ...record }: TaskRecord): AnyRow {
  return { ...record, ...(thresholds ?? { gold: null, silver: null, bronze: null, median: null }) };
}

function countRows({ counts, rejects }: CorpusManifest): AnyRow[] {
  const named: CorpusManifest['counts'] = { ...counts, rejects };
  return Object.entries(named).flatMap(([name, count]): AnyRow[] => {
    if (typeof count === 'number') return [{ name, key: null, value: count }];
    return Object.entries(count).map(([key, value]) => ({ name, key, value }));
  });
}

/** Views over what lies beside the tables and is small: made from values in memory. */
export const SIDE_VIEWS: readonly SideView[] = [
  { spec: TASKS_VIEW, rows: ({ tasks }) => tasks.map(taskRow) },
  { spec: DECISIONS_VIEW, rows: ({ decisions }) => decisions },
  {
    spec: FILES_VIEW,
    rows: ({ manifest }) => manifest.files.map(({ table, ...file }) => ({ ...file, table_name: table })),
  },
  { spec: COUNTS_VIEW, rows: ({ manifest }) => countRows(manifest) },
  {
    spec: CORPUS_VIEW,
    rows: ({ manifest: { plan_id, tool_version, schema_version } }) => [
      { plan_id, tool_version, schema_version },
    ],
  },
];
