import type { RlExporter, SequenceSource, WindowSource } from './exporter.js';
import { logProbsOf } from './rl-sources.js';

/** Version of tokens that the policy did not sample. */
const NO_VERSION = -1;

/** A version that is a number stays; a name cannot be compared with a step, so its tokens count as version 0. */
function versionNumber(version: string | null): number {
  const number = Number(version ?? Number.NaN);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** A window with its context: the mask is that of the window alone. */
function trajectoryOf(sequence: SequenceSource, window: WindowSource) {
  const { token_start: start, token_end: end } = window;
  const mask = sequence.loss_mask.slice(0, end).fill(0, 0, start);
  const recorded = logProbsOf(sequence, start, end);
  const version = recorded === null ? NO_VERSION : versionNumber(sequence.weight_version);
  return {
    input_ids: sequence.input_ids.subarray(0, end),
    loss_mask: mask,
    logprobs: [...new Array<number>(start).fill(0), ...(recorded ?? new Array<number>(end - start).fill(0))],
    versions: Int32Array.from(mask, (trained) => (trained === 1 ? version : NO_VERSION)),
    rewards: window.reward,
    window_id: window.window_id,
    is_correction: sequence.is_correction,
  };
}

export const AREAL_RL: RlExporter = {
  name: 'areal-rl',
  title: 'AReaL, trajectories of windows',
  takes: 'rl',
  files: [
    'trajectories.jsonl: input_ids, loss_mask, logprobs, versions, rewards, window_id, is_correction; one window a line',
  ],
  takesOptions: [],
  notes: [
    'All lists are as long as input_ids; logprobs are 0.0 and versions -1 off the policy’s tokens. Without policy data ' +
      'every version is -1 and every log-probability 0.0: recompute_logprob must be on, and decoupled loss off.',
    'AReaL averages over the trained tokens of a batch, so a long window weighs more than a short one; no setting of ' +
      'AReaL gives each window its own denominator.',
    'Reward scaling, reward normalisation and advantage normalisation must be off: the reward is the advantage.',
  ],
  async export(rows, { sink }) {
    const file = await sink.jsonLines('trajectories.jsonl');
    let count = 0;
    for await (const sequence of rows) {
      for (const window of sequence.windows) {
        await file.append(trajectoryOf(sequence, window));
        count++;
      }
    }
    await file.close();
    return { trajectories: count };
  },
};
