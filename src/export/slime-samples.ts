import type { RlExporter, SequenceSource, WindowSource } from './exporter.js';
import { logProbsOf } from './rl-sources.js';

/** A window as a sample: the response reaches from its first to after its last token, the rest before is prompt. */
function sampleOf(sequence: SequenceSource, window: WindowSource, index: number) {
  const { token_start: start, token_end: end } = window;
  const { weight_version: version } = sequence;
  return {
    group_index: index,
    index,
    prompt: '',
    tokens: sequence.input_ids.subarray(0, end),
    response: '',
    response_length: end - start,
    reward: window.reward,
    loss_mask: sequence.loss_mask.subarray(start, end),
    rollout_log_probs: logProbsOf(sequence, start, end),
    weight_versions: version === null ? [] : [version],
    status: 'completed',
    metadata: {
      window_id: window.window_id,
      sequence_id: sequence.sequence_id,
      task_id: sequence.task_id,
      outcome: window.outcome,
      score_scale: window.score_scale,
      is_correction: sequence.is_correction,
    },
  };
}

export const SLIME_SAMPLES: RlExporter = {
  name: 'slime-samples',
  title: 'slime, samples of windows',
  takes: 'rl',
  files: ['samples.jsonl: fields of Sample, one window a line'],
  takesOptions: [],
  notes: [
    'The loss mask and the log-probabilities cover the response only, unshifted; 0.0 on tokens that are not trained.',
    'One sample is one window. Without --calculate-per-token-loss slime divides the loss of each sample by its own ' +
      'trained tokens: one window, one denominator.',
    'The reward is the advantage: each sample is a group of its own, so reward normalisation must be off.',
  ],
  async export(rows, { sink }) {
    const file = await sink.jsonLines('samples.jsonl');
    let index = 0;
    for await (const sequence of rows) {
      for (const window of sequence.windows) await file.append(sampleOf(sequence, window, index++));
    }
    await file.close();
    return { samples: index };
  },
};
