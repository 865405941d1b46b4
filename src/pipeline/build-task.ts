import { completionPath, writeMarker } from './completion.js';
import { faultPoint } from './fault.js';
import { TaskBuilder } from './task-builder.js';
import type { TaskContext } from './task-context.js';
import { readTask } from './task-input.js';
import type { WorkerProgress } from './task-message.js';

/** Builds one task by what the corpus decided; last of all stands its completion. */
export async function buildTask(
  context: TaskContext,
  task: number,
  report: (delta: WorkerProgress) => void,
): Promise<void> {
  const { plan, location, folder, siblings, looks } = context;
  const decided = context.taskDecisions(task);
  const builder = new TaskBuilder(context, { task, corpus: context.decisions() });
  let order = -1;
  try {
    for await (const read of readTask({ plan, location, task, siblings, looks })) {
      if (read.result.kind === 'trajectory') order++;
      report(await builder.take(read, decided.get(order) ?? null));
    }
    const completion = await builder.finish();
    faultPoint('before-completion');
    writeMarker(completionPath(folder, task), completion);
    faultPoint('after-completion');
  } catch (error) {
    await builder.abort();
    throw error;
  }
}
