import { z } from 'zod';
import { Tally } from './counts.js';

const counts = z.record(z.string(), z.int());

/** Sums of a task; all are integers, so that adding tasks in any order gives the same. */
export const taskTotalsSchema = z.strictObject({
  read: z.int(),
  kept: z.int(),
  filtered: z.int(),
  rejected: z.int(),
  duplicates: z.int(),
  sidecars: z.int(),
  tokens: z.int(),
  trained_tokens: z.int(),
  straddled_tokens: z.int(),
  repeated_replies: z.int(),
  turns_cut: z.int(),
  tokens_cut: z.int(),
  turns_off_path: z.int(),
  tokens_off_path: z.int(),
  kept_by_rule: counts,
  filtered_by_reason: counts,
  duplicates_by_reason: counts,
  rejected_by_code: counts,
  by_format: counts,
  by_task: counts,
  rows: counts,
  splits: counts,
  strategies: counts,
  ids_differ_because: counts,
  over_long: counts,
  proofs: counts,
  windows_by_outcome: counts,
  reward_histogram: counts,
  windows_by_trend: counts,
  flags: counts,
  secrets_by_kind: counts,
});
export type TaskTotals = z.infer<typeof taskTotalsSchema>;

const NUMBERS = [
  'read',
  'kept',
  'filtered',
  'rejected',
  'duplicates',
  'sidecars',
  'tokens',
  'trained_tokens',
  'straddled_tokens',
  'repeated_replies',
  'turns_cut',
  'tokens_cut',
  'turns_off_path',
  'tokens_off_path',
] as const;
const TALLIES = [
  'kept_by_rule',
  'filtered_by_reason',
  'duplicates_by_reason',
  'rejected_by_code',
  'by_format',
  'by_task',
  'rows',
  'splits',
  'strategies',
  'ids_differ_because',
  'over_long',
  'proofs',
  'windows_by_outcome',
  'reward_histogram',
  'windows_by_trend',
  'flags',
  'secrets_by_kind',
] as const;

type NumberName = (typeof NUMBERS)[number];
type TallyName = (typeof TALLIES)[number];

/** Collects the sums of a task, or of many. */
export class TotalsBuilder {
  readonly #numbers = new Map<NumberName, number>(NUMBERS.map((name) => [name, 0]));
  readonly #tallies = new Map<TallyName, Tally>(TALLIES.map((name) => [name, new Tally()]));

  add(name: NumberName, n = 1): void {
    this.#numbers.set(name, (this.#numbers.get(name) ?? 0) + n);
  }

  tally(name: TallyName): Tally {
    const tally = this.#tallies.get(name);
    if (tally === undefined) throw new Error(`no tally ${name}`);
    return tally;
  }

  merge(totals: TaskTotals): void {
    for (const name of NUMBERS) this.add(name, totals[name]);
    for (const name of TALLIES) this.tally(name).merge(totals[name]);
  }

  toTotals(): TaskTotals {
    const entries = [
      ...[...this.#numbers].map(([name, n]) => [name, n] as const),
      ...[...this.#tallies].map(([name, tally]) => [name, tally.toCounts()] as const),
    ];
    return taskTotalsSchema.parse(Object.fromEntries(entries));
  }
}
