import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import { makeExecution, makeSubmission, turnContent } from '../trajectory/build.js';
import type { Execution, ExecutionStatus, Submission } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, SidecarOf, Sniff } from './adapter.js';
import { aiderMarkdown } from './aider-markdown.js';
import { pythonException } from './feedback-status.js';
import { wrongType } from './fields.js';
import { pythonLiteral } from './python-literal.js';
import { asNumber, hasKeys, isObject, type JsonObject } from './shape.js';

/** The command that the scaffold runs after each change of the model. */
const TOOL = 'experiment.py';
const COMMAND = /--out_dir=run_i/;
const COMPLETED = /^\s*Run (\d+) completed\. Here are the results:\n(.*)/;
const FAILED = /^\s*Run failed with the following error/;
const TIMED_OUT = /^\s*Run timed out after/;
const INFO_NAME = /^(.*?)run_(\d+)[_/-]final_info\.json$/;

export const aiScientistV1: FormatAdapter = {
  name: 'ai-scientist-v1',
  version: '1',
  unit: 'text',
  // The model edits experiment.py and the scaffold runs it: each run is an experiment of the reply before it.
  experiments: { experiment: [TOOL], scoring: [] },
  notes: {
    title: 'AI-Scientist v1: aider transcript of one idea, with final_info.json of its runs',
    recognised_by:
      'an aider chat whose prompt names `--out_dir=run_i`; final_info.json by data sets with means',
    scores:
      'means over seeds on the validation split, which the agent saw; of several metrics none is the objective, so the score is null and each stands as a flag `metric:<name>/<data set>=<value>`',
    executions: 'one run for each result that came back; a traceback is an error, without exit code or time',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'what the aider transcript does not record: system prompt, files in the chat, the model',
      'seeds and standard errors in final_info.json, and runs that no feedback shows',
      'log.txt, a wrapped copy of the same session',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isFinalInfo(sniff.json))
    return { confidence: 'certain', reason: 'data sets with means', unit: 'document' };
  if (sniff.json !== undefined || sniff.lines.length > 0) return null;
  const chat = /^#### /m.test(sniff.head) && COMMAND.test(sniff.head);
  return chat
    ? { confidence: 'certain', reason: 'an aider chat about runs of experiment.py', unit: 'text' }
    : null;
}

/** One object a data set, each with means over seeds. */
function isFinalInfo(document: unknown): document is JsonObject {
  if (!isObject(document)) return false;
  const entries = Object.values(document);
  return entries.length > 0 && entries.every((entry) => hasKeys(entry, 'means') && isObject(entry['means']));
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  if (isFinalInfo(input)) return infoOf(context);
  if (typeof input !== 'string') throw wrongType('chat', 'a text', input);
  const runs = aiderMarkdown.read(input, context);
  if ('sidecar_of' in runs) return runs;
  return runs.map((run) => readRun(run, context));
}

function infoOf(context: ReadContext): SidecarOf {
  const own = context.place.path.slice(context.place.path.lastIndexOf('/') + 1);
  const prefix = INFO_NAME.exec(own)?.[1];
  const chat = context.siblings.names.find(
    (name) => name.endsWith('aider.txt') && name.startsWith(prefix ?? '\0'),
  );
  if (chat === undefined) {
    throw new RejectError(
      'not_a_trajectory',
      'looks like an AI-Scientist result file, which holds no trajectory',
    );
  }
  return { sidecar_of: chat };
}

