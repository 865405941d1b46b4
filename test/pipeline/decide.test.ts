import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/pipeline/decide.js';
import type { Plan } from '../../src/pipeline/plan.js';
import { encodeSignature, type Survey, type SurveyRow } from '../../src/pipeline/survey.js';
import { MinHasher } from '../../src/selection/minhash.js';
import { nearDuplicatesSchema } from '../../src/selection/near-duplicates.js';
import { encodeReplyKeys } from '../../src/selection/repeated-replies.js';
import { taskOf } from '../windows/synthetic-run.js';
import { planOf, surveyedRow as row } from './plan-of.js';

const replies = (...keys: number[]): Partial<SurveyRow> => ({
  replies: encodeReplyKeys(BigUint64Array.from(keys, BigInt)),
  prospect: true,
});

/** Surveys of the rows, cut into tasks of these sizes; the last takes what is left. */
function surveysOf(rows: readonly SurveyRow[], sizes: readonly number[]): Survey[] {
  const surveys: Survey[] = [];
  let from = 0;
  for (const size of [...sizes, rows.length]) {
    surveys.push({ plan_id: 'p', task: surveys.length, rows: rows.slice(from, from + size) });
    from += size;
  }
  return surveys;
}

/** What became of each row, in plan order: null, or reason and the one that stands for it. */
function decided(plan: Plan, rows: readonly SurveyRow[], sizes: readonly number[] = []) {
  const surveys = surveysOf(rows, sizes);
  const { tasks, decisions } = decide(
    { ...plan, body: { ...plan.body, tasks: surveys.map(() => []) } },
    surveys,
  );
  const all = surveys.flatMap(({ task, rows: own }) =>
    own.map((_, order) => tasks[task]?.rows.find((each) => each.order === order) ?? null),
  );
  return { all, decisions };
}

const reasonsOf = (found: ReturnType<typeof decided>) => found.all.map((each) => each?.reason ?? null);

describe('equal turns', () => {
  it('leave the first in plan order and number the others', () => {
    const { all, decisions } = decided(
      planOf({}),
      ['a', 'b', 'a', 'c', 'a'].map((id) => row(id)),
      [3],
    );
    expect(all.map((each) => each?.occurrence ?? 0)).toEqual([0, 0, 1, 0, 2]);
    expect(all[4]).toMatchObject({
      decision: 'duplicate',
      reason: 'equal_turns',
      duplicate_of: 'a',
      order: 1,
    });
    expect(decisions.counts).toEqual({ equal_turns: 2 });
  });

  const known = (graded: number, scores = graded, policy = 0, ended = 0, task = 2): Partial<SurveyRow> => ({
    riches: [graded, scores, task, policy, ended],
  });
  const inputs = [{ path: 'bare.jsonl' }, { path: 'graded.json' }, { path: 'third.json' }];
  const standing = (found: ReturnType<typeof decided>) => found.all.indexOf(null);

  it.each<[string, Partial<SurveyRow>[], number, string]>([
    ['graded executions', [known(0, 5, 9, 1), known(1)], 1, 'graded executions: 1 there, 0 here'],
    ['scores', [known(1, 1, 9), known(1, 2)], 1, 'scores: 2 there, 1 here'],
    [
      'recorded tokens',
      [known(1, 1, 0, 1), known(1, 1, 3)],
      1,
      'turns with recorded tokens: 3 there, 0 here',
    ],
    [
      'knowledge of its task',
      [known(1, 1, 9, 1, 0), known(1, 1, 0, 0, 2)],
      1,
      'task (1 by name, 2 with a record): 2 there, 0 here',
    ],
    ['a known end', [known(1, 1, 2), known(1, 1, 2, 1)], 1, 'known end: 1 there, 0 here'],
    ['place in the plan', [known(1), known(1)], 0, 'first in plan order'],
    ['not being rejected', [{ ...known(9), rejected: true }, known(0)], 1, 'its task does not refuse it'],
  ])('leave the one with more of %s', (_, riches, survivor, why) => {
    const found = decided(
      planOf({}, { inputs }),
      riches.map((rest, input) => row('a', { input, ...rest })),
    );
    expect(standing(found)).toBe(survivor);
    const other = found.all.find((each) => each !== null);
    expect(other).toMatchObject({ decision: 'duplicate', reason: 'equal_turns', duplicate_of: 'a' });
    expect(other?.detail).toBe(`the one of ${inputs[survivor]?.path} stands: ${why}`);
  });

  it('leave the same one in whatever order files come and tasks are cut, but for ties', () => {
    const copy = fc.record({
      rejected: fc.boolean(),
      riches: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(1)),
    });
    fc.assert(
      fc.property(
        fc.array(copy, { minLength: 2, maxLength: 6 }),
        fc.nat(),
        fc.array(fc.nat(3), { maxLength: 3 }),
        (copies, turn, sizes) => {
          const rows = copies.map(({ rejected, riches }) =>
            row('a', { riches, ...(rejected ? { rejected } : {}) }),
          );
          const turned = rows.map((_, i) => rows[(i + turn) % rows.length] as SurveyRow);
          const survivor = (list: readonly SurveyRow[], cut: readonly number[] = []) => {
            const found = decided(planOf({}), list, cut);
            expect(found.all.filter((each) => each === null)).toHaveLength(1);
            return list[standing(found)];
          };
          const chosen = survivor(rows);
          expect(survivor(rows, sizes)).toBe(chosen);
          expect(survivor(turned)).toEqual(chosen);
          // none is rejected while another is not, and none that stands beside it is richer
          const open = rows.filter(({ rejected }) => rejected !== true);
          if (open.length > 0) expect(chosen?.rejected).toBeUndefined();
          const key = ({ riches }: SurveyRow) =>
            riches?.map((n) => String.fromCharCode(65 + n)).join('') ?? '';
          const best = (open.length > 0 ? open : rows).map(key).sort().at(-1);
          expect(chosen === undefined ? null : key(chosen)).toBe(best);
        },
      ),
    );
  });

  it('leave the first in plan order where the pipeline says so', () => {
    const rows = [row('a', known(0)), row('a', { input: 1, ...known(3) })];
    const { all } = decided(planOf({ duplicates: 'drop-later' }, { inputs }), rows);
    expect(all).toMatchObject([null, { detail: 'the one of bare.jsonl stands: first in plan order' }]);
  });

  it('are all left out where one of them is contaminated', () => {
    const left_out = { reason: 'decontaminated' as const, detail: 'on a list' };
    const rows = [row('a', { ...known(0), left_out }), row('a', known(3)), row('b')];
    const found = decided(planOf({}), rows);
    expect(reasonsOf(found)).toEqual(['equal_turns', 'decontaminated', null]);
    expect(found.all[1]?.detail).toBe('on a list (an equal trajectory)');
  });

  it('are copies where the pipeline keeps them', () => {
    const { all } = decided(planOf({ duplicates: 'keep' }), [row('a'), row('a')]);
    expect(all).toMatchObject([null, { decision: 'copy', occurrence: 1 }]);
  });
});

