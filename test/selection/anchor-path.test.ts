import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { turnsOffPath } from '../../src/selection/anchor-path.js';
import { type SelectionOptionsInput, selectionSchema } from '../../src/selection/options.js';
import { selectPrefixes } from '../../src/selection/select.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { planRows } from '../../src/tokens/stretches.js';
import { contentSpan, makeExecution, makeTurn } from '../../src/trajectory/build.js';
import type { Execution } from '../../src/trajectory/execution.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { onlyTrajectory, readAll } from '../formats/read-all.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { encoder, renderer } from '../tokens/rows.js';
import {
  call,
  finish,
  observation,
  prompt,
  type RunEvent,
  runOf,
  taskOf,
  text,
} from '../windows/synthetic-run.js';

/** A search whose node i was made from node `parents[i]`; turn 0 is the task, node i has turns 1 + 2i and 2 + 2i. */
function searchOf(parents: readonly (number | null)[], rest: Partial<Trajectory> = {}): Trajectory {
  const events = parents.map(
    (parent, i): RunEvent => ({
      exec: 'ok',
      score: 0.7 + i / 1000,
      execution: { parent_execution: parent === null ? null : `e${parent}` },
    }),
  );
  return runOf(events, { flags: ['tree_search'], ...rest });
}

const turnsOf = (node: number): number[] => [1 + 2 * node, 2 + 2 * node];

/** A node whose feedback is the turn behind its call. */
function nodeAt(call_turn: number, { order, parent }: { order: number; parent: string | null }): Execution {
  return makeExecution(
    { execution_id: `e${order}`, order, kind: 'experiment', tool: 'x', call_turn, status: 'ok' },
    { feedback_turn: call_turn + 1, parent_execution: parent },
  );
}

function decide(run: Trajectory, options: SelectionOptionsInput = {}) {
  const defaults: SelectionOptionsInput = {
    rules: ['best'],
    quality: 'median',
    degradation: { threshold: 9, unit: 'absolute' },
    prefixes: 'lineage',
  };
  return selectPrefixes(run, taskOf(), selectionSchema.parse({ ...defaults, ...options })).prefixes;
}

/** What each turn of a prefix trains, by turn, over all rows of it. */
function trainedTexts(run: Trajectory, lastTurn: number, offPath: readonly number[]): Map<number, string> {
  const rows = createRowEncoder({ encoder, renderer, mask: maskSchema.parse({}) });
  const trained = new Map<number, number[]>();
  for (const plan of planRows({
    trajectory: run,
    lastTurn,
    offPath: new Set(offPath),
    strategy: 'split',
    renderer,
  })) {
    const row = rows.encode({ trajectory: run, plan });
    row.loss_mask.forEach((flag, i) => {
      const turn = row.segments[row.segment_of_token[i] ?? -1]?.turn ?? -1;
      if (flag === 1) trained.set(turn, [...(trained.get(turn) ?? []), row.input_ids[i] ?? -1]);
    });
  }
  return new Map([...trained].map(([turn, ids]) => [turn, ids.join(' ')]));
}

/** Nodes in order of execution, each made from an earlier one or from none. */
const trees = fc
  .array(fc.option(fc.nat(1000)), { minLength: 1, maxLength: 14 })
  .map((wishes) => wishes.map((wish, i) => (wish === null || i === 0 ? null : wish % i)));