function readRun(run: RawTrajectory, context: ReadContext): RawTrajectory {
  const infos = finalInfos(context);
  const flags = new Set(run.flags.filter((flag) => flag !== 'no_experiment_boundary'));
  if (infos.size === 0) flags.add('missing_sidecar');
  const turns: Turn[] = [];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  run.turns.forEach((turn, index) => {
    const text = turn.role === 'user' ? turnContent(turn) : '';
    const result = resultOf(text);
    turns.push(result === null ? turn : asObservation(turn));
    const call_turn = run.turns.findLastIndex((other, at) => at < index && other.role === 'assistant');
    if (result === null || call_turn === -1) return;
    const execution_id = `run-${executions.length}`;
    executions.push(
      makeExecution(
        {
          execution_id,
          order: executions.length,
          kind: context.experiments.experiment.includes(TOOL) ? 'experiment' : 'other',
          tool: TOOL,
          call_turn,
          status: result.status,
        },
        { feedback_turn: index, error_type: result.error_type },
      ),
    );
    if (result.run === null) return;
    const info = infos.get(result.run) ?? null;
    if (info === null && infos.size > 0) flags.add('result_without_sidecar');
    const shown = metricsOf(result.results);
    const metrics = shown.length > 0 ? shown : metricsOf(info);
    if (info !== null && shown.length > 0 && !sameMetrics(shown, metricsOf(info)))
      flags.add('results_differ');
    submissions.push(
      submissionOf(metrics, { execution_id, observed_turn: index, order: submissions.length }),
    );
  });
  if (executions.length === 0) flags.add('no_experiment_boundary');
  return {
    ...run,
    turns,
    executions,
    submissions,
    scaffold: 'ai-scientist-v1',
    feedback_exposes_test_score: false,
    flags: [...flags],
  };
}

interface RunResult {
  readonly status: ExecutionStatus;
  readonly error_type: string | null;
  readonly run: number | null;
  readonly results: unknown;
}

function resultOf(text: string): RunResult | null {
  const completed = COMPLETED.exec(text);
  if (completed !== null) {
    const results = pythonLiteral((completed[2] ?? '').trim());
    return { status: 'ok', error_type: null, run: Number(completed[1]), results };
  }
  if (TIMED_OUT.test(text)) return { status: 'timeout', error_type: null, run: null, results: null };
  if (!FAILED.test(text)) return null;
  return { status: 'error', error_type: pythonException(text)?.type ?? null, run: null, results: null };
}

/** A result stands where a human would speak. */
function asObservation(turn: Turn): Turn {
  return { ...turn, spans: turn.spans.map((span) => ({ ...span, kind: 'observation' as const })) };
}

type Metric = readonly [name: string, value: number];

/** Means by data set, under `means` or as the feedback shows them; both with or without the ending `_mean`. */
function metricsOf(results: unknown): Metric[] {
  if (!isObject(results)) return [];
  return Object.entries(results).flatMap(([dataset, value]) => {
    const means = isObject(value) && isObject(value['means']) ? value['means'] : value;
    if (!isObject(means)) return [];
    return Object.entries(means).flatMap(([name, mean]): Metric[] => {
      const number = asNumber(mean);
      return number === null ? [] : [[`${name.replace(/_mean$/, '')}/${dataset}`, number]];
    });
  });
}

function sameMetrics(one: readonly Metric[], other: readonly Metric[]): boolean {
  const values = new Map(other);
  return one.every(([name, value]) => values.get(name) === value);
}

function submissionOf(
  metrics: readonly Metric[],
  at: { execution_id: string; observed_turn: number; order: number },
): Submission {
  const [only, ...others] = metrics;
  const single = others.length === 0 ? only : undefined;
  return makeSubmission(
    {
      execution_id: at.execution_id,
      order: at.order,
      gradable: metrics.length > 0,
      score: single?.[1] ?? null,
      scale: 'validation',
    },
    {
      observed_turn: at.observed_turn,
      grader: single === undefined ? 'ai-scientist-v1:several' : `ai-scientist-v1:${single[0]}`,
      flags: single === undefined ? metrics.map(([name, value]) => `metric:${name}=${value}`) : [],
    },
  );
}

/** Results beside a chat that share what its name begins with, by run. */
function finalInfos(context: ReadContext): ReadonlyMap<number, JsonObject> {
  const own = context.place.path.slice(context.place.path.lastIndexOf('/') + 1);
  const infos = new Map<number, JsonObject>();
  for (const name of context.siblings.names) {
    const match = INFO_NAME.exec(name);
    if (match === null || !own.startsWith(match[1] ?? '')) continue;
    const text = context.siblings.readText(name, 'final_info');
    const info = text === null ? null : parsed(text);
    if (isFinalInfo(info)) infos.set(Number(match[2]), info);
  }
  return infos;
}

function parsed(text: string): unknown {
  try {
    return parseJsonText(text).value;
  } catch {
    return null;
  }
}
