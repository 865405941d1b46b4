import type { Segment } from '../chat/segment.js';
import type { DividedRow } from './fitted-row.js';
import type { PolicyRow } from './policy-row.js';

/** A part of a recorded sequence. */
export interface PolicyPart extends PolicyRow {
  readonly n_trained: number;
}

/**
 * The tokens of a recorded sequence by turns: the prompt of the first response under -1, each response under its turn, and
 * what the environment added after it under the turn that follows in `indices`.
 */
export function policyByTurns(row: PolicyRow, indices: readonly number[]): PolicyPart {
  const segments: Segment[] = [];
  const segmentOfToken = new Int32Array(row.input_ids.length);
  let from = 0;
  const put = (turn: number, to: number): void => {
    segments.push({ text: '', part: 'context', turn, span: -1, glue: true });
    segmentOfToken.fill(segments.length - 1, from, to);
    from = to;
  };
  let before = -1;
  for (const { turn, start, end } of row.steps) {
    const follows = before === -1 ? -1 : (indices[indices.indexOf(before) + 1] ?? before);
    put(follows === turn ? before : follows, start);
    put(turn, end);
    before = turn;
  }
  return { ...row, segments, segment_of_token: segmentOfToken, n_trained: onesIn(row.loss_mask) };
}

interface Shown {
  readonly indices: readonly number[];
  readonly trains: ReadonlySet<number>;
}

/**
 * The part of a recorded sequence that shows some of its turns: the prompt of the first response, then the shown responses
 * with what stands between them. A cut lies between the end of a prompt and the start of a response, so it needs no token that
 * was not recorded. The log-probabilities are those of the whole: they hold only where nothing was cut before them.
 */
export function cutPolicyRow(row: PolicyRow, { indices, trains }: Shown): PolicyPart & DividedRow {
  const turns = new Set(indices);
  const shown = row.steps.filter(({ turn }) => turns.has(turn));
  const prompt = row.steps[0]?.start ?? 0;
  const from = shown[0] === row.steps[0] ? prompt : (shown[0]?.start ?? prompt);
  const to = shown.at(-1)?.end ?? from;
  const part = <A extends Int32Array | Uint8Array>(list: A, into: A): A => {
    into.set(list.subarray(0, prompt));
    into.set(list.subarray(from, to), prompt);
    return into;
  };
  const size = prompt + to - from;
  const steps = shown.map(({ turn, start, end }) => ({
    turn,
    start: start - from + prompt,
    end: end - from + prompt,
  }));
  const mask = part(row.loss_mask, new Uint8Array(size));
  for (const { turn, start, end } of steps) if (!trains.has(turn)) mask.fill(0, start, end);
  const logProbs = row.rollout_log_probs;
  return {
    ...row,
    input_ids: part(row.input_ids, new Int32Array(size)),
    loss_mask: mask,
    segment_of_token: part(row.segment_of_token, new Int32Array(size)),
    rollout_log_probs: logProbs === null ? null : [...logProbs.slice(0, prompt), ...logProbs.slice(from, to)],
    steps,
    n_trained: onesIn(mask),
  };
}

function onesIn(mask: Uint8Array): number {
  return mask.reduce((sum, bit) => sum + bit, 0);
}
