import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { fromMessages } from '../../src/chat/messages.js';
import { openPromptTemplate, rebuildPrompts } from '../../src/pipeline/rebuild-prompts.js';
import { turnsOffPath } from '../../src/selection/anchor-path.js';
import { makeTurn, turnContent } from '../../src/trajectory/build.js';
import { trajectoryId } from '../../src/trajectory/identity.js';
import { type Trajectory, trajectorySchema } from '../../src/trajectory/trajectory.js';
import { onlyTrajectory, readAll } from '../formats/read-all.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { duckRows } from '../tables/duck.js';
import { prompt, type RunEvent, runOf, taskOf } from '../windows/synthetic-run.js';
import { fingerprint, repository, temporaryFolder, trajmill } from './child-run.js';

const TASK = { task: taskOf(), task_id: 'task', how: 'mapping' } as const;

function rebuild(run: Trajectory, text: string, description: string | null = null): Trajectory {
  const template = openPromptTemplate('p.jinja', text);
  return rebuildPrompts(run, { template, role: 'user', task: TASK, description });
}

/** A search whose node i was made from `parents[i]`; a score of null is a node that failed. */
function searchOf(
  nodes: readonly (readonly [parent: number | null, score: number | null])[],
  rest: Partial<Trajectory> = {},
): Trajectory {
  const events = nodes.map(
    ([parent, score], i): RunEvent => ({
      exec: score === null ? 'error' : 'ok',
      ...(score === null ? {} : { score }),
      scale: 'self_reported',
      code: `code ${i}`,
      execution: { parent_execution: parent === null ? null : `e${parent}` },
    }),
  );
  return runOf(events, { flags: ['tree_search', 'prompts_absent'], ...rest });
}

const textsOf = ({ turns }: Trajectory): string[] =>
  turns.filter(({ flags }) => flags.includes('prompts_rebuilt')).map(turnContent);

const TREE = [
  [null, 0.5],
  [0, null],
  [1, 0.7],
  [0, 0.6],
] as const;

