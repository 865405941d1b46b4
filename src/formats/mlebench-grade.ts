import { parseJsonText } from '../logs/json.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import {
  type CompetitionReport,
  competitionReport,
  competitionReports,
  reportSubmission,
} from './competition-report.js';
import { isRunFolder } from './mlebench-runs.js';
import { asString } from './shape.js';

/** Names under which MLE-bench and its re-implementations write grades. */
const GRADE_NAME = /(?:grad(?:e|ing|es)(?:_report)?|competition_report)\.json$/i;

/** Whether a file's name is that of a grade, for logs that look for one beside them. */
export function isGradeName(name: string): boolean {
  return GRADE_NAME.test(name);
}

/** Logs that take a grade from beside them. */
const GRADED_LOGS: readonly RegExp[] = [
  /_search_data\.json$/,
  /^journal\.jsonl?$/,
  /journal\.jsonl?$/,
  /state\.json$/,
];

/** The log among these names that a grade is of; where several tell of one run, the one that the others belong to. */
export function gradedLog(names: readonly string[]): string | null {
  for (const log of GRADED_LOGS) {
    const found = names.find((name) => log.test(name));
    if (found !== undefined) return found;
  }
  return null;
}

/**
 * The run with the grade of its final submission, where one lies beside it. A report of several competitions counts
 * only for the one that the run's path or task names. Which experiment made the submission the report does not say.
 */
export function joinGrade(run: RawTrajectory, context: ReadContext): RawTrajectory {
  if (run.submissions.some(({ scale }) => scale === 'test')) return run;
  const { names } = context.siblings;
  const read = (chosen: readonly string[]): Grade[] =>
    chosen.flatMap((name) => reportsIn(context.siblings.readText(name, 'mlebench_grade')));
  const { path } = context.place;
  const beside = read(names.filter((name) => isGradeName(name) && !name.includes('/')));
  const around =
    beside.length > 0 ? [] : read(names.filter((name) => isGradeName(name) && name.includes('/')));
  const found = (beside.length > 0 ? beside : around).filter((grade) => !isOfOtherRun(grade, path));
  const named = byFolder(
    found.filter(({ competition_id }) => isOf(run, path, competition_id)),
    path,
  );
  const alone = beside.length === 1 ? found : [];
  const fitting = named.length > 0 ? named : alone;
  const [report, ...others] = fitting;
  if (report === undefined) return beside.length === 0 ? run : flagged(run, 'grade_of_other_competition');
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

/** The runs of one file, each graded only where it is alone: of several the grade beside them may be any one's. */
export function joinGrades(runs: readonly RawTrajectory[], context: ReadContext): RawTrajectory[] {
  const [only, ...others] = runs;
  if (only === undefined || others.length === 0) return runs.map((run) => joinGrade(run, context));
  const graded = context.siblings.names.some((name) => isGradeName(name) && !name.includes('/'));
  return runs.map((run) => (graded ? flagged(run, 'grade_of_several_runs') : run));
}

/**
 * The run that one log inside a run of MLE-bench tells, of whatever agent, with the grade of its final submission, which
 * no experiment of the log is known to have made. A sub-agent made no submission of its own, and of several sessions in
 * one folder none is known to have made it.
 */
export function joinRunGrade(
  runs: readonly RawTrajectory[],
  context: ReadContext & { readonly parts: readonly string[] },
): readonly RawTrajectory[] {
  const [run] = runs;
  const { path, line } = context.place;
  const folders = path.split('/').slice(0, -1);
  if (run === undefined || runs.length > 1 || line !== null || !folders.some(isRunFolder)) return runs;
  if (run.parent_session !== null || run.submissions.some(({ scale }) => scale === 'test')) return runs;
  const { names } = context.siblings;
  if (!names.some(isGradeName)) return runs;
  const ending = SESSION.exec(path)?.[0];
  const sessions = names.filter(
    (name) => !name.includes('/') && ending !== undefined && name.endsWith(ending),
  );
  if (sessions.some((name) => !SUBAGENT.test(name) && !context.parts.includes(name))) {
    return [flagged(run, 'grade_of_several_runs')];
  }
  return [joinGrade(run, context)];
}

/** Endings of files that hold a session each. */
const SESSION = /\.(?:jsonl|traj)$/;
/** Transcripts of sub-agents beside the session that started them. */
const SUBAGENT = /^agent-/;

/** A grade with the file that was graded. */
type Grade = CompetitionReport & { readonly submission: string };

/** Of several runs of one competition, which a group's report grades together, the one whose folder was graded. */
function byFolder(grades: readonly Grade[], path: string): readonly Grade[] {
  if (grades.length < 2) return grades;
  const folders = new Set(path.split('/').slice(0, -1));
  const own = grades.filter(({ submission, competition_id }) =>
    submission.split('/').some((part) => part.includes(competition_id ?? '\0') && folders.has(part)),
  );
  return own.length > 0 ? own : grades;
}

/** Whether the grade names the folder of another run of its competition than the one that the path leads through. */
function isOfOtherRun({ competition_id, submission }: Grade, path: string): boolean {
  const runOf = (file: string): string | undefined =>
    file
      .split('/')
      .slice(0, -1)
      .find((part) => isRunFolder(part) && part.includes(competition_id ?? '\0'));
  const own = runOf(path);
  const graded = runOf(submission);
  return own !== undefined && graded !== undefined && own !== graded;
}

function reportsIn(text: string | null): Grade[] {
  if (text === null) return [];
  try {
    return competitionReports(parseJsonText(text).value).flatMap((row) => {
      const report = competitionReport(row);
      return report === null ? [] : [{ ...report, submission: asString(row['submission_path']) ?? '' }];
    });
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
