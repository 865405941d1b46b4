import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromMessages, toMessages } from '../../src/chat/messages.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import { fitRows } from '../../src/tokens/fit-length.js';
import type { FittedRow } from '../../src/tokens/fitted-row.js';
import { lengthSchema, OVER_LENGTHS, type OverLength } from '../../src/tokens/length-options.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { proveStored } from '../../src/tokens/prove-stored.js';
import { planRows } from '../../src/tokens/stretches.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import type { Turn } from '../../src/trajectory/turn.js';
import {
  assistant,
  call,
  encoder,
  renderer,
  rowsOf,
  system,
  text,
  thought,
  tool,
  trainedRuns,
  trajectoryOf,
  user,
} from './rows.js';

const mask = maskSchema.parse({});
const rows = createRowEncoder({ encoder, renderer, mask });

interface Fit {
  readonly fitted: (Omit<FittedRow, 'row'> & { n_tokens: number; trained: number[]; runs: string[] })[];
  readonly dropped: number;
}

function fitAll(trajectory: Trajectory, over: OverLength, maxTokens: number | null): Fit {
  const length = lengthSchema.parse({ over, max_tokens: maxTokens });
  let dropped = 0;
  const fitted: Fit['fitted'] = [];
  const lastTurn = trajectory.turns.length - 1;
  for (const plan of planRows({ trajectory, lastTurn, strategy: 'split', renderer })) {
    const request = { trajectory, plan, length, encode: rows.encode.bind(rows), onDropped: () => dropped++ };
    for (const { row, ...rest } of fitRows(request)) {
      const messages = JSON.stringify(toMessages(rest, rest.plan.indices, row.trained_turns));
      const stored = { ...row, messages, tools: trajectory.tools, model: trajectory.model };
      const { proofs, ids_reproduced } = proveStored(stored, { encoder, renderer, mask });
      expect({ ids_reproduced, ...proofs }).toEqual({
        ...{ ids_reproduced: true, lengths: true, trained_text: true, stop_tokens: true },
        ...{ no_injected_specials: true, ids_equal_rendering: true },
      });
      fitted.push({
        ...rest,
        n_tokens: row.input_ids.length,
        trained: [...row.trained_turns],
        runs: trainedRuns(row),
      });
    }
  }
  return { fitted, dropped };
}

const words = (count: number, word = 'word') => ` ${word}`.repeat(count);
const turns: Turn[] = [
  system('Be brief.'),
  user('The task.'),
  assistant([thought('first'), text('one'), call({ a: 1 })]),
  tool(words(300, 'out')),
  assistant([text('two'), call({ b: 2 })]),
  tool(words(40, 'small')),
  assistant([text(`three${words(50)}`)]),
  tool(words(200, 'late')),
  assistant([text('four')]),
];
const trajectory = trajectoryOf(turns);
const [whole] = rowsOf(trajectory);
const wholeLength = whole?.input_ids.length ?? 0;

describe('a row that fits', () => {
  it.each(OVER_LENGTHS)('stays as it is (%s)', (over) => {
    for (const limit of [null, wholeLength]) {
      const { fitted, dropped } = fitAll(trajectory, over, limit);
      expect(fitted.map(({ outcome, n_tokens }) => [outcome, n_tokens])).toEqual([[null, wholeLength]]);
      expect(dropped).toBe(0);
    }
  });
});