describe('prompts of a search', () => {
  it('tell each node its operator, its parent, its path and what came before, and nothing of itself', () => {
    const run = searchOf(TREE);
    const text =
      '{{ node.number }} {{ node.operator }} {{ parent.code }} {{ parent.score }} ' +
      '{{ path | map(attribute="number") | list }} {{ earlier | map(attribute="number") | list }}';
    expect(textsOf(rebuild(run, text))).toEqual([
      '0 draft   [] []',
      '1 improve code 0 0.5 [0] [0]',
      '2 debug code 1 None [0, 1] [0, 1]',
      '3 improve code 0 0.5 [0] [0, 1, 2]',
    ]);
    const told =
      '{{ parent.plan }}|{{ parent.output }}|{{ parent.status }}|{{ parent.buggy }}|{{ task.description }}';
    expect(textsOf(rebuild(run, told, 'Why'))[2]).toBe('attempt 1|result 1|error|True|Why');
    // a field of the node itself would tell the model its own answer
    expect(textsOf(rebuild(run, '{{ node.code }}{{ node.output }}.'))).toEqual(['.', '.', '.', '.']);
  });

  it('tell no score on hidden labels', () => {
    const run = searchOf(TREE);
    const graded = {
      ...run,
      submissions: run.submissions.map((each) => ({ ...each, scale: 'test' as const })),
    };
    const texts = textsOf(rebuild(graded, '{% for n in earlier %}{{ n.score }} {% endfor %}.'));
    expect(texts.at(-1)).toBe('None None None .');
  });

  it('tell no operator and no parent where the log does not', () => {
    const bare = searchOf(TREE, { flags: ['tree_search', 'prompts_absent', 'parents_absent'] });
    const texts = textsOf(rebuild(bare, '{{ node.operator }}{{ parent }}{{ path }}{{ earlier | length }}'));
    expect(texts).toEqual(['NoneNone[]0', 'NoneNone[]1', 'NoneNone[]2', 'NoneNone[]3']);
  });

  it('stand in contexts of their own, behind what stands before the first node', () => {
    const run = rebuild(searchOf(TREE.slice(0, 2)), 'prompt {{ node.number }}');
    expect(run.turns.map(({ role }) => role)).toEqual([
      'user',
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
      'tool',
    ]);
    expect(run.epochs).toEqual([
      { turns: [0, 1, 2, 3], reason: null },
      { turns: [0, 4, 5, 6], reason: 'new_prompt' },
    ]);
    expect(run.executions.map((each) => [each.call_turn, each.feedback_turn])).toEqual([
      [2, 3],
      [5, 6],
    ]);
    expect(run.submissions.map((each) => each.observed_turn)).toEqual([3]);
    expect(run.flags).toEqual(['tree_search', 'prompts_rebuilt']);
    expect(run.turns[1]?.spans.map(({ origin, kind }) => [origin, kind])).toEqual([
      ['environment', 'prompt'],
    ]);
  });

  it('are left out where the template prints nothing, which both flags say', () => {
    const run = rebuild(searchOf(TREE), '{% if parent %}prompt{% endif %}');
    expect(textsOf(run)).toEqual(['prompt', 'prompt', 'prompt']);
    expect(run.flags).toEqual(['tree_search', 'prompts_absent', 'prompts_rebuilt']);
    const nothing = searchOf(TREE);
    expect(rebuild(nothing, '{% if false %}x{% endif %}')).toBe(nothing);
  });

  it('are not rebuilt where a node has its own, nor for a reply that no model wrote', () => {
    const run = searchOf(TREE.slice(0, 2));
    const [task, first, out, second, last] = run.turns;
    if (!task || !first || !out || !second || !last) throw new Error('no turns');
    const environment = {
      ...first,
      spans: first.spans.map((span) => ({ ...span, origin: 'environment' as const })),
    };
    const copied = rebuild({ ...run, turns: [task, environment, out, second, last] }, 'x{{ node.number }}');
    expect(textsOf(copied)).toEqual(['x1']);
    expect(copied.epochs.map(({ turns }) => turns)).toEqual([
      [0, 1, 2],
      [0, 3, 4, 5],
    ]);
    const asked = makeTurn('user', [prompt('asked')]);
    const moved = {
      ...run.executions[1],
      call_turn: 4,
      feedback_turn: 5,
    } as Trajectory['executions'][number];
    const own: Trajectory = {
      ...run,
      turns: [task, first, out, asked, second, last],
      executions: run.executions.map((each, i) => (i === 1 ? moved : each)),
      epochs: [
        { turns: [0, 1, 2], reason: null },
        { turns: [3, 4, 5], reason: 'new_prompt' },
      ],
    };
    // turn 0 is the prompt of the first node there, since no other has it before it
    expect(rebuild(own, 'x')).toBe(own);
  });

  it('change nothing else: every turn of the log stays, in one context at least, and so does each path', () => {
    const trees = fc
      .array(fc.tuple(fc.option(fc.nat(99)), fc.option(fc.integer({ min: 1, max: 9 }))), {
        minLength: 1,
        maxLength: 9,
      })
      .map((list) =>
        list.map(([wish, score], i) => [wish === null || i === 0 ? null : wish % i, score] as const),
      );
    fc.assert(
      fc.property(trees, (nodes) => {
        const before = searchOf(nodes);
        const after = rebuild(before, 'p{{ node.number }}');
        expect(trajectorySchema.parse(after)).toEqual(after);
        const added = after.turns.flatMap(({ flags }, turn) =>
          flags.includes('prompts_rebuilt') ? [turn] : [],
        );
        expect(added).toHaveLength(nodes.length);
        expect(after.turns.filter((_, turn) => !added.includes(turn))).toEqual(before.turns);
        expect(after.trajectory_id).toBe(trajectoryId(after.turns));
        expect(after.trajectory_id).not.toBe(before.trajectory_id);
        expect(new Set(after.epochs.flatMap(({ turns }) => turns)).size).toBe(after.turns.length);
        after.executions.forEach((each, i) => {
          expect(after.turns[each.call_turn]).toBe(before.turns[before.executions[i]?.call_turn ?? -1]);
          const off =
            turnsOffPath(after, each.feedback_turn ?? -1)?.filter((turn) => !added.includes(turn)) ?? [];
          const old = turnsOffPath(before, before.executions[i]?.feedback_turn ?? -1) ?? [];
          expect(off.map((turn) => after.turns[turn])).toEqual(old.map((turn) => before.turns[turn]));
        });
      }),
    );
  });
});

