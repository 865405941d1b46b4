import { parseJsonText } from '../logs/json.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import {
  type CompetitionReport,
  competitionReport,
  competitionReports,
  reportSubmission,
} from './competition-report.js';

/** Names under which MLE-bench and its re-implementations write grades. */
const GRADE_NAME = /(?:grad(?:e|ing|es)(?:_report)?|competition_report)\.json$/i;

/** Whether a file's name is that of a grade, for logs that look for one beside them. */
export function isGradeName(name: string): boolean {
  return GRADE_NAME.test(name);
}

/**
 * The run with the grade of its final submission, where one lies beside it. A report of several competitions counts
 * only for the one that the run's path or task names. Which experiment made the submission the report does not say.
 */
export function joinGrade(run: RawTrajectory, context: ReadContext): RawTrajectory {
  if (run.submissions.some(({ scale }) => scale === 'test')) return run;
  const names = context.siblings.names.filter(isGradeName);
  const found = names.flatMap((name) => reportsIn(context.siblings.readText(name, 'mlebench_grade')));
  const named = found.filter(({ competition_id }) => isOf(run, context.place.path, competition_id));
  const fitting = named.length > 0 ? named : found.length === 1 ? found : [];
  const [report, ...others] = fitting;
  if (report === undefined) return found.length === 0 ? run : flagged(run, 'grade_of_other_competition');
  if (others.length > 0) return flagged(run, 'several_grades');
  const order = run.submissions.length;
  const contradicts =
    run.task_claims !== null &&
    run.task_claims.is_lower_better !== null &&
    report.claims.is_lower_better !== null &&
    run.task_claims.is_lower_better !== report.claims.is_lower_better;
  return {
    ...run,
    task_id: run.task_id ?? report.competition_id,
    task_claims: contradicts ? { ...report.claims, is_lower_better: null } : report.claims,
    submissions: [
      ...run.submissions,
      reportSubmission(report, { execution_id: null, observed_turn: null, order }),
    ],
    flags: [...run.flags, 'grade_joined', ...(contradicts ? ['direction_inconsistent'] : [])],
  };
}

function reportsIn(text: string | null): CompetitionReport[] {
  if (text === null) return [];
  try {
    return competitionReports(parseJsonText(text).value).flatMap((row) => competitionReport(row) ?? []);
  } catch {
    return [];
  }
}

function isOf(run: RawTrajectory, path: string, competition: string | null): boolean {
  return competition !== null && (run.task_id === competition || path.includes(competition));
}

function flagged(run: RawTrajectory, flag: string): RawTrajectory {
  return { ...run, flags: [...run.flags, flag] };
}