describe('near duplicates', () => {
  const hasher = new MinHasher({ ...nearDuplicatesSchema.parse({}), seed: 0 });
  const words = Array.from({ length: 300 }, (_, i) => `w${(i * 7919) % 977}`);
  const signed = (id: string, text: readonly string[], rest: Partial<SurveyRow> = {}): SurveyRow => {
    const signature = hasher.sign(text.join(' '));
    return row(id, { ...(signature === null ? {} : { signature: encodeSignature(signature) }), ...rest });
  };
  const edited = words.map((word, i) => (i === 150 ? 'edited' : word));

  it('say which one stands, and how near it is', () => {
    const plan = planOf({ near_duplicates: {} });
    const { all } = decided(plan, [signed('a', words), signed('b', ['else']), signed('c', edited)], [1, 1]);
    expect(all).toMatchObject([
      null,
      null,
      { decision: 'duplicate', reason: 'near_duplicate', duplicate_of: 'a' },
    ]);
    expect(Number(/similarity ([\d.]+)/.exec(all[2]?.detail ?? '')?.[1])).toBeGreaterThan(0.9);
  });

  it('are looked for only when asked, and never behind one that is rejected', () => {
    const rows = [signed('a', words, { rejected: true }), signed('c', edited), signed('d', words)];
    expect(reasonsOf(decided(planOf({}), rows))).toEqual([null, null, null]);
    const { all } = decided(planOf({ near_duplicates: {} }), rows);
    expect(all.map((each) => each?.duplicate_of ?? null)).toEqual([null, null, 'c']);
  });
});

