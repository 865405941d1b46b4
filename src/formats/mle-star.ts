import { contentSpan, makeExecution, makeSubmission, makeTurn } from '../trajectory/build.js';
import type { Execution, ExecutionStatus, Submission } from '../trajectory/execution.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { pythonException } from './feedback-status.js';
import { objectOf } from './fields.js';
import { joinGrade } from './mlebench-grade.js';
import { rawTrajectory } from './raw-trajectory.js';
import { firstCallSpan, NODE_TOOL, nodeReply } from './search-nodes.js';
import { asBoolean, asNumber, asNumeral, asString, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

/** Phases of a run in order; the numbers in a key say where in its phase a program stands. */
const PHASES: readonly string[] = [
  'init',
  'merger',
  'check_data',
  'train',
  'ablation',
  'train_improve',
  'ensemble',
  'submission',
];
const RESULT = /^(.+?)_exec_result((?:_\d+)*)$/;
/** How the scaffold says that it stopped a program: what the program itself printed is then lost. */
const STOPPED = /^Command .* timed out after [\d.]+ seconds\s*$/m;
/** Metrics of which more is better, by the names in a task's text. */
const HIGHER =
  /\b(?:accuracy|auc|roc[- ]auc|f1|precision|recall|r2|r²|map@|ndcg|quadratic weighted kappa)\b/i;

/** What stands for a score that a program never printed, where less is better; where more is, it is 0. */
const SENTINEL = 1e9;
/** The words of the lines in which the scaffold looks for the score, behind their last colon. */
const PRINTED = 'Final Validation Performance';

/** A program of the state and what became of it. */
interface Program {
  readonly key: string;
  readonly phase: string;
  readonly indices: readonly number[];
  /** its place in the state, which the scaffold fills as it goes */
  readonly place: number;
  readonly code: string;
  readonly result: JsonObject;
}

export const mleStar: FormatAdapter = {
  name: 'mle-star',
  version: '1',
  unit: 'document',
  experiments: { experiment: [NODE_TOOL], scoring: [] },
  notes: {
    title: 'MLE-STAR state of an ADK session: programs and results under keys with indices',
    recognised_by: 'a flat object with keys like train_code_exec_result_0_1',
    scores:
      "printed by the program on the agent's own validation split; of a failed program none counts, whatever stands there",
    executions:
      'one experiment for each program that ran, with return code; an empty result is a step that was skipped',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'prompts are not logged (flag prompts_absent) and the reply is the program alone (flag text_rebuilt)',
      'plans, summaries of tasks, ablations and bugs: state that later prompts quote, without their calls',
      'time: programs stand in the order of phases and indices (flag order_inferred)',
      'the logged direction (`lower`) is a claim that real states get wrong: none is claimed, it stands as a flag',
      'attempts that a debugging round wrote over, and those that were rolled back',
      'performance_results, best_score and best_idx, which follow from the results',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (!isObject(sniff.json)) return null;
  const results = Object.entries(sniff.json).filter(([key, value]) => RESULT.test(key) && isObject(value));
  return results.length > 0 && Object.keys(sniff.json).some((key) => /^(?:init|train|merger)_code/.test(key))
    ? { confidence: 'certain', reason: 'programs and results under keys with indices' }
    : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const state = objectOf(input, 'document');
  const flags = new Set([
    'prompts_absent',
    'text_rebuilt',
    'tree_search',
    'parents_absent',
    'order_inferred',
  ]);
  const programs = programsOf(state, flags);
  const turns: Turn[] = taskTurns(state);
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  const seen = new Map<string, string>();
  for (const program of programs) {
    const call_turn = turns.length;
    // A later step starts from a program of an earlier one: that copy was not written again.
    const copied = seen.get(program.code);
    const call = nodeReply({ code: program.code }, copied === undefined ? 'model' : 'environment');
    const marks = copied === undefined ? [] : ['copied_code'];
    turns.push(
      { ...call, flags: marks },
      makeTurn('tool', [contentSpan('observation', 'environment', shown(program.result))], {
        name: NODE_TOOL,
      }),
    );
    const returned = asNumber(program.result['returncode']);
    const { status, error_type } = outcome(program.result);
    const kind =
      copied === undefined && context.experiments.experiment.includes(NODE_TOOL) ? 'experiment' : 'other';
    executions.push(
      makeExecution(
        { execution_id: program.key, order: executions.length, kind, tool: NODE_TOOL, call_turn, status },
        {
          call_span: firstCallSpan(call),
          feedback_turn: call_turn + 1,
          exit_code: returned !== null && Number.isInteger(returned) ? returned : null,
          seconds: asNumber(program.result['execution_time']),
          error_type,
          code: program.code,
          parent_execution: copied ?? null,
          flags: marks,
        },
      ),
    );
    seen.set(program.code, copied ?? program.key);
    const score = scoreOf(program.result);
    if (score === null || status !== 'ok') continue;
    submissions.push(
      makeSubmission(
        { execution_id: program.key, order: submissions.length, gradable: true, score, scale: 'validation' },
        { observed_turn: call_turn + 1, grader: 'mle-star:printed', flags: marks },
      ),
    );
  }
  requireModelTurns(turns);
  for (const flag of directionFlags(state)) flags.add(flag);
  const run = rawTrajectory(
    { turns, executions },
    {
      task_id: asString(state['task_name']),
      model: asString(state['agent_model']),
      submissions,
      scaffold: 'mle-star',
      flags: [...flags],
    },
  );
  return [joinGrade(run, context)];
}

/** The description of the task, where the state holds it: every prompt quotes it. */
function taskTurns(state: JsonObject): Turn[] {
  const text = asString(state['task_description']);
  return text === null || text === '' ? [] : [makeTurn('user', [contentSpan('prompt', 'environment', text)])];
}

function programsOf(state: JsonObject, flags: Set<string>): Program[] {
  const programs = Object.entries(state).flatMap(([key, value], place): Program[] => {
    const match = RESULT.exec(key);
    if (match === null || !isObject(value) || Object.keys(value).length === 0) return [];
    const [, base = '', numbers = ''] = match;
    // Steps that forks add name their programs `<step>_code_<n>` beside `<step>_exec_result_<n>`.
    const code = asString(state[`${base}${numbers}`]) ?? asString(state[`${base}_code${numbers}`]) ?? '';
    if (code === '') {
      flags.add('result_without_program');
      return [];
    }
    const indices = numbers
      .split('_')
      .filter((part) => part !== '')
      .map(Number);
    return [{ key: `${base}${numbers}`, phase: phaseOf(base), indices, place, code, result: value }];
  });
  return programs.sort(byOrder);
}

function phaseOf(base: string): string {
  if (base.startsWith('train_code_improve')) return 'train_improve';
  return PHASES.find((phase) => base.startsWith(phase)) ?? base;
}

/** Outer steps hold a training program, its ablation and the improvements of it; they come between merging and ensembles. */
function byOrder(a: Program, b: Program): number {
  const one = placeOf(a);
  const other = placeOf(b);
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? -1) - (other[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return a.place - b.place;
}

function placeOf({ phase, indices }: Program): number[] {
  const rank = PHASES.indexOf(phase);
  const solution = indices.at(-1) ?? 0;
  if (phase === 'train' || phase === 'ablation') {
    // Steps that forks add behind the outer loop are numbered by the solution alone.
    const step = indices.length > 1 ? (indices[0] ?? 0) : Number.MAX_SAFE_INTEGER;
    return [PHASES.indexOf('train'), solution, step, phase === 'train' ? 0 : 1];
  }
  if (phase === 'train_improve') {
    const [inner = 0, outer = 0] = indices;
    return [PHASES.indexOf('train'), solution, outer, 2, inner];
  }
  return [rank === -1 ? PHASES.length : rank, ...indices];
}

/** The score that the scaffold read out of the output; null for what it puts in the place of one that is missing. */
function scoreOf(result: JsonObject): number | null {
  const score = asNumber(result['score']);
  if (score === null) return null;
  const doubtful = score === 0 || Math.abs(score) >= SENTINEL;
  return doubtful && !isPrinted(score, asString(result['stdout']) ?? '') ? null : score;
}

function isPrinted(score: number, stdout: string): boolean {
  return stdout
    .split(/\r?\n/)
    .some((line) => line.includes(PRINTED) && asNumeral(line.slice(line.lastIndexOf(':') + 1)) === score);
}

function shown(result: JsonObject): string {
  const stderr = asString(result['stderr']) ?? '';
  const stdout = asString(result['stdout']) ?? '';
  return [stdout, stderr].filter((text) => text !== '').join('\n');
}

function outcome(result: JsonObject): { status: ExecutionStatus; error_type: string | null } {
  const returned = asNumber(result['returncode']);
  if (returned === null) return { status: 'unknown', error_type: null };
  if (returned === 0) return { status: 'ok', error_type: null };
  const text = shown(result);
  if (STOPPED.test((asString(result['stderr']) ?? '').slice(-1000)))
    return { status: 'timeout', error_type: null };
  return { status: 'error', error_type: pythonException(text)?.type ?? null };
}

/** The logged direction, and whether the task's own words speak against it. */
function directionFlags(state: JsonObject): string[] {
  const lower = asBoolean(state['lower']);
  if (lower === null) return [];
  const words = ['task_description', 'task_summary'].map((key) => asString(state[key]) ?? '').join('\n');
  const flag = `direction_claim:${lower ? 'lower' : 'higher'}`;
  return lower && HIGHER.test(words) ? [flag, 'direction_contradicts_metric'] : [flag];
}
