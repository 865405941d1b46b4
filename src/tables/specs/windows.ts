import { MEDALS } from '../../grading/task-record.js';
import { SCORE_SCALES } from '../../trajectory/execution.js';
import { OUTCOMES, TRENDS } from '../../windows/window.js';
import type { TableSpec } from '../table-spec.js';
import { LINEAGE_COLUMNS } from './lineage.js';

export const WINDOWS_TABLE = {
  name: 'windows',
  doc: 'One execution window without its tokens: outcome, scores, reward and where it lies in its sequence.',
  key: 'window_id',
  token_column: null,
  columns: [
    ...LINEAGE_COLUMNS,
    {
      name: 'window_id',
      type: 'string',
      nullable: false,
      doc: 'unique in the corpus and the same in every run',
    },
    {
      name: 'sequence_id',
      type: 'string',
      nullable: true,
      doc: 'row of table rl that holds its tokens, written or not as the pipeline asks; null where there is none',
    },
    {
      name: 'token_start',
      type: 'int32',
      nullable: true,
      doc: 'first token of the window in its sequence; null without a sequence',
    },
    {
      name: 'token_end',
      type: 'int32',
      nullable: true,
      doc: 'token after its last one, exclusive; null without a sequence',
    },
    { name: 'turn_start', type: 'int32', nullable: false, doc: 'first turn with an action of the window' },
    {
      name: 'turn_end',
      type: 'int32',
      nullable: false,
      doc: 'last turn with an action of the window, inclusive',
    },
    { name: 'execution_id', type: 'string', nullable: false, doc: 'execution that the window led to' },
    { name: 'outcome', type: 'string', nullable: false, values: OUTCOMES, doc: 'how that execution ended' },
    { name: 'score', type: 'float64', nullable: true, doc: 'its score, as logged, unrounded' },
    {
      name: 'score_scale',
      type: 'string',
      nullable: true,
      values: SCORE_SCALES,
      doc: 'where the score was measured',
    },
    {
      name: 'previous_score',
      type: 'float64',
      nullable: true,
      doc: 'score of the previous valid submission on that scale',
    },
    {
      name: 'trend',
      type: 'string',
      nullable: true,
      values: TRENDS,
      doc: 'how performance moved against the previous valid submission; null with nothing to compare',
    },
    {
      name: 'medal',
      type: 'string',
      nullable: true,
      values: [...MEDALS, 'none'],
      doc: 'medal of the score; none is graded and below bronze, null is unknown',
    },
    {
      name: 'threshold_source',
      type: 'string',
      nullable: true,
      doc: 'where the thresholds of the medals came from: leaderboard, baselines, corpus_quantiles, pipeline, ...; null where the task has none',
    },
    { name: 'reward', type: 'float64', nullable: true, doc: 'null where the outcome pays nothing' },
    {
      name: 'reward_name',
      type: 'string',
      nullable: true,
      doc: 'reward function; null where none was asked for',
    },
    { name: 'n_trained', type: 'int32', nullable: false, doc: 'trained tokens; 0 without a sequence' },
    { name: 'seconds', type: 'float64', nullable: true, doc: 'wall seconds of the execution' },
    { name: 'completed_at', type: 'string', nullable: true, doc: 'end of the execution, ISO 8601' },
    {
      name: 'parent_window',
      type: 'string',
      nullable: true,
      doc: 'window_id of the window of its parent node in a search tree, with which the trend parent compares; null without one, or where that window has no row',
    },
  ],
} as const satisfies TableSpec;
