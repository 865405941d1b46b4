import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import { contentSpan, inlineCallSpan, makeExecution, makeSubmission, makeTurn } from '../trajectory/build.js';
import type { Execution, ExecutionKind, ExecutionStatus, Submission } from '../trajectory/execution.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type {
  Detection,
  ExperimentTable,
  FormatAdapter,
  RawTrajectory,
  ReadContext,
  SidecarOf,
  Sniff,
} from './adapter.js';
import { asOrigin, environmentSpans } from './content-parts.js';
import { pythonException } from './feedback-status.js';
import { objectOf } from './fields.js';
import { rawTrajectory } from './raw-trajectory.js';
import { asNumber, hasKeys, type JsonObject } from './shape.js';
import { boundaryFlags, requireModelTurns } from './shell-executions.js';
import { commandHead } from './shell-heads.js';
import { isSuperNotebook, type NotebookStep, readCells, readNotebook } from './super-notebook-cells.js';

const EXPERIMENTS: ExperimentTable = {
  experiment: ['python', 'python3', 'torchrun', 'accelerate', 'deepspeed'],
  scoring: ['submit'],
};
const GRADER = 'super:output_match';
const TIMEOUT = /timed out|TimeoutError/i;

/** A program that has not ended when its cell is answered: what a later step waits for is not known of it. */
const RUNNING = /Your command has already run for [\d.]+ seconds\. It is still running\./;

/** The thought of steps that the task gave as done: their cells were run before the agent began. */
const GIVEN = '[pre-executed by user]';
/** The action of a step that the scaffold wrote when it ended the run, with its reason as the cell. */
const ENDED = 'exception';
const ENDS: readonly (readonly [reason: RegExp, end: Termination])[] = [
  [/^Total compute time exceeded/, 'time_limit'],
  [/^Total (?:cost|context tokens) exceeded/, 'step_limit'],
  [/^Failed to parse response/, 'error'],
];

export const superNotebook: FormatAdapter = {
  name: 'super-notebook',
  version: '1',
  unit: 'document',
  // `!python run_glue.py ...` is the experiment; cloning, reading and installing are not, and submit hands the answer in.
  experiments: EXPERIMENTS,
  notes: {
    title: 'SUPER run: history.ipynb with metrics.json',
    recognised_by:
      'a notebook whose first cells are ### Query, ### Prompt or ### System Prompt; metrics.json by its keys',
    scores:
      'output_match of metrics.json, from 0 to 1, which the agent never saw; checkpoints and entrypoint as flags',
    executions: 'programs that a cell starts, with whole seconds; status from a traceback in the output',
    reasoning: 'none: the thought is part of the reply',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the reply itself is not logged: it is put together from thought and cell (flag text_rebuilt)',
      'replies that the scaffold could not parse are not logged (turn flag reply_not_recorded)',
      'steps that the task gave as done, and the reason why the scaffold ended a run, are environment text',
      'the scaffold showed older outputs by their ends only (flag context_rewritten)',
      'clock times carry no date and are dropped; durations are kept',
      'model, token use and names of actions beyond the tool of an execution',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isMetrics(sniff.json)) return { confidence: 'certain', reason: 'metrics of a SUPER run' };
  if (!hasKeys(sniff.json, 'nbformat', 'cells') || !isSuperNotebook(sniff.json['cells'])) return null;
  return { confidence: 'certain', reason: 'a notebook that begins with a query or prompt' };
}

function isMetrics(document: unknown): document is JsonObject {
  return hasKeys(document, 'submitted', 'output_match', 'entrypoint');
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  const document = objectOf(input, 'document');
  if (isMetrics(document)) return metricsOf(context);
  const { prompts, steps } = readNotebook(readCells(document['cells']));
  const flags = new Set(['text_rebuilt', 'context_rewritten']);
  const turns: Turn[] = [...prompts];
  const executions: Execution[] = [];
  for (const step of steps) addStep(step, { turns, executions, context });
  requireModelTurns(turns);
  for (const flag of boundaryFlags(executions)) flags.add(flag);
  const submitted = executions.findLast((execution) => execution.kind === 'scoring') ?? null;
  const metrics = readMetrics(context, flags);
  const match = metrics === null ? null : asNumber(metrics['output_match']);
  const claimed = metrics === null ? null : asNumber(metrics['submitted']);
  if (claimed !== null && claimed > 0 !== (submitted !== null)) flags.add('submitted_contradicts_log');
  return [
    rawTrajectory(
      { turns, executions },
      {
        scaffold: 'super',
        submissions: metrics === null ? [] : graded(metrics, { executions, submitted }),
        termination: submitted === null ? endOf(steps.at(-1)) : 'submitted',
        resolved: match === 1 || match === 0 ? match === 1 : null,
        feedback_exposes_test_score: false,
        flags: [...flags],
      },
    ),
  ];
}

function metricsOf(context: ReadContext): SidecarOf {
  const own = context.place.path.slice(context.place.path.lastIndexOf('/') + 1);
  const history = context.siblings.names.find(
    (name) => name === own.replace(/metrics\.json$/, 'history.ipynb'),
  );
  const only = context.siblings.names.filter((name) => name.endsWith('.ipynb'));
  const of = history ?? (only.length === 1 && own === 'metrics.json' ? only[0] : undefined);
  if (of === undefined)
    throw new RejectError(
      'not_a_trajectory',
      'looks like metrics of a SUPER run, which hold no trajectory, without its history.ipynb',
    );
  return { sidecar_of: of };
}