describe('a row that is too long', () => {
  it('is dropped', () => {
    expect(fitAll(trajectory, 'drop', wholeLength - 1)).toEqual({ fitted: [], dropped: 1 });
  });

  it('ends at the last turn that fits', () => {
    const { fitted, dropped } = fitAll(trajectory, 'cut-tail', wholeLength - 1);
    expect(fitted.map(({ plan, trained, outcome }) => [plan.indices.at(-1), trained, outcome])).toEqual([
      [7, [2, 4, 6], 'tail_cut'],
    ]);
    expect(dropped).toBe(0);
    expect(fitAll(trajectory, 'cut-tail', 450).fitted[0]?.trained).toEqual([2, 4]);
  });

  it('says where the template puts an empty think block into the turn that became the last', () => {
    const run = [user('t'), assistant([text('a')]), tool(words(40)), assistant([thought('r'), text('b')])];
    const long = trajectoryOf([...run, tool(words(80)), assistant([text('c')])]);
    const flags = (over: OverLength, limit: number) =>
      fitAll(long, over, limit).fitted.map((row) => [row.plan.indices.at(-1), row.flags]);
    expect(flags('cut-tail', 40)).toEqual([[1, ['empty_think_at_cut']]]);
    expect(flags('cut-tail', 90)).toEqual([[3, []]]);
    expect(flags('split', 90)[0]).toEqual([3, []]);
    expect(flags('drop', 1000)).toEqual([[5, []]]);
  });

  it('is dropped where not even one turn of the model fits', () => {
    expect(fitAll(trajectory, 'cut-tail', 20)).toEqual({ fitted: [], dropped: 1 });
    expect(fitAll(trajectory, 'shorten-observations', 60)).toEqual({ fitted: [], dropped: 1 });
  });

  it('has the middle of its longest observations elided, and its messages tell so', () => {
    const limit = wholeLength - 200;
    const { fitted } = fitAll(trajectory, 'shorten-observations', limit);
    const [row] = fitted;
    expect(row?.outcome).toBe('observations_shortened');
    expect(row?.n_tokens).toBeLessThanOrEqual(limit);
    expect(row?.n_tokens).toBeGreaterThan(limit - 60);
    expect(row?.trained).toEqual([2, 4, 6, 8]);
    expect(row?.runs).toEqual(whole === undefined ? [] : trainedRuns(whole));
    const contents = row?.turns.map((turn) => turn.spans.map((span) => span.text).join('')) ?? [];
    expect(contents[3]).toMatch(/^( out)+.{0,4}\n\[\.\.\. \d+ characters left out \.\.\.\]\n.{0,4}( out)+$/s);
    expect(contents[5]).toBe(words(40, 'small'));
    expect(row?.turns[3]?.flags).toEqual(['observation_shortened']);
    const [left] = /\d+/.exec(contents[3] ?? '') ?? [];
    const marker = `\n[... ${left} characters left out ...]\n`;
    expect((contents[3]?.length ?? 0) - marker.length + Number(left)).toBe(words(300, 'out').length);
  });

  it('never cuts a character in two', () => {
    const emoji = [user('t'), assistant([text('a')]), tool('🙂'.repeat(400)), assistant([text('b')])];
    for (let limit = 100; limit < 140; limit++) {
      const { fitted } = fitAll(trajectoryOf(emoji), 'shorten-observations', limit);
      expect(fitted[0]?.turns[2]?.spans[0]?.text).toMatch(/^(🙂)+\n\[.*\]\n(🙂)+$/u);
    }
  });

  it('becomes several, each with the task and the newest turns, each turn trained once', () => {
    const { fitted, dropped } = fitAll(trajectory, 'split', 480);
    expect(dropped).toBe(0);
    expect(
      fitted.map(({ plan, trained, part, outcome }) => [[...plan.indices], trained, part, outcome]),
    ).toEqual([
      [[0, 1, 2, 3, 4], [2, 4], 0, 'context_cut'],
      [[0, 1, 4, 5, 6, 7, 8], [6, 8], 1, 'context_cut'],
    ]);
  });

  it('leaves out the turn that fits in no row, and trains the others', () => {
    const long = [user('t'), assistant([text('a')]), tool('x'), assistant([text(words(500))]), tool('y')];
    const { fitted, dropped } = fitAll(trajectoryOf([...long, assistant([text('z')])]), 'split', 120);
    expect(dropped).toBe(1);
    expect(fitted.flatMap(({ trained }) => trained)).toEqual([1, 5]);
  });
});

it('whatever is done, rows fit, trained text stays whole, and no turn is trained twice', () => {
  const size = fc.integer({ min: 0, max: 60 });
  const step = fc
    .tuple(size, size, fc.boolean(), fc.boolean())
    .map(([said, shown, thinks, asks]) => [
      assistant([...(thinks ? [thought(words(5, 'why'))] : []), text(`says${words(said)}`)]),
      asks ? user(`ask${words(shown)}`) : tool(`see${words(shown)}`),
    ]);
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 20, max: 400 }),
      fc.constantFrom(...OVER_LENGTHS),
      (steps, limit, over) => {
        const long = trajectoryOf([user('task'), ...steps.flat()]);
        const runs = new Set(rowsOf(long).flatMap(trainedRuns));
        const { fitted, dropped } = fitAll(long, over, limit);
        const trained = fitted.flatMap((row) => row.trained);
        expect(new Set(trained).size).toBe(trained.length);
        for (const row of fitted) {
          expect(row.n_tokens).toBeLessThanOrEqual(limit);
          expect(row.trained.length).toBeGreaterThan(0);
          for (const run of row.runs) expect(runs.has(run)).toBe(true);
          expect(
            fromMessages(JSON.stringify(toMessages(row, row.plan.indices, row.trained))).turns.length,
          ).toBe(row.plan.indices.length);
        }
        if (dropped === 0 && over !== 'cut-tail') {
          expect(trained.toSorted((a, b) => a - b)).toEqual(
            rowsOf(long)
              .flatMap((row) => [...row.trained_turns])
              .toSorted((a, b) => a - b),
          );
        }
      },
    ),
    { numRuns: 150 },
  );
});