describe('quantiles', () => {
  const record = taskOf(null, { task_id: 't', is_lower_better: true });
  const rows = [
    row('a', { task: 't', scores: { test: [5, 3] } }),
    row('a', { task: 't', scores: { test: [5, 3] } }),
    row('b', { task: 't', scores: { test: [1], validation: [0] } }),
    row('c', { task: 't', scores: { test: [0] }, left_out: { reason: 'decontaminated', detail: '' } }),
    row('d', { task: 'u', scores: { test: [99] } }),
    row('e', { task: 't', rejected: true, scores: { test: [-9] } }),
  ];

  it('are taken over what stands of the task, by its direction', () => {
    const plan = planOf(
      {},
      {
        records: [record],
        corpus_thresholds: [{ task_id: 't', gold: 1, silver: 0.67, bronze: 0.34, median: 0.33 }],
      },
    );
    // from the worst: 5, 3, 1
    expect(decided(plan, rows).decisions.thresholds).toEqual([
      { task_id: 't', gold: 1, silver: 1, bronze: 3, median: 5, n: 3 },
    ]);
  });

  it('of quality are found for every stage that asks', () => {
    const selection = { rules: ['initial'], quality: { quantile: 0.5 } };
    const validation = { ...selection, score_scale: 'validation' };
    const plan = planOf(
      {
        stages: [
          { name: 's', selection },
          { name: 'v', selection: validation },
        ],
      },
      { records: [record], inputs: [{ stage: 's' }] },
    );
    expect(decided(plan, rows).decisions.quantiles).toEqual([
      { task_id: 't', scale: 'test', q: 0.5, score: 3, n: 3 },
      { task_id: 't', scale: 'validation', q: 0.5, score: 0, n: 1 },
    ]);
  });
});

describe('caps', () => {
  const inputs = [
    { path: 'a', stage: 'general', source: 'x' },
    { path: 'b', stage: 'mle', source: 'x' },
    { path: 'c', stage: 'mle', source: null },
  ];
  const first = { survive: 'first' };

  it.each([
    ['a task', { caps: { task: 1, ...first } }, [null, 'cap_task', null, null]],
    ['a source, or else a file', { caps: { source: 1, ...first } }, [null, 'cap_source', null, 'cap_source']],
    ['a stage', { caps: { stage: 1, ...first } }, [null, null, 'cap_stage', 'cap_stage']],
    [
      'a stage, where one has its own',
      { stages: [{ name: 'general', max_trajectories: 0 }, { name: 'mle' }], caps: { stage: 2, ...first } },
      ['cap_stage', null, null, 'cap_stage'],
    ],
    [
      'a task within a stage',
      { stages: [{ name: 'general' }, { name: 'mle', max_per_task: 0 }] },
      [null, 'cap_task', 'cap_task', null],
    ],
  ])('of %s', (_name, options, reasons) => {
    const rows = [
      row('a', { input: 0, task: 't', prospect: true }),
      row('b', { input: 1, task: 't', prospect: true }),
      row('c', { input: 2, task: 'u', prospect: true }),
      row('d', { input: 2, prospect: true }),
    ];
    expect(reasonsOf(decided(planOf(options, { inputs }), rows))).toEqual(reasons);
  });

  it('count only what selection keeps, by the thresholds that the corpus gives', () => {
    const selection = { rules: ['initial'], quality: { quantile: 0.75 } };
    const plan = planOf(
      { selection, caps: { task: 1, ...first } },
      { records: [taskOf(null, { task_id: 't' })] },
    );
    const scored = (id: string, score: number): SurveyRow =>
      row(id, { task: 't', prospect: score, scores: { test: [score] } });
    const rows = [
      scored('a', 1),
      scored('b', 3),
      scored('c', 4),
      scored('d', 2),
      row('e', { task: 't', prospect: false }),
    ];
    expect(reasonsOf(decided(plan, rows))).toEqual([null, null, 'cap_task', null, null]);
  });
});

describe('mix weights', () => {
  it('are counted over what the caps leave', () => {
    const plan = planOf(
      { mix: { as: 'share', stages: { a: 1, b: 1 } }, caps: { stage: 2 } },
      { inputs: [{ stage: 'a' }, { stage: 'b' }] },
    );
    const rows = ['p', 'q', 'r'].map((id) => row(id, { input: 0, prospect: true }));
    const { decisions } = decided(plan, [...rows, row('s', { input: 1, prospect: true })]);
    expect(decisions.weights).toEqual([
      { stage: 'a', source: null, n: 2, weight: 0.75 },
      { stage: 'b', source: null, n: 1, weight: 1.5 },
    ]);
  });

  it('are absent where none is asked', () => {
    expect(decided(planOf({}), [row('a')]).decisions.weights).toEqual([]);
  });
});

