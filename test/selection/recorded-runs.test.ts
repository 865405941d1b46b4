import { expect, it } from 'vitest';
import { readTrajectories } from '../../src/formats/reader.js';
import { builtinTasks } from '../../src/grading/builtin-tasks.js';
import { resolveTask } from '../../src/grading/resolve.js';
import { TaskIndex } from '../../src/grading/task-index.js';
import { selectionSchema } from '../../src/selection/options.js';
import { selectPrefixes } from '../../src/selection/select.js';
import { windowSchema } from '../../src/windows/options.js';
import { segmentWindows } from '../../src/windows/segment.js';
import { describeWithShared, sharedFile } from '../shared.js';

const options = selectionSchema.parse({
  rules: ['whole', 'initial', 'best'],
  quality: 'median',
  degradation: { threshold: 0.05 },
});

async function judge(path: string) {
  const root = sharedFile('logs');
  for await (const result of readTrajectories({ root, path, range: null, format: 'auto', siblings: null })) {
    if (!('trajectory' in result)) continue;
    const { trajectory } = result;
    const { task } = resolveTask(trajectory, { index: TaskIndex.of(builtinTasks()) });
    return {
      decision: selectPrefixes(trajectory, task, options),
      windows: segmentWindows(trajectory, task, windowSchema.parse({})).windows,
    };
  }
  throw new Error(`no trajectory in ${path}`);
}

describeWithShared('recorded runs', () => {
  it('an MLE-Dojo run passes by its last submission only', async () => {
    const { decision, windows } = await judge('mle_dojo/random-acts-of-pizza_agent_trajectory.json');
    expect(decision.outcomes.map(({ rule, reason }) => [rule, reason])).toEqual([
      ['whole', 'not_complete'],
      ['initial', 'first_solution_failed'],
      ['best', 'kept'],
    ]);
    expect(decision.prefixes).toHaveLength(1);
    expect(decision.prefixes[0]).toMatchObject({
      anchor_score: 0.6225761800963643,
      medal: 'none',
      flags: [],
    });
    expect(windows.map(({ reward }) => reward)).toEqual([-1, -1, -0.4, -0.2, -0.2]);
  });

  it('an AIDE run has scores of its own only: errors are paid, the rest is ungraded', async () => {
    const { decision, windows } = await judge('aide_journal/translucent-spaniel_journal.json');
    expect(decision.prefixes).toEqual([]);
    expect(decision.outcomes.at(-1)).toMatchObject({ reason: 'other_scale' });
    const count = (outcome: string) => windows.filter((window) => window.outcome === outcome).length;
    expect([windows.length, count('ungraded'), count('error')]).toEqual([20, 12, 8]);
    for (const { outcome, reward } of windows) expect(reward).toBe(outcome === 'error' ? -1 : null);
  });
});
