import type { ExecutionStatus } from '../trajectory/execution.js';
import type { TaskClaims } from '../trajectory/trajectory.js';
import { pythonException } from './feedback-status.js';
import { asBoolean, asNumber, isObject, type JsonObject } from './shape.js';

const RESPONSE = /^\s*<tool_response>\n?(.*?)\n?<\/tool_response>\s*$/s;

/** How a tool's text begins when the program did not run to its end; the first that fits counts. */
const OUTCOMES: readonly { readonly begins: RegExp; readonly status: ExecutionStatus }[] = [
  { begins: /^\[Timeout\] (?:Python execution timed out after|Exceeded) ([\d.]+)s/, status: 'timeout' },
  { begins: /^\[Timeout\]/, status: 'timeout' },
  { begins: /^\[Error\] (?:Failed to contact SRUN API|SRUN API returned)/, status: 'infrastructure' },
  { begins: /^PythonInterpreter tool (?:not available|is not callable)/, status: 'infrastructure' },
  { begins: /^Python execution error: /, status: 'infrastructure' },
  { begins: /^\[Error\]/, status: 'error' },
];

/** What the job launcher writes to stderr when a job died without a traceback. */
const LAUNCHER_ERROR = /^(?:srun|slurmstepd): error: /m;

const GRADER_FAULT =
  /^\[Error\] (?:mlebench not found|python not found|Failed to start (?:grading|evaluator))/;

export interface PythonOutcome {
  readonly status: ExecutionStatus;
  readonly seconds: number | null;
  readonly error_type: string | null;
}

/** What a Score call showed. `score` is null where none was given or it is not finite. */
export interface ScoreOutcome {
  readonly status: ExecutionStatus;
  readonly score: number | null;
  readonly claims: TaskClaims | null;
  readonly flags: readonly string[];
}

/** Whether a user message is the answer of a tool. */
export function isToolResponse(content: string): boolean {
  return content.trimStart().startsWith('<tool_response>');
}

/** The tool's own text, without the tags around it. */
export function toolText(content: string): string {
  return RESPONSE.exec(content)?.[1] ?? content;
}

/** The outcome of a script, from the tool's text alone: no exit code is logged. */
export function pythonOutcome(text: string): PythonOutcome {
  for (const { begins, status } of OUTCOMES) {
    const match = begins.exec(text);
    if (match === null) continue;
    const seconds = match[1] === undefined ? null : Number(match[1]);
    return { status, seconds, error_type: status === 'error' ? (pythonException(text)?.type ?? null) : null };
  }
  const exception = pythonException(text);
  if (exception !== null) return { status: 'error', seconds: null, error_type: exception.type };
  return { status: LAUNCHER_ERROR.test(text) ? 'error' : 'ok', seconds: null, error_type: null };
}

/** The outcome of a Score call: the JSON after `Details: `, whose keys carry explanations in parentheses. */
export function scoreOutcome(text: string): ScoreOutcome {
  const details = scoreDetails(text);
  if (details === null) {
    const fault = GRADER_FAULT.test(text);
    return {
      status: fault ? 'infrastructure' : 'error',
      score: null,
      claims: null,
      flags: fault ? ['grader_failed'] : [],
    };
  }
  const stated = detail(details, 'score_primary');
  const score = asNumber(stated);
  return {
    status: 'ok',
    score,
    claims: {
      metric: null,
      is_lower_better: asBoolean(detail(details, 'metric_lower_is_better')),
      gold: asNumber(detail(details, 'threshold_gold')),
      silver: asNumber(detail(details, 'threshold_silver')),
      bronze: asNumber(detail(details, 'threshold_bronze')),
      median: asNumber(detail(details, 'threshold_median')),
    },
    flags: score === null ? ['score_not_finite'] : [],
  };
}

function scoreDetails(text: string): JsonObject | null {
  const at = text.indexOf('Details: ');
  if (at < 0) return null;
  // Python writes NaN and Infinity bare.
  const json = text
    .slice(at + 'Details: '.length, text.lastIndexOf('}') + 1)
    .replaceAll(/(:\s*)(?:NaN|-?Infinity)(?=\s*[,}])/g, '$1null');
  try {
    const details: unknown = JSON.parse(json);
    return isObject(details) ? details : null;
  } catch {
    return null;
  }
}

function detail(details: JsonObject, name: string): unknown {
  const key = Object.keys(details).find(
    (candidate) => candidate === name || candidate.startsWith(`${name} `),
  );
  return key === undefined ? undefined : details[key];
}