function readMetrics(context: ReadContext, flags: Set<string>): JsonObject | null {
  const own = context.place.path.slice(context.place.path.lastIndexOf('/') + 1);
  const names = [own.replace(/history\.ipynb$/, 'metrics.json'), 'metrics.json'];
  for (const name of names) {
    if (name === own || !context.siblings.names.includes(name)) continue;
    const text = context.siblings.readText(name, 'metrics');
    const value = text === null ? null : parsed(text);
    if (isMetrics(value)) return value;
    flags.add('bad_sidecar');
    return null;
  }
  flags.add('missing_sidecar');
  return null;
}

function parsed(text: string): unknown {
  try {
    return parseJsonText(text).value;
  } catch {
    return null;
  }
}

function addStep(
  step: NotebookStep,
  to: { turns: Turn[]; executions: Execution[]; context: ReadContext },
): void {
  const { turns, executions, context } = to;
  const tool = toolOf(step, context);
  const call_turn = turns.length;
  const spans: Span[] = [];
  const given = step.thought.trim() === GIVEN;
  const generated = !given && step.action !== ENDED;
  const recorded = step.thought.trim() !== '' || step.code !== '';
  if (recorded && step.thought !== '') {
    const text = step.code === '' || step.thought.endsWith('\n') ? step.thought : `${step.thought}\n\n`;
    spans.push(contentSpan('text', 'model', text));
  }
  if (step.code !== '') spans.push(inlineCallSpan(step.code, { name: tool, arguments: step.code }));
  const flags = given ? ['not_generated'] : generated ? [] : ['harness_reply'];
  turns.push(
    makeTurn('assistant', generated ? spans : asOrigin(spans, 'environment'), {
      flags: recorded ? flags : ['reply_not_recorded'],
    }),
  );
  let feedback_turn: number | null = null;
  if (step.output !== null) {
    feedback_turn = turns.length;
    turns.push(
      makeTurn('tool', environmentSpans('observation', [{ kind: 'text', text: step.output }]), {
        name: tool,
      }),
    );
  }
  if (step.code === '' || !generated) return;
  const { status, error_type } = outcome(step);
  const kind = kindOf(tool, step.code, context);
  executions.push(
    makeExecution(
      {
        execution_id: `step-${executions.length}`,
        order: executions.length,
        kind,
        tool,
        call_turn,
        status: kind === 'experiment' ? status : kind === 'scoring' ? 'ok' : 'unknown',
      },
      {
        call_span: spans.length - 1,
        feedback_turn,
        seconds: step.seconds,
        error_type: kind === 'experiment' ? error_type : null,
        code: kind === 'experiment' ? step.code : null,
        flags: kind === 'experiment' ? ['status_inferred'] : [],
      },
    ),
  );
}

/** Why a run without an answer ended, where the scaffold says so. */
function endOf(last: NotebookStep | undefined): Termination {
  if (last?.action !== ENDED) return 'unknown';
  return ENDS.find(([reason]) => reason.test(last.code))?.[1] ?? 'error';
}

/** The program of a shell line, else the name of the action; a SWE-agent scaffold names actions `None`. */
function toolOf(step: NotebookStep, context: ReadContext): string {
  const { experiment, scoring } = context.experiments;
  const table = new Set([...experiment, ...scoring]);
  if (step.code.startsWith('!')) return commandHead(step.code.slice(1), table);
  return step.action === '' || step.action === 'None'
    ? commandHead(step.code, table) || 'execute'
    : step.action;
}

function kindOf(tool: string, code: string, context: ReadContext): ExecutionKind {
  const { experiment, scoring } = context.experiments;
  if (scoring.includes(tool)) return 'scoring';
  if (experiment.includes(tool)) return 'experiment';
  return context.experiment_patterns.some((pattern) => code.search(pattern) >= 0) ? 'experiment' : 'other';
}

function outcome(step: NotebookStep): { status: ExecutionStatus; error_type: string | null } {
  if (step.output === null || RUNNING.test(step.output)) return { status: 'unknown', error_type: null };
  const exception = pythonException(step.output);
  if (exception !== null) return { status: 'error', error_type: exception.type };
  if (/^usage: |: error: /m.test(step.output)) return { status: 'error', error_type: null };
  return { status: TIMEOUT.test(step.output.slice(-500)) ? 'timeout' : 'ok', error_type: null };
}

/** The answer belongs to the latest experiment before it was handed in. */
function graded(
  metrics: JsonObject,
  from: { executions: readonly Execution[]; submitted: Execution | null },
): Submission[] {
  const score = asNumber(metrics['output_match']);
  const end = from.submitted?.order ?? Number.POSITIVE_INFINITY;
  const latest = from.executions.findLast(({ kind, order }) => kind === 'experiment' && order < end) ?? null;
  const others = ['checkpoints', 'entrypoint'].map(
    (name) => `metric:${name}=${asNumber(metrics[name]) ?? 'null'}`,
  );
  return [
    makeSubmission(
      {
        execution_id: latest?.execution_id ?? null,
        order: 0,
        gradable: score !== null && from.submitted !== null,
        score: from.submitted === null ? null : score,
        scale: 'test',
      },
      { scored_by: from.submitted?.execution_id ?? null, grader: GRADER, flags: others },
    ),
  ];
}