describe('task boundaries', () => {
  const rows = fc.array(
    fc.record({
      id: fc.constantFrom(...'abcdefghij'),
      task: fc.constantFrom('t', 'u', null),
      prospect: fc.boolean(),
      score: fc.integer({ min: 0, max: 5 }),
      out: fc.boolean(),
    }),
    { maxLength: 30 },
  );

  it('change no decision', () => {
    const plan = planOf(
      { caps: { task: 2, source: 4 }, seed: 5 },
      {
        records: [taskOf(null, { task_id: 't' })],
        corpus_thresholds: [{ task_id: 't', gold: 0.9, silver: 0.7, bronze: 0.5, median: 0.3 }],
      },
    );
    fc.assert(
      fc.property(rows, fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 6 }), (made, sizes) => {
        // equal trajectories are equal in all that is read of them
        const byId = new Map(made.map((each) => [each.id, each]));
        const surveyed = made.map(({ id }) => {
          const { task, prospect, score, out } = byId.get(id) ??
            made[0] ?? { task: null, prospect: false, score: 0, out: false };
          const leftOut = out ? { left_out: { reason: 'decontaminated' as const, detail: '' } } : {};
          return row(id, { task, prospect, scores: { test: [score] }, ...leftOut });
        });
        const whole = decided(plan, surveyed);
        const cut = decided(plan, surveyed, sizes);
        const bare = (found: typeof whole) =>
          found.all.map((each) => (each === null ? null : { ...each, order: 0 }));
        expect(bare(cut)).toEqual(bare(whole));
        expect({ ...cut.decisions, plan_id: '' }).toEqual({ ...whole.decisions, plan_id: '' });
        expect(Math.max(0, ...['t', 'u'].map((task) => keptOf(whole, surveyed, task)))).toBeLessThanOrEqual(
          2,
        );
      }),
      { numRuns: 200 },
    );

    function keptOf(found: ReturnType<typeof decided>, surveyed: readonly SurveyRow[], task: string): number {
      return surveyed.filter(
        (each, i) => each.task === task && each.prospect === true && found.all[i] === null,
      ).length;
    }
  });
});

describe('replies that several logs hold', () => {
  const repeatedOf = (found: ReturnType<typeof decided>) => found.all.map((each) => each?.repeated ?? null);
  const inputs = [{ path: 'parent.jsonl' }, { path: 'child.jsonl' }];

  it('are left to the first in plan order, and named with the log that holds them', () => {
    const rows = [row('p', replies(1, 2, 3)), row('c', { ...replies(1, 2, 9, 0), input: 1 })];
    const found = decided(planOf({}, { inputs }), rows, [1]);
    expect(found.all[0]).toBeNull();
    expect(found.all[1]).toMatchObject({
      decision: 'repeats',
      reason: 'repeated_replies',
      repeated: [0, 1],
      duplicate_of: null,
      detail: '2 of its replies stand in other logs too, the first in parent.jsonl',
    });
    expect(found.decisions.counts).toEqual({ repeated_replies: 1 });
  });

  it('are left to a log that selection keeps before one that it leaves out', () => {
    const rows = [row('p', { ...replies(1, 2, 3), prospect: false }), row('c', replies(1, 2, 9))];
    expect(repeatedOf(decided(planOf({}), rows))).toEqual([[0, 1], null]);
  });

  it.each<[string, object, Partial<SurveyRow>]>([
    ['rejected', {}, { rejected: true }],
    ['decontaminated', {}, { left_out: { reason: 'decontaminated', detail: 'x' } }],
    ['a duplicate', {}, { id: 'q' }],
  ])('are not left to a log that is %s', (_, options, rest) => {
    const rows = [row('q', replies(8)), row('p', { ...replies(1, 2), ...rest }), row('c', replies(1, 9))];
    expect(repeatedOf(decided(planOf(options), rows))).toEqual([null, null, null]);
  });

  it('are trained in each copy of a log where the pipeline keeps copies', () => {
    const rows = ['p', 'c', 'p', 'c'].map((id) => row(id, id === 'p' ? replies(1, 2) : replies(1, 9)));
    const found = decided(planOf({ duplicates: 'keep' }), rows);
    expect(repeatedOf(found)).toEqual([null, [0], null, [0]]);
    expect(found.all.map((each) => each?.decision ?? null)).toEqual([null, 'repeats', 'copy', 'copy']);
  });

  it('are each trained once, and leave the same whatever the cut into tasks', () => {
    const log = fc.record({ id: fc.nat({ max: 9 }), keys: fc.array(fc.nat({ max: 12 }), { maxLength: 6 }) });
    fc.assert(
      fc.property(fc.array(log, { maxLength: 8 }), fc.array(fc.nat({ max: 3 })), (logs, sizes) => {
        const unique = [...new Map(logs.map((each) => [each.id, each])).values()];
        const rows = unique.map(({ id, keys }) => row(String(id), replies(...new Set(keys))));
        const repeated = repeatedOf(decided(planOf({}), rows));
        expect(repeatedOf(decided(planOf({}), rows, sizes))).toEqual(repeated);
        const trained = unique.flatMap(({ keys }, index) =>
          [...new Set(keys)].filter((key, place) => key !== 0 && !(repeated[index] ?? []).includes(place)),
        );
        const all = new Set(unique.flatMap(({ keys }) => keys.filter((key) => key !== 0)));
        expect(trained.sort()).toEqual([...all].sort());
      }),
    );
  });
});
