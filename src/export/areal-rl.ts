import type { RlExporter, SequenceSource, WindowSource } from './exporter.js';
import { logProbsOf } from './rl-sources.js';
import { windowWeight } from './window-weight.js';

/** Version of tokens that the policy did not sample. */
const NO_VERSION = -1;

/** A version that is a number stays; a name cannot be compared with a step, so its tokens count as version 0. */
function versionNumber(version: string | null): number {
  const number = Number(version ?? Number.NaN);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/**
 * A window with its context: the mask is that of the window alone. It ends with its last trained token: AReaL pays the
 * reward on the last token and carries it back from there, and one that is not trained would lose it.
 */
function trajectoryOf(sequence: SequenceSource, window: WindowSource, weight: number) {
  const { token_start: start, token_end } = window;
  const end = sequence.loss_mask.subarray(0, token_end).lastIndexOf(1) + 1;
  const mask = sequence.loss_mask.slice(0, end).fill(0, 0, start);
  const recorded = logProbsOf(sequence, start, end);
  const version = recorded === null ? NO_VERSION : versionNumber(sequence.weight_version);
  return {
    input_ids: sequence.input_ids.subarray(0, end),
    loss_mask: mask,
    logprobs: [...new Array<number>(start).fill(0), ...(recorded ?? new Array<number>(end - start).fill(0))],
    versions: Int32Array.from(mask, (trained) => (trained === 1 ? version : NO_VERSION)),
    rewards: window.reward * weight,
    window_reward: window.reward,
    window_id: window.window_id,
    is_correction: sequence.is_correction,
  };
}

export const AREAL_RL: RlExporter = {
  name: 'areal-rl',
  title: 'AReaL, trajectories of windows',
  takes: 'rl',
  files: [
    'trajectories.jsonl: input_ids, loss_mask, logprobs, versions, rewards, window_reward, window_id, is_correction; one ' +
      'window a line',
  ],
  takesOptions: ['denominator'],
  notes: [
    'All lists are as long as input_ids; logprobs are 0.0 and versions -1 off the policy’s tokens. Without policy data ' +
      'every version is -1 and every log-probability 0.0: recompute_logprob must be on, and decoupled loss off.',
    'AReaL averages over the trained tokens of a batch. By default rewards are scaled so that each window weighs the ' +
      'same, and reward_clip (20) must be above the largest; with --denominator tokens they are the rewards themselves, ' +
      'and long windows weigh more.',
    'rewards is the advantage: kl_ctl must be 0 (its default is 0.1), discount and gae_lambda 1, and reward scaling, ' +
      'reward normalisation and advantage normalisation off. A trajectory ends with its last trained token, where AReaL ' +
      'pays the reward.',
  ],
  async export(rows, { sink, options, totals }) {
    const file = await sink.jsonLines('trajectories.jsonl');
    let count = 0;
    for await (const sequence of rows) {
      for (const window of sequence.windows) {
        const weight = windowWeight(window, totals, options.denominator);
        await file.append(trajectoryOf(sequence, window, weight));
        count++;
      }
    }
    await file.close();
    return { trajectories: count };
  },
};
