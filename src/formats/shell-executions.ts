import { RejectError } from '../logs/reject.js';
import { makeExecution } from '../trajectory/build.js';
import type { Execution, ExecutionKind, ExecutionStatus } from '../trajectory/execution.js';
import type { ToolCall } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import type { ReadContext } from './adapter.js';
import { pythonException } from './feedback-status.js';
import { isObject } from './shape.js';

/** What a log records of one call's outcome; fields that it lacks are left out. */
export interface CallOutcome {
  readonly feedback_turn: number | null;
  readonly status?: ExecutionStatus;
  readonly exit_code?: number | null;
  readonly seconds?: number | null;
  readonly completed_at?: string | null;
  readonly error_type?: string | null;
  /** the status was read out of the text of the feedback: an `ok` is then no more than "no sign of failure" */
  readonly inferred?: boolean;
}

export interface ShellCall {
  readonly call_turn: number;
  readonly call_span: number;
  readonly id: string | null;
  readonly tool: string;
  readonly command: string;
}

/** How scaffolds say that they killed a command. */
const COMMAND_TIMEOUT = /EXECUTION TIMED OUT|was cancelled because it took more than|^<timeout>/m;

const COMMAND_KEYS = ['command', 'cmd', 'code', 'script'] as const;

/** A call whose command is read out of its arguments only where it is asked for. */
class ModelCall implements ShellCall {
  #command: string | null = null;

  constructor(
    readonly call_turn: number,
    readonly call_span: number,
    private readonly call: ToolCall,
  ) {}

  get id(): string | null {
    return this.call.id;
  }

  get tool(): string {
    return this.call.name;
  }

  get command(): string {
    this.#command ??= commandOf(this.call.arguments);
    return this.#command;
  }
}

/** Every parsed call that a model wrote, in order, with the command or program that it carries. */
export function modelCalls(turns: readonly Turn[]): ShellCall[] {
  const calls: ShellCall[] = [];
  turns.forEach(({ spans }, turn) => {
    spans.forEach(({ kind, origin, call }, span) => {
      if (kind === 'tool_call' && origin === 'model' && call !== null) {
        calls.push(new ModelCall(turn, span, call));
      }
    });
  });
  return calls;
}

/** The command inside JSON arguments, or the arguments themselves where they are the command. */
export function commandOf(args: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(args);
  } catch {
    return args;
  }
  if (!isObject(parsed)) return args;
  for (const key of COMMAND_KEYS) {
    const value = parsed[key];
    if (typeof value === 'string') return value;
  }
  return args;
}

/** Experiment, scoring or other, by tool name first, then by the pipeline's command patterns. */
export function callKind(call: { tool: string; command: string }, context: ReadContext): ExecutionKind {
  if (context.experiments.scoring.includes(call.tool)) return 'scoring';
  if (context.experiments.experiment.includes(call.tool)) return 'experiment';
  return context.experiment_patterns.some((pattern) => call.command.search(pattern) >= 0)
    ? 'experiment'
    : 'other';
}

/**
 * Executions of a scaffold that has nothing but tools and a shell. A call that is no experiment is listed only where
 * the log records how it ended. A model reply that was cut off launched nothing.
 */
export function shellExecutions(
  turns: readonly Turn[],
  context: ReadContext,
  outcomeOf: (call: ShellCall) => CallOutcome | null,
): Execution[] {
  const executions: Execution[] = [];
  for (const call of modelCalls(turns)) {
    if (turns[call.call_turn]?.truncated !== null) continue;
    const kind = callKind(call, context);
    const outcome = outcomeOf(call);
    const inferred = outcome?.inferred ?? false;
    const recorded = (outcome?.status !== undefined && !inferred) || (outcome?.seconds ?? null) !== null;
    if (kind === 'other' && !recorded) continue;
    const status = outcome?.status ?? 'unknown';
    const order = executions.length;
    executions.push(
      makeExecution(
        {
          execution_id: `call-${order}`,
          order,
          kind,
          tool: call.tool,
          call_turn: call.call_turn,
          status: kind === 'other' && inferred && status === 'ok' ? 'unknown' : status,
        },
        {
          call_span: call.call_span,
          feedback_turn: outcome?.feedback_turn ?? null,
          exit_code: outcome?.exit_code ?? null,
          seconds: outcome?.seconds ?? null,
          completed_at: outcome?.completed_at ?? null,
          error_type: outcome?.error_type ?? null,
          code: kind === 'experiment' ? call.command : null,
          flags: inferred ? ['status_inferred'] : [],
        },
      ),
    );
  }
  return executions;
}

/** An outcome as the text of the feedback shows it; without any text it stays unknown. */
export function inferredOutcome(
  feedback: string | null,
  known: { feedback_turn: number | null; seconds?: number | null },
): CallOutcome {
  if (feedback === null) return known;
  if (COMMAND_TIMEOUT.test(feedback)) return { status: 'timeout', inferred: true, ...known };
  const exception = pythonException(feedback);
  if (exception !== null) return { status: 'error', error_type: exception.type, inferred: true, ...known };
  return { status: 'ok', inferred: true, ...known };
}

/** `no_experiment_boundary` where nothing in the run is an experiment, else nothing. */
export function boundaryFlags(executions: readonly Execution[]): string[] {
  return executions.some((execution) => execution.kind === 'experiment') ? [] : ['no_experiment_boundary'];
}

/**
 * The turn that answers a call, looked for before the next assistant turn since some providers reuse ids; without an
 * id, the turn right after it. Null where the log ends first.
 */
export function answerTurn(
  turns: readonly Turn[],
  call: { call_turn: number; id: string | null },
): number | null {
  for (let index = call.call_turn + 1; index < turns.length; index++) {
    const turn = turns[index];
    if (turn === undefined || turn.role === 'assistant') return null;
    if (call.id === null || turn.tool_call_id === call.id) return index;
  }
  return null;
}

/** Throws RejectError where a log has no turns, or none that a model wrote. */
export function requireModelTurns(turns: readonly Turn[]): void {
  if (turns.length === 0) throw new RejectError('no_turns', 'the log has no messages');
  const written = turns.some((turn) => turn.spans.some((span) => span.origin === 'model'));
  if (!written)
    throw new RejectError('no_model_turns', `none of ${turns.length} turns was written by a model`);
}
