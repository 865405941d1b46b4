import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MASK_POLICY_NAMES } from '../../src/tokens/mask-policy.js';
import type { Turn } from '../../src/trajectory/turn.js';
import {
  assistant,
  call,
  naiveIds,
  rowsOf,
  system,
  text,
  thought,
  tool,
  trainedRuns,
  trajectoryOf,
  user,
} from './rows.js';

// Words of the model hold x and y, those of the environment Q and Z; no trained glue holds any of them.
const shared = [
  '\n',
  ' ',
  '\n\n',
  '\u0301',
  'é',
  '🙂',
  '<|im_end|>',
  '<|im_start|>assistant\n',
  '</think>',
  '<think>',
];
const joined = (...own: string[]) =>
  fc
    .array(fc.constantFrom(...own, ...own, ...shared, '<tool_response>', '</tool_response>', '{"', '\t'), {
      maxLength: 8,
    })
    .map((parts) => parts.join(''));
const model = joined('x', 'xy', 'y x');
const environment = joined('Q', 'QZ', 'Z Q');

const assistantTurn = fc
  .record({
    reasoning: fc.option(model),
    content: model,
    prefill: fc.option(environment, { freq: 5 }),
    calls: fc.array(model, { maxLength: 2 }),
    malformed: fc.option(model, { freq: 6 }),
    truncated: fc.constantFrom(null, null, null, 'length' as const),
  })
  .map(({ reasoning, content, prefill, calls, malformed, truncated }) =>
    assistant(
      [
        ...(reasoning === null ? [] : [thought(reasoning)]),
        ...(prefill === null ? [] : [{ ...text(prefill), origin: 'environment' as const }]),
        text(content),
        ...(malformed === null ? [] : [{ ...text(malformed), kind: 'malformed_call' as const }]),
        ...calls.map((args) => call(args, 'xy')),
      ],
      { truncated },
    ),
  );
const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 3, arbitrary: assistantTurn },
  { weight: 2, arbitrary: environment.map(tool) },
  { weight: 1, arbitrary: environment.map(user) },
  { weight: 1, arbitrary: environment.map((words) => user(`<tool_response>${words}</tool_response>`)) },
);
const conversation = fc
  .tuple(fc.option(environment.map(system)), environment.map(user), fc.array(turn, { maxLength: 8 }))
  .map(([first, query, rest]) => [...(first === null ? [] : [first]), query, ...rest]);

it('trains the words of the model and glue, never a byte of the environment', () => {
  fc.assert(
    fc.property(
      conversation,
      fc.constantFrom(...MASK_POLICY_NAMES),
      fc.constantFrom('split' as const, 'follow' as const, 'preserve' as const),
      fc.constantFrom('mask' as const, 'train_without_stop' as const),
      (turns, policy, strategy, truncated) => {
        const mask = { policy, truncated, malformed_calls: 'train' };
        const trained = new Set<number>();
        for (const row of rowsOf(trajectoryOf(turns), { strategy, mask })) {
          expect(trainedRuns(row).join('').normalize('NFD')).not.toMatch(/[QZ]/);
          const own = row.segments.filter(({ turn, glue, span }) => {
            if (glue || !row.trained_turns.includes(turn)) return false;
            return turns[turn]?.spans[span]?.origin === 'model';
          });
          const words = own.map((segment) => segment.text).join('');
          const count = (whole: string) => whole.normalize('NFD').match(/[xy]/g)?.length ?? 0;
          const missing = count(words) - count(trainedRuns(row).join(''));
          expect(missing).toBeGreaterThanOrEqual(0);
          if (row.straddled_tokens === 0) expect(missing).toBe(0);
          const textual = row.ids_differ_because.filter((reason) => reason !== 'preserved');
          expect(textual.length > 0 || row.input_ids.every((id, i) => id === naiveIds(row)[i])).toBe(true);
          for (const index of row.trained_turns) {
            expect(trained.has(index)).toBe(false);
            trained.add(index);
          }
        }
      },
    ),
    { numRuns: 400 },
  );
});
