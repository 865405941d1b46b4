import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTrajectories } from '../../src/formats/reader.js';
import { parseTaskFile } from '../../src/grading/task-file.js';
import { TaskIndex } from '../../src/grading/task-index.js';
import { type SelectionOptionsInput, selectionSchema } from '../../src/selection/options.js';
import { selectPrefixes } from '../../src/selection/select.js';
import { type WindowOptionsInput, windowSchema } from '../../src/windows/options.js';
import { segmentWindows } from '../../src/windows/segment.js';
import { PAGES, repository } from './pages.js';

const tasksPath = join(repository, 'data/tasks/samples.json');
const tasks = TaskIndex.of(parseTaskFile(readFileSync(tasksPath, 'utf8'), 'samples.json'));

/** The run of a sample log and its task. */
async function sample(path: string) {
  const root = join(repository, 'data/samples/logs');
  const results = readTrajectories({ root, path, range: null, format: 'auto', siblings: null });
  for await (const result of results) {
    if (result.kind !== 'trajectory') continue;
    return { trajectory: result.trajectory, task: tasks.find(result.trajectory.task_id ?? '') };
  }
  throw new Error(`no trajectory in ${path}`);
}

const frost = await sample('mle-dojo/sample-frost-damage/frost-dojo-degraded_agent_trajectory.json');
const parcel = await sample('mle-dojo/sample-parcel-hours/parcel-dojo-best-last_agent_trajectory.json');

function selected({ trajectory, task }: typeof frost, options: SelectionOptionsInput) {
  const { prefixes, outcomes } = selectPrefixes(trajectory, task, selectionSchema.parse(options));
  return {
    anchors: prefixes.map(({ rules, anchor_turn, anchor_score }) => [...rules, anchor_turn, anchor_score]),
    reasons: outcomes.map(({ reason }) => reason),
  };
}

function rewards({ trajectory, task }: typeof frost, options: WindowOptionsInput = {}) {
  return segmentWindows(trajectory, task, windowSchema.parse(options)).windows.map(({ reward }) => reward);
}

const page = (path: string): string => PAGES.find((each) => each.path === path)?.text ?? '';

describe('worked examples of docs/selection.md', () => {
  const rules: SelectionOptionsInput['rules'] = ['initial', 'best'];

  it('frost-dojo-degraded', () => {
    expect(page('docs/selection.md')).toContain('the anchor is\n  the best, turn 12');
    expect(selected(frost, { rules, quality: 'median', degradation: { threshold: 0.05 } })).toEqual({
      anchors: [
        ['initial', 10, 0.7617],
        ['best', 12, 0.89102],
      ],
      reasons: ['kept', 'kept'],
    });
    expect(selected(frost, { rules, quality: 'gold', degradation: { threshold: 0.05 } })).toEqual({
      anchors: [['best', 12, 0.89102]],
      reasons: ['first_solution_failed', 'kept'],
    });
    const tiers = { threshold: 3, unit: 'tiers' as const };
    expect(selected(frost, { rules, quality: 'median', degradation: tiers }).anchors).toEqual([
      ['initial', 10, 0.7617],
      ['best', 14, 0.56724],
    ]);
  });

  it('parcel-dojo-best-last', () => {
    expect(selected(parcel, { rules, quality: 'median', degradation: { threshold: 0.05 } })).toEqual({
      anchors: [['best', 16, 3.86303]],
      reasons: ['first_solution_failed', 'kept'],
    });
    expect(parcel.trajectory.flags).toContain('feedback_from_sidecar');
  });

  it('stand on the thresholds that the page states', () => {
    expect(frost.task?.thresholds).toMatchObject({ gold: 0.88803, median: 0.74665 });
    expect(parcel.task?.thresholds).toMatchObject({ gold: 4.54674, bronze: 5.51508, median: 6.16064 });
    for (const number of ['.74665', '.88803', '6.16064']) {
      expect(page('docs/selection.md')).toContain(number);
    }
  });
});

describe('worked examples of docs/windows.md', () => {
  it('parcel-dojo-best-last, as its table says', () => {
    const rows = [...page('docs/windows.md').matchAll(/^\| \d \|.*\| (\S+) \| (\S+) \|$/gm)];
    expect(rows.map(([, every]) => Number(every))).toEqual(rewards(parcel));
    expect(rows.map(([, , tier]) => Number(tier))).toEqual(rewards(parcel, { base: 'new_tier' }));
  });

  it('frost-dojo-degraded', () => {
    expect(rewards(frost)).toEqual([-1, 1, 2.2, -0.6]);
  });
});
