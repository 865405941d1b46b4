import { reaches } from '../grading/medals.js';
import { TaskIndex } from '../grading/task-index.js';
import type { TaskRecord } from '../grading/task-record.js';
import { type CorpusQuantile, type CorpusScores, corpusScoresOf } from '../selection/corpus-scores.js';
import type { SelectionOptions } from '../selection/options.js';
import { qualityThreshold } from '../selection/quality.js';
import type { Decisions } from './decisions.js';
import type { SurveyRow } from './survey.js';

/** Task records and quality quantiles once the corpus is known. */
export class CorpusThresholds {
  readonly tasks: TaskIndex;
  readonly scores: CorpusScores;

  constructor(from: {
    readonly records: readonly TaskRecord[];
    readonly thresholds: Decisions['thresholds'];
    readonly quantiles: readonly CorpusQuantile[];
  }) {
    const found = new Map(from.thresholds.map((row) => [row.task_id, row]));
    this.tasks = TaskIndex.of(
      from.records.map((record) => {
        const own = found.get(record.task_id);
        if (own === undefined) return record;
        const { gold, silver, bronze, median } = own;
        return { ...record, thresholds: { gold, silver, bronze, median } };
      }),
    );
    this.scores = corpusScoresOf(from.quantiles);
  }

  /** Whether selection will keep a surveyed trajectory; false where the survey was not asked. */
  keeps({ prospect = false, task }: SurveyRow, options: SelectionOptions): boolean {
    if (typeof prospect === 'boolean') return prospect;
    const record = task === null ? null : this.tasks.find(task);
    if (record === null || options.quality === null) return false;
    const threshold = qualityThreshold({
      quality: options.quality,
      task: record,
      scale: options.score_scale,
      corpus: this.scores,
    });
    return !('reason' in threshold) && reaches(prospect, threshold.score, record.is_lower_better);
  }
}
