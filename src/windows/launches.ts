import { experimentsOf } from '../grading/experiments.js';
import type { Execution } from '../trajectory/execution.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { SpanPlace } from './action-spans.js';
import type { WindowFlag } from './flags.js';

/** One or more executions that share a window, with the one whose result counts. */
export interface Launch {
  /** in the order of their calls, not empty */
  readonly executions: readonly Execution[];
  readonly result: Execution;
  /** the last place that belongs to the window */
  readonly end: SpanPlace;
  readonly flags: readonly WindowFlag[];
}

/**
 * Prefix of the execution flag by which an adapter says that an execution tries again what failed before for no
 * fault of the agent: `retry_of:<execution_id>`.
 */
export const RETRY_OF = 'retry_of:';

/**
 * The launches of a run in the order of their calls. Executions of one turn share a launch where their call spans
 * do not part them: the result observed last counts. A retry of an infrastructure failure joins the launch before
 * it, and its result counts. The window of a turn's last launch takes what the model wrote after the call in the
 * same turn: it was written before the feedback.
 */
export function launchesOf(trajectory: Trajectory): Launch[] {
  const groups = joinRetries(groupByCall(experimentsOf(trajectory)));
  return groups.map((group, g): Launch => {
    const { call_turn, call_span } = group.last;
    const turnGoesOn = groups[g + 1]?.first.call_turn === call_turn;
    const end = turnGoesOn && call_span !== null ? call_span : Number.MAX_SAFE_INTEGER;
    return { executions: group.executions, result: group.result, end: [call_turn, end], flags: group.flags };
  });
}

interface Group {
  readonly executions: readonly Execution[];
  readonly first: Execution;
  readonly last: Execution;
  readonly result: Execution;
  readonly flags: readonly WindowFlag[];
}

function groupByCall(experiments: readonly Execution[]): Group[] {
  const inseparable = new Set(experiments.filter((e) => e.call_span === null).map((e) => e.call_turn));
  const byCall = new Map<string, Group>();
  for (const execution of experiments) {
    const turn = execution.call_turn;
    const key = inseparable.has(turn) ? `${turn}` : `${turn} ${execution.call_span}`;
    const group = byCall.get(key);
    if (group === undefined) {
      byCall.set(key, {
        executions: [execution],
        first: execution,
        last: execution,
        result: execution,
        flags: [],
      });
      continue;
    }
    const executions = [...group.executions, execution];
    const result = isObservedLater(execution, group.result) ? execution : group.result;
    const others = executions.filter((other) => other !== result);
    const flags: WindowFlag[] = [others.every(isInfrastructure) ? 'retried' : 'merged_executions'];
    byCall.set(key, { executions, first: group.first, last: execution, result, flags });
  }
  return [...byCall.values()];
}

function joinRetries(groups: readonly Group[]): Group[] {
  const joined: Group[] = [];
  const failed = new Set<string>();
  for (const group of groups) {
    const retried = group.first.flags.find((flag) => flag.startsWith(RETRY_OF))?.slice(RETRY_OF.length);
    const before = joined[joined.length - 1];
    if (
      before !== undefined &&
      isInfrastructure(before.result) &&
      before.executions.some((execution) => execution.execution_id === retried)
    ) {
      joined[joined.length - 1] = {
        executions: [...before.executions, ...group.executions],
        first: before.first,
        last: group.last,
        result: group.result,
        flags: [...new Set([...before.flags, 'retried' as const, ...group.flags])],
      };
    } else if (retried !== undefined && failed.has(retried)) {
      joined.push({ ...group, flags: [...group.flags, 'retry_apart'] });
    } else {
      joined.push(group);
    }
    for (const execution of group.executions) {
      if (isInfrastructure(execution)) failed.add(execution.execution_id);
    }
  }
  return joined;
}

function isInfrastructure(execution: Execution): boolean {
  return execution.status === 'infrastructure';
}

/** A result that the log does not show is older than any that it shows. */
function isObservedLater(a: Execution, b: Execution): boolean {
  const seen = (execution: Execution): number => execution.feedback_turn ?? -1;
  return seen(a) === seen(b) ? a.order > b.order : seen(a) > seen(b);
}
