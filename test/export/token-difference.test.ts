import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toMessages } from '../../src/chat/messages.js';
import type { ExportCounts, StoredConversation } from '../../src/export/exporter.js';
import { EXPORTERS } from '../../src/export/exporters.js';
import { TokenDifference } from '../../src/export/token-difference.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import { type MaskOptions, maskSchema } from '../../src/tokens/mask-options.js';
import { MASK_POLICIES, MASK_POLICY_NAMES, type MaskPolicyName } from '../../src/tokens/mask-policy.js';
import { planRows } from '../../src/tokens/stretches.js';
import type { Execution } from '../../src/trajectory/execution.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import { goldenConversations } from '../chat/golden.js';
import {
  assistant,
  call,
  encoder,
  renderer,
  system,
  text,
  thought,
  tool,
  trajectoryOf,
  user,
} from '../tokens/rows.js';

type Strategy = 'follow' | 'split' | 'preserve';

function conversationsOf(
  trajectory: Trajectory,
  mask: MaskOptions,
  strategy: Strategy = 'follow',
): StoredConversation[] {
  const rows = createRowEncoder({ encoder, renderer, mask });
  return planRows({ trajectory, lastTurn: trajectory.turns.length - 1, strategy, renderer }).map((plan) => {
    const row = rows.encode({ trajectory, plan });
    const messages = toMessages(trajectory, plan.indices, row.trained_turns);
    return {
      row_id: 'r',
      messages,
      json: JSON.stringify(messages),
      tools: trajectory.tools,
      mask_policy: mask.policy,
      ids_differ_because: row.ids_differ_because,
      input_ids: row.input_ids.slice(),
      loss_mask: Int8Array.from(row.loss_mask),
    };
  });
}

interface Counted {
  readonly both: number;
  readonly ours: number;
  readonly theirs: number;
  readonly uncounted: number;
  readonly sentences: readonly string[];
}

function count(
  rows: readonly StoredConversation[],
  rule: ConstructorParameters<typeof TokenDifference>[0],
  mask: MaskOptions,
): Counted {
  const difference = new TokenDifference(rule, { encoder, renderer, mask });
  for (const row of rows) difference.add(row);
  const counts: ExportCounts = difference.counts();
  return {
    both: counts['tokens_trained_by_both'] ?? -1,
    ours: counts['tokens_trained_by_our_mask_alone'] ?? -1,
    theirs: counts['tokens_trained_by_the_trainer_alone'] ?? -1,
    uncounted: counts['rows_not_counted_in_tokens'] ?? -1,
    sentences: difference.sentences(),
  };
}

/** Everything of the model is trained: what a trainer of all assistant turns does. */
const wholly = (policy: MaskPolicyName, more = {}): MaskOptions =>
  maskSchema.parse({ policy, malformed_calls: 'train', stripped_reasoning: 'train', ...more });

/** Trained tokens but the first of a row, which nothing predicts. */
const ones = (mask: ArrayLike<number>): number =>
  Array.from(mask)
    .slice(1)
    .filter((bit) => bit === 1).length;