describe('the path to an anchor', () => {
  it('is a chain of parents from a root to the anchor, and what is left out is every other node, whole', () => {
    fc.assert(
      fc.property(trees, fc.nat(13), (parents, wish) => {
        const anchor = wish % parents.length;
        const off = turnsOffPath(searchOf(parents), 2 + 2 * anchor) ?? [];
        const kept = [...Array(2 * anchor + 3).keys()].filter((turn) => !off.includes(turn));
        expect(kept[0]).toBe(0);
        const nodes = kept.slice(1).flatMap((turn) => (turn % 2 === 1 ? [(turn - 1) / 2] : []));
        expect(kept.slice(1)).toEqual(nodes.flatMap(turnsOf));
        expect(nodes.at(-1)).toBe(anchor);
        expect(parents[nodes[0] ?? -1]).toBeNull();
        for (const [i, node] of nodes.slice(1).entries()) expect(parents[node]).toBe(nodes[i]);
      }),
    );
  });

  it('trains of its turns the very tokens that the chronological prefix trains of them, and no others', () => {
    fc.assert(
      fc.property(trees, (parents) => {
        const run = searchOf(parents);
        const [lineage] = decide(run);
        const [chronological] = decide(run, { prefixes: 'chronological' });
        const last = lineage?.last_turn ?? -1;
        expect([chronological?.last_turn, chronological?.off_path]).toEqual([last, []]);
        const all = trainedTexts(run, last, []);
        const own = trainedTexts(run, last, lineage?.off_path ?? []);
        const left = new Set(lineage?.off_path);
        expect([...own]).toEqual([...all].filter(([turn]) => !left.has(turn)));
        expect(own.has(last - 1)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('is not known where the log names no parents, lacks one, or names one that comes later or is a descendant', () => {
    const from = (parents: readonly (number | null)[], rest: Partial<Trajectory> = {}) =>
      turnsOffPath(searchOf(parents, rest), 2 + 2 * (parents.length - 1));
    expect(from([null, 0, 0])).toEqual(turnsOf(1));
    expect(from([null, 0, 0], { flags: ['tree_search', 'parents_absent'] })).toBeNull();
    expect(from([null, 0, 7])).toBeNull();
    expect(from([2, 0, 1])).toBeNull();
    expect(from([1, 3, null, 0])).toBeNull();
    expect(from([null, 1])).toBeNull();
    expect(turnsOffPath(searchOf([null, 3, 1, null]), 6)).toBeNull();
    expect(turnsOffPath(searchOf([null, 3, 0, null]), 6)).toEqual(turnsOf(1));
    const run = searchOf([null, null, 1]);
    const lacking = (missing: number) => ({
      ...run,
      executions: run.executions.map((each, i) =>
        i === missing ? { ...each, flags: ['parent_missing'] } : each,
      ),
    });
    expect(turnsOffPath(lacking(1), 6)).toBeNull();
    // a parent that lacks off the path is of no concern
    expect(turnsOffPath(lacking(0), 6)).toEqual(turnsOf(0));
    expect(turnsOffPath(run, 5)).toBeNull();
  });

  it('is the whole prefix of a run that is no search', () => {
    const run = searchOf([null, null, null], { flags: [] });
    expect(turnsOffPath(run, 6)).toEqual([]);
    expect(decide(run)[0]).toMatchObject({ kind: 'chronological', off_path: [], flags: [] });
  });

  it('takes the prompts of a node with it, also of the first where no other node has them', () => {
    const ask = (words: string) => makeTurn('user', [prompt(words)]);
    const answer = (words: string) => [
      makeTurn('assistant', [text(words)]),
      makeTurn('tool', [observation(words)]),
    ];
    const turns = [ask('a'), ...answer('A'), ask('b'), ...answer('B'), ask('c'), ...answer('C')];
    const executions = [0, 1, 2].map((order) =>
      nodeAt(1 + 3 * order, { order, parent: order === 2 ? 'e1' : null }),
    );
    const run = (epochs: number[][]): Trajectory =>
      finish({
        turns,
        executions,
        submissions: [],
        flags: ['tree_search'],
        epochs: epochs.map((list, i) => ({ turns: list, reason: i === 0 ? null : 'new_prompt' })),
      });
    const apart = run([
      [0, 1, 2],
      [3, 4, 5],
      [6, 7, 8],
    ]);
    expect(turnsOffPath(apart, 8)).toEqual([0, 1, 2]);
    expect(turnsOffPath(run([[0, 1, 2, 3, 4, 5, 6, 7, 8]]), 8)).toEqual([1, 2]);
    expect(
      planRows({
        trajectory: apart,
        lastTurn: 8,
        offPath: new Set([0, 1, 2]),
        strategy: 'split',
        renderer,
      }).map(({ epoch, indices }) => [epoch, indices]),
    ).toEqual([
      [1, [3, 4, 5]],
      [2, [6, 7, 8]],
    ]);
  });

  it('takes looks around with the node that they led to, and a scoring call with the node before', () => {
    const turn = (name: string) => [
      makeTurn('assistant', [call(name)]),
      makeTurn('tool', [observation(name)]),
    ];
    const names = ['look', 'train', 'score', 'look', 'train', 'score', 'look', 'train'];
    const turns = [makeTurn('user', [prompt('task')]), ...names.flatMap(turn)];
    let trained = 0;
    const executions = names.map((name, i) =>
      makeExecution(
        {
          execution_id: name === 'train' ? `n${trained++}` : `other${i}`,
          order: i,
          kind: name === 'train' ? 'experiment' : name === 'score' ? 'scoring' : 'other',
          tool: name,
          call_turn: 1 + 2 * i,
          status: 'ok',
        },
        { feedback_turn: 2 + 2 * i, parent_execution: i === 7 ? 'n0' : null },
      ),
    );
    const run = finish({ turns, executions, submissions: [] });
    // the second look, its program and its score
    expect(turnsOffPath(run, 16)).toEqual([7, 8, 9, 10, 11, 12]);
  });

  it('takes calls that no execution tells of with their turn or the next node, and feedback in any role with its own', () => {
    const look = [makeTurn('assistant', [call('look')]), makeTurn('tool', [observation('files')])];
    const train = [
      makeTurn('assistant', [text('train'), call('list')]),
      makeTurn('user', [observation('loss')]),
      makeTurn('tool', [observation('list')]),
    ];
    const turns = [makeTurn('user', [prompt('task')]), ...[0, 1, 2].flatMap(() => [...look, ...train])];
    const executions = [0, 1, 2].map((order) =>
      nodeAt(3 + 5 * order, { order, parent: order === 2 ? 'e0' : null }),
    );
    const run = finish({ turns, executions, submissions: [] });
    expect(turnsOffPath(run, 14)).toEqual([6, 7, 8, 9, 10]);
  });

  it('knows nodes that the pipeline takes for no experiments', () => {
    const others = (run: Trajectory): Trajectory => ({
      ...run,
      executions: run.executions.map((each) => ({ ...each, kind: 'other' as const })),
    });
    expect(turnsOffPath(others(searchOf([null, null, 0])), 6)).toEqual(turnsOf(1));
    expect(turnsOffPath(others(searchOf([null, 0, 0], { flags: [] })), 6)).toEqual(turnsOf(1));
  });

  it('gives one prefix to rules that keep the same turns, and two where a whole run keeps more', () => {
    const chain = decide(searchOf([null, 0, 1]), { rules: ['whole', 'best'] });
    expect(chain.map(({ rules, kind }) => [rules, kind])).toEqual([[['whole', 'best'], 'lineage']]);
    const fork = decide(searchOf([null, 0, 0]), { rules: ['whole', 'best'] });
    expect(fork.map(({ rules, kind, off_path: off }) => [rules, kind, off])).toEqual([
      [['whole'], 'chronological', []],
      [['best'], 'lineage', turnsOf(1)],
    ]);
  });

  it('keeps the turn that commits the anchor', () => {
    const run = searchOf([null, 0, 0]);
    const done = makeTurn('assistant', [contentSpan('text', 'model', 'Done.')]);
    const turns = [...run.turns, done];
    const [prefix] = decide(
      { ...run, turns, epochs: [{ turns: [...turns.keys()], reason: null }] },
      { tail: 'commit' },
    );
    expect(prefix).toMatchObject({ last_turn: 7, off_path: turnsOf(1), flags: ['commit_kept'] });
  });
});

describeWithShared('the path to an anchor in the real house-prices journal', () => {
  const RUN = 'aide_journal/translucent-spaniel_journal.json';

  it('is that of node2parent, for every node', async () => {
    const run = onlyTrajectory(await readAll({ root: sharedFile('logs'), path: RUN }));
    const { nodes, node2parent } = JSON.parse(readFileSync(sharedFile(`logs/${RUN}`), 'utf8')) as {
      nodes: { id: string; code: string }[];
      node2parent: Record<string, string>;
    };
    const lengths = nodes.map(({ id }, place) => {
      const path = new Set<string>();
      for (let at: string | undefined = id; at !== undefined; at = node2parent[at]) path.add(at);
      const off = new Set(turnsOffPath(run, 2 * place + 1));
      const kept = nodes.slice(0, place + 1).filter((_, i) => !off.has(2 * i));
      expect(kept.map((node) => node.id)).toEqual(
        nodes.map((node) => node.id).filter((each) => path.has(each)),
      );
      expect(off.size).toBe(2 * (place + 1 - path.size));
      return path.size;
    });
    expect(Math.max(...lengths)).toBeGreaterThan(4);
  });
});
