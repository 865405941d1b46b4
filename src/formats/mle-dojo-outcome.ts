import type { ExecutionStatus } from '../trajectory/execution.js';
import { pythonException } from './feedback-status.js';
import { asNumber, asNumeral, asString, isObject, type JsonObject } from './shape.js';

/** What the environment says of one action. */
export interface ActionOutcome {
  readonly status: ExecutionStatus;
  readonly error_type: string | null;
  readonly seconds: number | null;
  /** an answer that was graded or refused; null where none was handed in */
  readonly submission: DojoSubmission | null;
  readonly flags: readonly string[];
}

export interface DojoSubmission {
  readonly gradable: boolean;
  readonly score: number | null;
  /** places on the leaderboards, as `rank:private:301/462` */
  readonly ranks: readonly string[];
}

const BOARDS = ['private', 'public'] as const;

/** Faults of the environment's own, not of the agent's program or file. */
const ENVIRONMENT_FAULTS: ReadonlySet<string> = new Set([
  'SandboxError',
  'SandboxInitializationError',
  'ArchiveError',
  'GroundTruthError',
  'LeaderboardError',
  'MLEDojoError',
]);

const LIMIT_EXCEEDED = /(?:Process execution|Execution) timed out after/;

/** The outcome in a result of the environment's own history. */
export function outcomeOfResult(action: string, result: unknown): ActionOutcome | null {
  if (!isObject(result)) return null;
  const run = action === 'validate_code' ? result['runtime'] : result['execution'];
  if (!isObject(run)) return null;
  const ran = runStatus(run);
  const base = { seconds: secondsOf(run['execution_time']) };
  const submission = result['submission'];
  if (action === 'validate_code' || ran.status !== 'ok' || !isObject(submission)) {
    return { ...base, ...ran, submission: null, flags: [] };
  }
  return { ...base, ...ran, ...submissionOutcome(submission) };
}

function runStatus(run: JsonObject): Pick<ActionOutcome, 'status' | 'error_type'> {
  const state = asString(run['status']);
  if (state === 'SUCCESS') return { status: 'ok', error_type: null };
  if (state !== 'FAILED') return { status: 'unknown', error_type: null };
  return failure(asString(run['error']) ?? '', asString(run['error_type']));
}

function failure(text: string, type: string | null): Pick<ActionOutcome, 'status' | 'error_type'> {
  if (type !== null && ENVIRONMENT_FAULTS.has(type)) return { status: 'infrastructure', error_type: type };
  const traceback = pythonException(text);
  // A program may die of a timeout of its own (a download): that is its error. Only the environment's limit counts.
  const limit = LIMIT_EXCEEDED.test(text) || (traceback === null && /timed out|timeout/i.test(text));
  if (limit) return { status: 'timeout', error_type: type };
  return { status: 'error', error_type: traceback?.type ?? type };
}

function submissionOutcome(
  submission: JsonObject,
): Pick<ActionOutcome, 'submission' | 'flags'> & Partial<Pick<ActionOutcome, 'status' | 'error_type'>> {
  if (submission['status'] === 'SUCCESS') {
    const score = asNumeral(submission['raw_score']);
    return { submission: { gradable: score !== null, score, ranks: ranksOf(submission) }, flags: [] };
  }
  return refused(asString(submission['error_type']));
}

function refused(
  type: string | null,
): Pick<ActionOutcome, 'submission' | 'flags'> & Partial<Pick<ActionOutcome, 'status' | 'error_type'>> {
  if (type === 'SubmissionNotFoundError') return { submission: null, flags: ['no_submission_file'] };
  if (type !== null && ENVIRONMENT_FAULTS.has(type)) {
    return { submission: null, flags: ['grader_failed'], status: 'infrastructure', error_type: type };
  }
  return {
    submission: { gradable: false, score: null, ranks: [] },
    flags: type === null ? [] : [`refused:${type}`],
  };
}

const EXECUTION_HEAD = '=== Code Execution Results ===';
const VALIDATION_HEAD = '=== Code Validation Results ===';
const EVALUATION_HEAD = '=== Submission Evaluation ===';

/**
 * The outcome as far as the feedback text shows it, for runs without their history. The evaluation is looked for after
 * its last heading, since the output of the program, which may imitate it, stands before.
 */
export function outcomeOfText(text: string): ActionOutcome | null {
  const validation = text.indexOf(VALIDATION_HEAD);
  const head = validation === -1 ? text.indexOf(EXECUTION_HEAD) : validation;
  if (head === -1) return null;
  const body = text.slice(head);
  const seconds = secondsOf(/Code execution time: ([\d.]+s)/.exec(body)?.[1]);
  if (validation !== -1) {
    const passed = /Runtime check passed/.test(body);
    const ran = passed ? ({ status: 'ok', error_type: null } as const) : failure(body, null);
    return { ...ran, seconds, submission: null, flags: [] };
  }
  const failed = /^\s*Execution failed: /.exec(body.slice(EXECUTION_HEAD.length));
  if (failed !== null) return { ...failure(body, null), seconds, submission: null, flags: [] };

  const ran = { status: 'ok', error_type: null, seconds } as const;
  const evaluation = body.lastIndexOf(EVALUATION_HEAD);
  if (evaluation === -1) return { ...ran, submission: null, flags: [] };
  const graded = body.slice(evaluation);
  const error = /Submission error \((\w+)\)/.exec(graded);
  if (error !== null) return { ...ran, ...refused(error[1] ?? null) };
  const raw = /Raw Score: (-?[\d.]+(?:[eE][-+]?\d+)?)(?:\s|$)/.exec(graded)?.[1];
  const score = raw === undefined ? null : asNumber(Number(raw));
  const ranks = [...graded.matchAll(/(Private|Public) Leaderboard: Position (\d+) \/ (\d+)/g)].map(
    (match) => `rank:${match[1]?.toLowerCase()}:${match[2]}/${match[3]}`,
  );
  return { ...ran, submission: { gradable: score !== null, score, ranks }, flags: [] };
}

function ranksOf(submission: JsonObject): string[] {
  const positions = submission['position_score'];
  if (!isObject(positions)) return [];
  return BOARDS.flatMap((board) => {
    const place = positions[board];
    const position = isObject(place) ? asNumber(place['position']) : null;
    const total = isObject(place) ? asNumber(place['total']) : null;
    return position === null || total === null ? [] : [`rank:${board}:${position}/${total}`];
  });
}

/** "1.36s" as seconds. */
function secondsOf(value: unknown): number | null {
  const match = /^(\d+(?:\.\d+)?)s$/.exec(asString(value) ?? '');
  return match === null ? null : Number(match[1]);
}
