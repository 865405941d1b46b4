import type { Plan } from './plan.js';
import type { Progress, WorkerProgress } from './task-message.js';

/** Counts what workers report into one state. */
export class RunProgress {
  readonly #plan: Plan;
  readonly #notify: ((progress: Progress) => void) | undefined;
  #state: Progress;

  constructor(plan: Plan, notify: ((progress: Progress) => void) | undefined) {
    this.#plan = plan;
    this.#notify = notify;
    this.#state = emptyProgress('survey', 0, 0);
  }

  startPass(pass: 'survey' | 'build', tasks: readonly number[]): void {
    let bytes = 0;
    for (const task of tasks) {
      for (const piece of this.#plan.body.tasks[task] ?? []) bytes += piece.byte_end - piece.byte_start;
    }
    this.#state = emptyProgress(pass, tasks.length, bytes);
    this.#notify?.(this.#state);
  }

  add(delta: WorkerProgress): void {
    const state = this.#state;
    this.#state = {
      ...state,
      bytesDone: state.bytesDone + delta.bytes,
      trajectories: state.trajectories + delta.trajectories,
      rejected: state.rejected + delta.rejected,
      tokens: state.tokens + delta.tokens,
    };
    this.#notify?.(this.#state);
  }

  taskDone(): void {
    this.#state = { ...this.#state, tasksDone: this.#state.tasksDone + 1 };
    this.#notify?.(this.#state);
  }
}

function emptyProgress(pass: 'survey' | 'build', tasksTotal: number, bytesTotal: number): Progress {
  return {
    pass,
    tasksDone: 0,
    tasksTotal,
    bytesDone: 0,
    bytesTotal,
    trajectories: 0,
    rejected: 0,
    tokens: 0,
    startedAt: Date.now(),
  };
}