describeWithShared('the prompts of the real house-prices journal', () => {
  it('name the parent of each node as node2parent does, with its code, metric and fate', async () => {
    const path = 'aide_journal/translucent-spaniel_journal.json';
    const run = onlyTrajectory(await readAll({ root: sharedFile('logs'), path }));
    const { nodes, node2parent } = JSON.parse(readFileSync(sharedFile(`logs/${path}`), 'utf8')) as {
      nodes: { id: string; code: string; is_buggy: boolean; metric: { value: number | null } }[];
      node2parent: Record<string, string>;
    };
    const text = '{{ node.operator }} {{ parent.score }} {{ parent.code }}';
    const expected = nodes.map(({ id }) => {
      const parent = nodes.find((each) => each.id === node2parent[id]);
      if (parent === undefined) return 'draft  ';
      const { is_buggy: buggy, metric, code } = parent;
      return buggy ? `debug None ${code}` : `improve ${metric.value} ${code}`;
    });
    expect(textsOf(rebuild(run, text))).toEqual(expected);
    expect(expected.filter((each) => each.startsWith('debug')).length).toBeGreaterThan(2);
  });
});

describe('the shipped pipeline for search trees', () => {
  const home = temporaryFolder();
  const out = join(home, 'run');
  const shipped = join(repository, 'pipelines/tree-sft.yaml');

  beforeAll(async () => {
    const run = await trajmill(['run', shipped, '--out', out, '--workers', '1']);
    expect(run.code, run.stderr).toBe(0);
  });

  it('gives a row for each node on the path to the best score, behind a prompt that is never trained', async () => {
    const rows = await duckRows(`select * from '${out}/corpus/data/sft/*.parquet' order by epoch`);
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) {
      expect(row['prefix']).toBe('lineage');
      expect(row['flags']).toContain('prompts_rebuilt');
      expect(row['flags']).not.toContain('prompts_absent');
      const { turns, trained } = fromMessages(String(row['messages']));
      expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
      expect([...trained]).toEqual([1]);
      expect(turnContent(turns[0] ?? makeTurn('user', []))).toContain('# Introduction');
    }
    const verified = await trajmill(['verify', out]);
    expect(verified.code, verified.stdout).toBe(0);
  });

  it('gives the same bytes with several workers, and another plan with another template', async () => {
    const more = await trajmill(['run', shipped, '--out', join(home, 'more'), '--workers', '3']);
    expect(more.code, more.stderr).toBe(0);
    expect(fingerprint(join(home, 'more'))).toEqual(fingerprint(out));
    const template = join(home, 'other.jinja');
    writeFileSync(template, 'Node {{ node.number }}');
    const text = readFileSync(shipped, 'utf8').replaceAll('../', `${repository}/`);
    const pipeline = join(home, 'p.yaml');
    writeFileSync(pipeline, text.replace('prompts/search-node.jinja', template));
    const refused = await trajmill(['run', pipeline, '--out', out, '--resume']);
    expect(refused.code).toBe(2);
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    expect(refused.stderr).toContain('prompts');
    for (const [content, why] of [
      ['{{ nude.number }}', 'no variable nude'],
      ['{% if %}', 'cannot be parsed'],
    ] as const) {
      writeFileSync(template, content);
      const wrong = await trajmill(['run', pipeline, '--out', join(home, 'wrong')]);
      expect([wrong.code, wrong.stderr.trim().split('\n').length]).toEqual([2, 1]);
      expect(wrong.stderr).toContain(why);
    }
  });

  it('tells explain how the log reads again', async () => {
    const told = await trajmill(['explain', out, 'sample-parcel-hours/parcel-aide-tree/journal.json']);
    expect(told.stdout).toContain('the source log read again');
  });
});
