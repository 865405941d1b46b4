import { makeSubmission } from '../trajectory/build.js';
import type { Submission } from '../trajectory/execution.js';
import type { TaskClaims } from '../trajectory/trajectory.js';
import { asBoolean, asId, asNumber, isObject, type JsonObject } from './shape.js';

/** Loggers of experiments write true and false as 1 and 0. */
function asTruth(value: unknown): boolean | null {
  return value === 1 || value === 0 ? value === 1 : asBoolean(value);
}

/** Grader of MLE-bench reports; its scores are of hidden labels. */
export const MLEBENCH = 'mle-bench';

/** What MLE-bench says of one submission. */
export interface CompetitionReport {
  readonly competition_id: string | null;
  readonly score: number | null;
  readonly gradable: boolean;
  readonly claims: TaskClaims;
  readonly flags: readonly string[];
}

/** A CompetitionReport, in an object of its own or under keys with a prefix (`metric_info/score`); null for anything else. */
export function competitionReport(value: unknown, prefix = ''): CompetitionReport | null {
  if (!isObject(value)) return null;
  const at = (key: string): unknown => value[`${prefix}${key}`];
  if (
    !Object.hasOwn(value, `${prefix}valid_submission`) &&
    !Object.hasOwn(value, `${prefix}gold_threshold`)
  ) {
    return null;
  }
  const score = asNumber(at('score'));
  const valid = asTruth(at('valid_submission'));
  const exists = asTruth(at('submission_exists'));
  return {
    competition_id: asId(at('competition_id')),
    score,
    gradable: score !== null && valid !== false,
    claims: {
      metric: null,
      is_lower_better: asTruth(at('is_lower_better')),
      gold: asNumber(at('gold_threshold')),
      silver: asNumber(at('silver_threshold')),
      bronze: asNumber(at('bronze_threshold')),
      median: asNumber(at('median_threshold')),
    },
    flags: [
      ...(exists === false ? ['submission_missing'] : []),
      // A valid submission whose score is no finite number: the log contradicts itself.
      ...(valid === true && score === null ? ['valid_without_score'] : []),
      ...(valid === false && score !== null ? ['invalid_with_score'] : []),
    ],
  };
}

/** The reports that a file of MLE-bench holds: aggregated, or the grade of one submission. */
export function competitionReports(document: unknown): JsonObject[] {
  if (!isObject(document)) return [];
  const list = document['competition_reports'];
  if (Array.isArray(list)) return list.filter(isObject);
  return Object.hasOwn(document, 'competition_id') && competitionReport(document) !== null ? [document] : [];
}

export function reportSubmission(
  report: CompetitionReport,
  at: { execution_id: string | null; observed_turn: number | null; order: number },
): Submission {
  return makeSubmission(
    {
      execution_id: at.execution_id,
      order: at.order,
      gradable: report.gradable,
      score: report.gradable ? report.score : null,
      scale: 'test',
    },
    { observed_turn: at.observed_turn, grader: MLEBENCH, flags: [...report.flags] },
  );
}
