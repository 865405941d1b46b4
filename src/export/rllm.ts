import type { RlExporter, SequenceSource, WindowSource } from './exporter.js';
import { type JsonLinesFile, toJson } from './json-lines-file.js';
import { logProbsOf } from './rl-sources.js';

/** Trained tokens of a window that follow each other: what the policy wrote in one go. */
function runsOf({ loss_mask }: SequenceSource, { token_start, token_end }: WindowSource) {
  const runs: { start: number; end: number }[] = [];
  for (let i = token_start; i < token_end; i++) {
    if (loss_mask[i] !== 1) continue;
    const last = runs.at(-1);
    if (last?.end === i) last.end = i + 1;
    else runs.push({ start: i, end: i + 1 });
  }
  return runs;
}

/**
 * rLLM trains every token of a response, so a step is one run of trained tokens, and all before it is prompt. Its verl
 * backend takes ids out of `model_output` and passes over steps without one; the prompt, which is long, stands there
 * alone, and Step.from_dict gives it to the step.
 */
function stepOf(
  sequence: SequenceSource,
  window: WindowSource,
  { start, end, last }: { start: number; end: number; last: boolean },
) {
  const version = Number(sequence.weight_version ?? Number.NaN);
  const weight_version = Number.isSafeInteger(version) ? version : null;
  const response = sequence.input_ids.subarray(start, end);
  const recorded = logProbsOf(sequence, start, end);
  return {
    prompt_ids: [],
    response_ids: response,
    logprobs: recorded ?? [],
    chat_completions: [],
    observation: null,
    thought: '',
    action: null,
    model_response: '',
    model_output: {
      prompt_ids: sequence.input_ids.subarray(0, start),
      completion_ids: response,
      logprobs: recorded,
      prompt_length: start,
      completion_length: end - start,
      weight_version,
    },
    info: { window_id: window.window_id, outcome: window.outcome, is_correction: sequence.is_correction },
    reward: last ? window.reward : 0,
    done: last,
    mc_return: window.reward,
    advantage: new Array<number>(end - start).fill(window.reward),
    weight_version,
  };
}

/** A trajectory of one window. Its steps repeat the prompt, so they are written one by one. */
async function writeTrajectory(
  file: JsonLinesFile,
  sequence: SequenceSource,
  window: WindowSource,
): Promise<number> {
  await file.write(`{"uid":${toJson(window.window_id)},"name":"window","task":null,"steps":[`);
  const runs = runsOf(sequence, window);
  for (const [i, run] of runs.entries()) {
    const step = stepOf(sequence, window, { ...run, last: i === runs.length - 1 });
    await file.write(`${i === 0 ? '' : ','}${toJson(step)}`);
  }
  await file.write(`],"reward":${toJson(window.reward)},"info":{}}`);
  return runs.length;
}

export const RLLM: RlExporter = {
  name: 'rllm',
  title: 'rLLM, episodes',
  takes: 'rl',
  files: ['episodes.jsonl: fields of Episode.to_dict(); one sequence a line, one trajectory a window'],
  takesOptions: [],
  notes: [
    'A step is one run of trained tokens. Its advantage is a list, the reward of the window on each token ' +
      '(use_precomputed_advantage); the reward stands on the last step of the window.',
    'Each step repeats the prompt before it, in model_output: the file is about as many times the sequence as it has ' +
      'turns. Episode.from_dict gives it to the step.',
    'Without policy data there are no log-probabilities; rLLM’s tinker backend refuses such steps, its verl backend ' +
      'computes its own.',
    'rLLM trains all of a response and merges steps of one prefix; with loss_agg_mode seq-mean-token-mean each merged ' +
      'trajectory, that is each window, has its own denominator.',
  ],
  async export(rows, { sink }) {
    const file = await sink.jsonLines('episodes.jsonl');
    let steps = 0;
    let episodes = 0;
    for await (const sequence of rows) {
      const task = sequence.task_id ?? 'unknown';
      const head = { id: `${task}:${episodes}`, task: { task_id: task, sequence_id: sequence.sequence_id } };
      await file.write(`${toJson(head).slice(0, -1)},"termination_reason":"unknown","is_correct":false,`);
      await file.write('"trajectories":[');
      for (const [i, window] of sequence.windows.entries()) {
        if (i > 0) await file.write(',');
        steps += await writeTrajectory(file, sequence, window);
      }
      const info = { is_correction: sequence.is_correction, trajectory_id: sequence.trajectory_id };
      await file.write(`],"metrics":{},"info":${toJson(info)}}\n`);
      episodes++;
    }
    await file.close();
    return { episodes, steps };
  },
};
