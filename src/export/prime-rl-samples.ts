import type { ExportOptions, RlExporter, SequenceSource, WindowTotals } from './exporter.js';
import { logProbsOf } from './rl-sources.js';
import { windowWeight } from './window-weight.js';

/** Advantage of every trained token: the reward of its window. prime-rl divides by all trained tokens of the batch. */
function advantagesOf(
  sequence: SequenceSource,
  totals: WindowTotals,
  denominator: ExportOptions['denominator'],
): number[] {
  const advantages = new Array<number>(sequence.input_ids.length).fill(0);
  for (const window of sequence.windows) {
    const advantage = window.reward * windowWeight(window, totals, denominator);
    for (let i = window.token_start; i < window.token_end; i++) {
      if (sequence.loss_mask[i] === 1) advantages[i] = advantage;
    }
  }
  return advantages;
}

export const PRIME_RL_SAMPLES: RlExporter = {
  name: 'prime-rl-samples',
  title: 'prime-rl, training samples',
  takes: 'rl',
  files: [
    'samples.jsonl: token_ids, mask, logprobs, temperatures, env_name, advantages, reward, window_ids, ' +
      'is_correction; one sequence a line',
  ],
  takesOptions: ['denominator'],
  notes: [
    'One line is a whole context epoch with an advantage per token; all lists are as long as token_ids, unshifted.',
    'logprobs is null without policy data. Temperatures are not recorded: 1.0.',
    'The loss is divided by the trained tokens of the batch. By default the advantages are scaled so that each window ' +
      'weighs the same; with --denominator tokens they are the rewards themselves, and long windows weigh more.',
    'reward is the mean of the rewards of the windows and is not used by the loss.',
  ],
  async export(rows, { sink, options, totals }) {
    const file = await sink.jsonLines('samples.jsonl');
    let count = 0;
    for await (const sequence of rows) {
      const { input_ids, loss_mask, task_id, windows } = sequence;
      await file.append({
        token_ids: input_ids,
        mask: Array.from(loss_mask, (trained) => trained === 1),
        logprobs: logProbsOf(sequence, 0, input_ids.length),
        temperatures: new Array<number>(input_ids.length).fill(1),
        env_name: task_id ?? 'unknown',
        advantages: advantagesOf(sequence, totals, options.denominator),
        reward: windows.reduce((sum, { reward }) => sum + reward, 0) / windows.length,
        window_ids: windows.map(({ window_id }) => window_id),
        is_correction: sequence.is_correction,
      });
      count++;
    }
    await file.close();
    return { samples: count };
  },
};