describe('tokens that a text trainer trains otherwise', () => {
  const exporters = EXPORTERS.filter((each) => each.takes === 'messages');

  it.each(exporters.map((each) => [each.name, each] as const))(
    'are none for %s where the mask policy of the rows is its own',
    (_, exporter) => {
      const mask = wholly(exporter.trains);
      for (const { turns, tools } of goldenConversations()) {
        const rows = conversationsOf(trajectoryOf([...turns], { tools }), mask);
        // turns without words are never trained by our mask
        const rule = { trains: exporter.trains, perMessage: true };
        const { both, ours, theirs, uncounted } = count(rows, rule, mask);
        const trained = rows.reduce((sum, row) => sum + ones(row.loss_mask), 0);
        expect({ both, ours, theirs, uncounted }).toEqual({
          both: trained,
          ours: 0,
          theirs: 0,
          uncounted: 0,
        });
      }
    },
  );

  it('are the bits in which the masks of two policies differ', () => {
    const policy = fc.constantFrom(...MASK_POLICY_NAMES);
    const golden = goldenConversations();
    fc.assert(
      fc.property(policy, policy, fc.constantFrom(...golden), (our, their, { turns, tools }) => {
        const trajectory = trajectoryOf([...turns], { tools });
        const [own, other] = [
          conversationsOf(trajectory, wholly(our)),
          conversationsOf(trajectory, wholly(their)),
        ];
        const pairs = own.flatMap((row, r) =>
          Array.from(row.loss_mask, (bit, i) => `${bit}${other[r]?.loss_mask[i]}`).slice(1),
        );
        const found = count(own, { trains: their, perMessage: true }, wholly(our));
        expect([found.both, found.ours, found.theirs]).toEqual(
          ['11', '10', '01'].map((pair) => pairs.filter((each) => each === pair).length),
        );
      }),
      { numRuns: 60 },
    );
  });

  const failed = { status: 'error', call_turn: 1 } as Execution;
  const turns = [user('go'), assistant([text('One.')]), user('on'), assistant([text('Two, three.')])];

  it('are the whole turns that the mask leaves out and the trainer cannot', () => {
    const mask = maskSchema.parse({ failed_turns: 'mask', policy: 'trl' });
    const rows = conversationsOf(trajectoryOf(turns, { executions: [failed] }), mask);
    const all = conversationsOf(trajectoryOf(turns), wholly('trl'));
    const left = ones(all[0]?.loss_mask ?? []) - ones(rows[0]?.loss_mask ?? []);
    expect(left).toBeGreaterThan(3);
    const every = count(rows, { trains: 'trl', perMessage: false }, mask);
    expect(every).toMatchObject({ ours: 0, theirs: left });
    expect(every.sentences).toEqual([
      `By the corpus’s own template ${left} tokens are trained by the trainer and not by our mask: turns left out by our mask ${left}.`,
    ]);
    const marked = count(rows, { trains: 'trl', perMessage: true }, mask);
    expect(marked).toMatchObject({ ours: 0, theirs: 0 });
    expect(marked.sentences).toEqual(['By the corpus’s own template it trains the tokens of our mask.']);
  });

  it('are all trained tokens of a row that the export leaves out', () => {
    const mask = wholly('trl');
    const rows = conversationsOf(trajectoryOf(turns), mask);
    const skips = () => true;
    const all = ones(rows[0]?.loss_mask ?? []);
    expect(count(rows, { trains: 'trl', perMessage: false, skips }, mask)).toMatchObject({
      both: 0,
      ours: all,
      theirs: 0,
      sentences: [expect.stringContaining(`rows that the export leaves out ${all}.`)],
    });
  });

  it('are the stop token of a turn that was cut short, and words that the model did not write', () => {
    const mask = maskSchema.parse({ truncated: 'train_without_stop' });
    const written = { ...text('Given words. '), origin: 'environment' as const };
    const rows = conversationsOf(
      trajectoryOf([user('go'), assistant([written, text('Own')], { truncated: 'length' })]),
      mask,
    );
    const given = { ids: new Int32Array(16), length: 0 };
    encoder.encode('Given words.', given, 'plain');
    const { theirs, sentences } = count(rows, { trains: 'sampled', perMessage: true }, mask);
    // the blank between belongs to a token of both, which no mask that knows the writer trains
    expect(theirs).toBe(given.length + 1 + 1);
    expect(sentences[0]).toContain('stop token 1, words');
  });

  it('are the reasoning of earlier turns where only the row keeps it', () => {
    const kept = [
      system('s'),
      user('a'),
      assistant([thought('I think.'), text('One.')]),
      user('b'),
      assistant([thought('Again.'), text('Two.')]),
    ];
    const mask = wholly('sampled');
    const [row] = conversationsOf(trajectoryOf(kept), mask, 'preserve');
    const [plain] = conversationsOf(trajectoryOf(kept), mask, 'follow');
    expect(row?.ids_differ_because).toEqual(['preserved']);
    const lost = ones(row?.loss_mask ?? []) - ones(plain?.loss_mask ?? []);
    expect(lost).toBeGreaterThan(3);
    const found = count(row === undefined ? [] : [row], { trains: 'sampled', perMessage: false }, mask);
    expect(found).toMatchObject({ both: ones(plain?.loss_mask ?? []), ours: lost, theirs: 0 });
  });

  it('are no words that both train, whatever is trained around them', () => {
    const kept = [
      user('a'),
      assistant([thought('I think.'), text('One, two, three.')]),
      user('b'),
      assistant([text('Four.')]),
    ];
    const mask = wholly('sampled');
    const [row] = conversationsOf(trajectoryOf(kept), mask, 'preserve');
    const [plain] = conversationsOf(trajectoryOf(kept), mask, 'follow');
    const [whole] = conversationsOf(trajectoryOf(kept), wholly('nemo-rl'), 'follow');
    expect(row?.ids_differ_because).toEqual(['preserved']);
    const [words, all] = [ones(plain?.loss_mask ?? []), ones(whole?.loss_mask ?? [])];
    // header and newline of both turns, and the empty think block of the last
    expect(all - words).toBeGreaterThan(2 * 4);
    const found = count(row === undefined ? [] : [row], { trains: 'nemo-rl', perMessage: false }, mask);
    expect(found).toMatchObject({
      both: words,
      ours: ones(row?.loss_mask ?? []) - words,
      theirs: all - words,
    });
  });

  it('are those at a token boundary that only the row has', () => {
    // the newlines of header and reply are one token, which no mask of the whole trains
    const conversation = [user('go'), assistant([text('\n\nDone.')]), user('on'), assistant([text('Yes.')])];
    const mask = wholly('sampled', { boundary: 'sampled' });
    const [row] = conversationsOf(trajectoryOf(conversation), mask);
    const [whole] = conversationsOf(trajectoryOf(conversation), wholly('sampled'));
    expect(row?.ids_differ_because).toEqual(['boundary_sampled']);
    const [own, plain] = [ones(row?.loss_mask ?? []), ones(whole?.loss_mask ?? [])];
    expect(own).toBeGreaterThan(plain);
    expect(
      count(row === undefined ? [] : [row], { trains: 'sampled', perMessage: false }, mask),
    ).toMatchObject({
      both: plain,
      ours: own - plain,
      theirs: 0,
    });
  });

  it('never count the first token of a row, which nothing predicts', () => {
    const conversation = [assistant([text('Hello.')]), user('go'), assistant([text('Done.')])];
    const mask = wholly('sampled');
    const [row] = conversationsOf(trajectoryOf(conversation), mask);
    const [whole] = conversationsOf(trajectoryOf(conversation), wholly('nemo-rl'));
    expect(whole?.loss_mask[0]).toBe(1);
    const { theirs } = count(row === undefined ? [] : [row], { trains: 'nemo-rl', perMessage: false }, mask);
    expect(theirs).toBe(ones(whole?.loss_mask ?? []) - ones(row?.loss_mask ?? []));
  });

  it.each(['split', 'preserve'] as const)(
    'add up, with those of both, to what each trains (%s)',
    (strategy) => {
      let differ = 0;
      for (const { turns: golden, tools } of goldenConversations()) {
        const trajectory = trajectoryOf([...golden], { tools });
        const mask = wholly('sampled');
        for (const row of conversationsOf(trajectory, mask, strategy)) {
          if (row.ids_differ_because.includes('preserved')) differ++;
          // what a trainer of every turn has: the row's turns as the template renders them at once
          const [plain] = conversationsOf(
            trajectoryOf([...golden].slice(0, row.messages.length), { tools }),
            wholly('trl'),
          );
          const answers = ({ messages }: StoredConversation) =>
            messages.filter(({ role }) => role === 'assistant');
          if (plain === undefined || answers(plain).some(({ trained }) => trained !== true)) continue;
          const { both, ours, theirs } = count([row], { trains: 'trl', perMessage: false }, mask);
          expect([both + ours, both + theirs]).toEqual([ones(row.loss_mask), ones(plain.loss_mask)]);
        }
      }
      expect(differ > 0).toBe(strategy === 'preserve');
    },
  );

  it('are not counted where the messages do not give the ids', () => {
    const mask = wholly('trl');
    const rows = conversationsOf(trajectoryOf([...turns, tool('t'), assistant([call({ x: 1 })])]), mask);
    for (const { input_ids } of rows) input_ids[2] = (input_ids[2] ?? 0) + 1;
    expect(count(rows, { trains: 'trl', perMessage: false }, mask)).toMatchObject({
      both: 0,
      uncounted: 1,
      sentences: ['1 rows are not counted in tokens: their messages do not give their ids.'],
    });
  });

  it('know the policy of every export', () => {
    for (const { trains } of exporters) expect(MASK_POLICIES).toHaveProperty(trains);
  });
});
