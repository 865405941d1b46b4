import { parseJsonText } from '../logs/json.js';
import { RejectError } from '../logs/reject.js';
import { makeSubmission, turnContent } from '../trajectory/build.js';
import type { Execution, ExecutionKind, ExecutionStatus, Submission } from '../trajectory/execution.js';
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
import { asOrigin } from './content-parts.js';
import { listAt, objectAt, objectOf, stringAt } from './fields.js';
import { isMlgymExit, mlgymExit } from './mlgym-exits.js';
import { pythonLiteral } from './python-literal.js';
import { asArray, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { commandHead } from './shell-heads.js';
import { sweAgent } from './swe-agent.js';

const EXPERIMENTS: ExperimentTable = {
  experiment: ['python', 'python3', 'torchrun', 'accelerate', 'deepspeed'],
  scoring: ['validate', 'submit'],
};

const RESULTS = 'results.json';
const GRADER = 'mlgym';
const SCORED = /Evaluation Score:/;
const SHOWN_SCORES = /Evaluation Score:\s*(\{[^{}]*\})/;
/** What the environment shows, alone, in the place of the output of a command that called its evaluation. */
const EVALUATED =
  /^\s*(?:Your code produced a valid submission artefact at .*\n[\s\S]*Evaluation Score:|Exited \(submit\)\s*$)/;
const HARNESS_TEXT = /^exit due to /i;

/** What the environment adds to the output of a command that it could not run to its end. */
const BROKEN: readonly (readonly [ends: RegExp, status: ExecutionStatus])[] = [
  [/\n(?:COMMAND FAILED TO EXECUTE|BROKEN PIPE ERROR)\. RESTARTING PROCESS\.\s*$/, 'infrastructure'],
  [/\nEXECUTION FAILED OR COMMAND MALFORMED\s*$/, 'error'],
];

export const mlgym: FormatAdapter = {
  name: 'mlgym',
  version: '1',
  unit: 'document',
  // A program that the agent runs is an experiment; validate and submit call the task's own evaluation of the artefact.
  experiments: EXPERIMENTS,
  notes: {
    title: 'MLGym run (.traj) with results.json',
    recognised_by:
      "SWE-agent's trajectory, history and info, with info.score or an exit status of MLGym; results.json by `agent` and `baseline`",
    scores:
      'one dict for each evaluation that succeeded, or what the feedback showed where the run was cut before they were written, by the task’s own evaluation on its test set, shown to the agent by `validate`; of several metrics none is the objective, so the score is null and each stands as a flag `metric:<name>=<value>`',
    executions: 'commands with seconds; python and launchers of training are experiments',
    reasoning: 'think tags in the text',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'state, thought and action fields, which repeat or describe the content',
      'replies that were refused and asked for again: the log does not hold them',
      'the observation of the last action: no model ever saw it',
      'model_stats, the path of the submission and the baseline scores of results.json',
      'the model is not named, nor are the definitions of the tools',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isResults(sniff.json) && hasRun(sniff.json, sniff.siblings.names)) {
    return { confidence: 'certain', reason: 'results of an agent and a baseline' };
  }
  if (!hasKeys(sniff.json, 'trajectory', 'history', 'info')) return null;
  const info = sniff.json['info'];
  if (!Array.isArray(sniff.json['history']) || !isObject(info)) return null;
  if (Object.hasOwn(info, 'score')) {
    return { confidence: 'certain', reason: 'trajectory, history and info with scores' };
  }
  const exit = asString(info['exit_status']) ?? '';
  return isMlgymExit(exit) ? { confidence: 'certain', reason: `the exit status ${exit} is MLGym's` } : null;
}

/** Scores of the agent, of a baseline, or of both: a run without a score, or a task without a baseline, lacks its part. */
function isResults(document: unknown): document is JsonObject {
  if (!isObject(document) || Object.keys(document).length === 0) return false;
  const known = Object.keys(document).every((key) => key === 'agent' || key === 'baseline');
  return known && (!Object.hasOwn(document, 'agent') || Array.isArray(document['agent']));
}

/** One part alone says little: it is believed beside a run. */
function hasRun(document: JsonObject, names: readonly string[]): boolean {
  return hasKeys(document, 'agent', 'baseline') || names.some((name) => name.endsWith('.traj'));
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] | SidecarOf {
  const document = objectOf(input, 'document');
  if (isResults(document)) return resultsOf(context);
  const info = objectAt(document, 'info', '') ?? {};
  const every = { ...context, experiments: { experiment: [], scoring: [] }, experiment_patterns: [/^/] };
  const run = sweAgent.read(document, every);
  const [base] = 'sidecar_of' in run ? [] : run;
  if (base === undefined) throw new RejectError('no_turns', 'the run holds no turns');

  const turns = base.turns.map(harnessTurn);
  const steps = listAt(document, 'trajectory', '') ?? [];
  const last = steps.at(-1);
  const lastShown = isObject(last) ? stringAt(last, 'observation', 'trajectory') : null;
  const exit = mlgymExit(stringAt(info, 'exit_status', 'info'));
  const flags = new Set([...base.flags.filter((flag) => !SHELL_FLAGS.has(flag)), ...exit.flags]);
  const scores = scoresOf(info, context, flags);
  const executions = base.executions.map((execution) => {
    const shown = shownBy(execution, turns) ?? lastShown;
    return asMlgym(execution, { shown, context, exit_status: asString(info['exit_status']) });
  });
  const submissions = link(executions, {
    turns,
    scores,
    lastShown,
    autosubmitted: exit.autosubmitted,
    flags,
  });
  if (!executions.some(({ kind }) => kind === 'experiment')) flags.add('no_experiment_boundary');
  return [
    {
      ...base,
      scaffold: 'mlgym',
      turns,
      executions,
      submissions,
      termination: exit.termination,
      feedback_exposes_test_score: turns.some((turn) => SCORED.test(turnContent(turn))),
      flags: [...flags],
    },
  ];
}

/** Flags that a shell scaffold has for want of a table. */
const SHELL_FLAGS: ReadonlySet<string> = new Set([
  'no_experiment_boundary',
  'submissions_not_recorded',
  'termination_inferred',
  'autosubmitted',
]);

function resultsOf(context: ReadContext): SidecarOf {
  const runs = context.siblings.names.filter((name) => name.endsWith('.traj'));
  const [only] = runs;
  if (only === undefined)
    throw new RejectError(
      'not_a_trajectory',
      'looks like results of an MLGym run, which hold no trajectory, without its .traj',
    );
  return { sidecar_of: only };
}

/** What the scaffold writes when it ends a run stands as an assistant message, in lower case here. */
function harnessTurn(turn: Turn): Turn {
  if (turn.role !== 'assistant' || !HARNESS_TEXT.test(turnContent(turn))) return turn;
  return { ...turn, spans: asOrigin(turn.spans, 'environment'), flags: ['harness_reply'] };
}

function shownBy(execution: Execution, turns: readonly Turn[]): string | null {
  const turn = execution.feedback_turn === null ? undefined : turns[execution.feedback_turn];
  return turn === undefined ? null : turnContent(turn);
}

function asMlgym(
  execution: Execution,
  from: { shown: string | null; context: ReadContext; exit_status: string | null },
): Execution {
  const { experiment, scoring } = from.context.experiments;
  const command = execution.code ?? '';
  const tool = commandHead(command, new Set([...experiment, ...scoring]));
  const pattern = from.context.experiment_patterns.some((regexp) => command.search(regexp) >= 0);
  const kind: ExecutionKind = scoring.includes(tool)
    ? 'scoring'
    : experiment.includes(tool) || pattern
      ? 'experiment'
      : 'other';
  if (kind === 'scoring') {
    const scored = SCORED.test(from.shown ?? '') || (tool === 'submit' && from.exit_status === 'submitted');
    const status: ExecutionStatus = from.shown === null ? 'unknown' : scored ? 'ok' : 'error';
    return { ...execution, tool, kind, status, error_type: null, code: null, flags: [] };
  }
  const shown = `\n${from.shown ?? ''}`;
  const ended = BROKEN.find(([ends]) => ends.test(shown))?.[1] ?? execution.status;
  const status = kind === 'other' && ended === 'ok' ? 'unknown' : ended;
  return { ...execution, tool, kind, status, code: kind === 'experiment' ? command : null };
}

/** Dicts of evaluations in order, from the run itself, else from results.json. */
function scoresOf(info: JsonObject, context: ReadContext, flags: Set<string>): JsonObject[] {
  // A run of one evaluation may hold its dict alone.
  const own = (isObject(info['score']) ? [info['score']] : asArray(info['score'])).filter(isObject);
  const text = context.siblings.names.includes(RESULTS)
    ? context.siblings.readText(RESULTS, 'results')
    : null;
  if (text === null) {
    flags.add('missing_sidecar');
    return own;
  }
  const results = parseResults(text);
  if (results === null) flags.add('bad_sidecar');
  else if (own.length > 0 && JSON.stringify(results) !== JSON.stringify(own)) flags.add('results_differ');
  return own.length > 0 ? own : (results ?? []);
}

function parseResults(text: string): JsonObject[] | null {
  try {
    const { value } = parseJsonText(text);
    return isResults(value) ? asArray(value['agent']).filter(isObject) : null;
  } catch {
    return null;
  }
}

/**
 * Scores belong to the evaluations that succeeded, in order. The artefact is that of the latest experiment; after a
 * failed one, or without any, it was left by something earlier, so stale.
 */
function link(
  executions: readonly Execution[],
  from: {
    turns: readonly Turn[];
    scores: readonly JsonObject[];
    lastShown: string | null;
    autosubmitted: boolean;
    flags: Set<string>;
  },
): Submission[] {
  const { scores, flags, autosubmitted, turns, lastShown } = from;
  const shownTo = (execution: Execution): string => shownBy(execution, turns) ?? lastShown ?? '';
  const submissions: Submission[] = [];
  let next = 0;
  let latest: Execution | null = null;
  const add = (scoring: Execution | null, metrics: JsonObject | null, marks: readonly string[]): void => {
    const value = metrics === null ? null : metricOf(metrics);
    const stale = latest === null || (latest.status !== 'ok' && latest.status !== 'unknown');
    submissions.push(
      makeSubmission(
        {
          execution_id: latest?.execution_id ?? null,
          order: submissions.length,
          gradable: value?.gradable ?? false,
          score: value?.score ?? null,
          scale: 'test',
        },
        {
          scored_by: scoring?.execution_id ?? null,
          observed_turn: scoring?.feedback_turn ?? null,
          grader: value === null ? GRADER : value.grader,
          stale,
          flags: [...marks, ...(latest === null ? ['no_experiment_before'] : []), ...(value?.flags ?? [])],
        },
      ),
    );
  };
  for (const execution of executions) {
    if (execution.kind === 'experiment') latest = execution;
    // `python train.py && validate` is both, the program and its evaluation.
    const own = execution.kind === 'experiment' && EVALUATED.test(shownTo(execution));
    if (!own && (execution.kind !== 'scoring' || execution.status === 'unknown')) continue;
    const scored = own || execution.status === 'ok';
    add(execution, scored ? (scores[next++] ?? shownScores(execution, from.turns)) : null, []);
  }
  if (autosubmitted && next < scores.length) add(null, scores[next++] ?? null, ['autosubmission']);
  if (next !== scores.length) flags.add('scores_do_not_match_calls');
  return submissions;
}

/** What `validate` showed the agent, for logs that were cut before the scores were written. */
function shownScores(execution: Execution, turns: readonly Turn[]): JsonObject | null {
  const shown = SHOWN_SCORES.exec(shownBy(execution, turns) ?? '')?.[1];
  const value = shown === undefined ? null : pythonLiteral(shown);
  return isObject(value) ? value : null;
}

function metricOf(metrics: JsonObject): {
  score: number | null;
  gradable: boolean;
  grader: string;
  flags: string[];
} {
  const entries = Object.entries(metrics).map(([name, value]) => [name, asNumber(value)] as const);
  const [only, ...others] = entries;
  const gradable = entries.some(([, value]) => value !== null);
  if (only === undefined || others.length > 0) {
    const flags = entries.map(([name, value]) => `metric:${name}=${value ?? 'null'}`);
    return { score: null, gradable, grader: GRADER, flags };
  }
  return { score: only[1], gradable, grader: `${GRADER}:${only[0]}`, flags: [] };
}
