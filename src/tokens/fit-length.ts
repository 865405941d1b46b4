import { cutEndFlags } from './cut-end.js';
import type { FitRequest, FittedRow, OverLongRow } from './fitted-row.js';
import { moveWindow } from './move-window.js';
import { shortenObservations } from './shorten-observations.js';
import { tokensOfTurns } from './turn-tokens.js';

/**
 * The rows of a plan that fit the limit, one after another. Rows without trained tokens are not among them. A row
 * of the model's own turns alone that is too long is dropped: no turn is ever cut.
 */
export function* fitRows(request: FitRequest): Generator<FittedRow> {
  const { trajectory, plan, encode, length, onDropped } = request;
  const row = encode({ trajectory, plan });
  if (row.n_trained === 0) return;
  const whole = { turns: trajectory.turns, plan, part: 0, flags: [] };
  if (length.max_tokens === null || row.input_ids.length <= length.max_tokens) {
    yield { row, outcome: null, ...whole };
    return;
  }
  const limited = { maxTokens: length.max_tokens, row, ...request };
  if (length.over === 'split') {
    yield* moveWindow(limited);
    return;
  }
  const fitted =
    length.over === 'cut-tail'
      ? cutTail(limited)
      : length.over === 'drop'
        ? null
        : shortenObservations(limited);
  if (fitted === null || fitted.row.n_trained === 0) onDropped();
  else yield fitted;
}

/** Ends the row behind the last turn that fits. */
function cutTail({ trajectory, plan, encode, maxTokens, row }: OverLongRow): FittedRow | null {
  const counts = tokensOfTurns(row);
  let tokens = counts.get(-1) ?? 0;
  let kept = 0;
  for (const turn of plan.indices) {
    tokens += counts.get(turn) ?? 0;
    if (tokens > maxTokens) break;
    kept++;
  }
  // The end of a rendering may cost a few tokens more than its middle.
  for (; kept > (plan.joint ?? 0); kept--) {
    const indices = plan.indices.slice(0, kept);
    const trains = new Set(indices.filter((turn) => plan.trains.has(turn)));
    if (trains.size === 0) return null;
    const cut = { ...plan, indices, trains };
    const shorter = encode({ trajectory, plan: cut });
    if (shorter.input_ids.length <= maxTokens) {
      const flags = cutEndFlags(indices.at(-1), shorter, row);
      return { turns: trajectory.turns, plan: cut, row: shorter, part: 0, outcome: 'tail_cut', flags };
    }
  }
  return null;
}
