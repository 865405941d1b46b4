import { type TaskRecord, taskRecordSchema } from '../../src/grading/task-record.js';
import { makeExecution, makeSubmission, makeTurn } from '../../src/trajectory/build.js';
import type { Execution, Submission } from '../../src/trajectory/execution.js';
import { trajectoryId } from '../../src/trajectory/identity.js';
import type { Span } from '../../src/trajectory/span.js';
import { type Trajectory, trajectorySchema } from '../../src/trajectory/trajectory.js';
import type { Turn } from '../../src/trajectory/turn.js';

/** One experiment of a synthetic run. Without `score` it leaves no submission; null is one that cannot be graded. */
export interface RunEvent {
  readonly exec: Execution['status'] | 'infra';
  readonly score?: number | null;
  readonly scale?: Submission['scale'];
  readonly code?: string;
  readonly execution?: Partial<Execution>;
  readonly submission?: Partial<Submission>;
}

export function text(content: string): Span {
  return { kind: 'text', origin: 'model', text: content, inline: true, call: null, model: null };
}

export function call(name: string, args = '{}'): Span {
  const parsed = { id: null, name, arguments: args, arguments_were_object: false };
  return { kind: 'tool_call', origin: 'model', text: args, inline: false, call: parsed, model: null };
}

export function prompt(content: string): Span {
  return { kind: 'prompt', origin: 'environment', text: content, inline: true, call: null, model: null };
}

export function observation(content: string): Span {
  return { kind: 'observation', origin: 'environment', text: content, inline: true, call: null, model: null };
}

/**
 * A run of one prompt (turn 0), then per event i an assistant turn (1 + 2i: a text and a call span) and its feedback
 * (2 + 2i), then the turns of `tail`.
 */
export function runOf(
  events: readonly RunEvent[],
  rest: Partial<Trajectory> = {},
  tail: readonly Turn[] = [],
): Trajectory {
  const turns: Turn[] = [makeTurn('user', [prompt('the task')])];
  const executions: Execution[] = [];
  const submissions: Submission[] = [];
  events.forEach((event, i) => {
    const code = event.code ?? null;
    turns.push(makeTurn('assistant', [text(`attempt ${i}`), call('run', JSON.stringify({ code, i }))]));
    turns.push(makeTurn('tool', [observation(`result ${i}`)]));
    const made = makeExecution({
      execution_id: `e${i}`,
      order: i,
      kind: 'experiment',
      tool: 'run',
      call_turn: 1 + 2 * i,
      status: event.exec === 'infra' ? 'infrastructure' : event.exec,
    });
    executions.push({ ...made, call_span: 1, feedback_turn: 2 + 2 * i, code, ...event.execution });
    if (event.score === undefined) return;
    const { score, scale = 'test' } = event;
    const scored = makeSubmission({
      execution_id: `e${i}`,
      order: i,
      gradable: score !== null,
      score,
      scale,
    });
    submissions.push({ ...scored, observed_turn: 2 + 2 * i, ...event.submission });
  });
  turns.push(...tail);
  return finish({ turns, executions, submissions, ...rest });
}

/** A whole trajectory out of its parts, checked by its own schema. */
export function finish(
  parts: Pick<Trajectory, 'turns' | 'executions' | 'submissions'> & Partial<Trajectory>,
): Trajectory {
  return trajectorySchema.parse({
    trajectory_id: trajectoryId(parts.turns),
    source: {
      path: 'runs/run.json',
      line: null,
      byte_start: 0,
      byte_end: 1,
      sha256: '0'.repeat(64),
      format: 'synthetic',
      adapter_version: '1',
      sidecars: [],
    },
    session_id: null,
    parent_session: null,
    group: null,
    task_id: 'task',
    task_claims: null,
    scaffold: null,
    scaffold_version: null,
    model: 'policy',
    policy_version: null,
    tools: null,
    epochs: [{ turns: [...parts.turns.keys()], reason: null }],
    termination: 'submitted',
    turn_budget: null,
    seconds_budget: null,
    resolved: null,
    feedback_exposes_test_score: false,
    flags: [],
    ...parts,
  });
}

export interface TaskThresholds {
  readonly gold: number | null;
  readonly silver: number | null;
  readonly bronze: number | null;
  readonly median: number | null;
  readonly is_lower_better?: boolean;
}

/** A task record with these thresholds; by default gold .9, silver .8, bronze .7, median .6, higher is better. */
export function taskOf(
  thresholds: TaskThresholds | null = { gold: 0.9, silver: 0.8, bronze: 0.7, median: 0.6 },
  rest: Partial<TaskRecord> = {},
): TaskRecord {
  const { is_lower_better = false, ...tiers } = thresholds ?? {};
  return taskRecordSchema.parse({
    task_id: 'task',
    is_lower_better,
    thresholds: thresholds === null ? null : tiers,
    ...rest,
  });
}
