import type { TokenRow } from './token-row.js';

/**
 * Flag of a row that was cut behind a turn of the model without reasoning: as the last turn it got an empty think block from
 * the template, which stands there in no rendering of the whole.
 */
export const EMPTY_THINK_AT_CUT = 'empty_think_at_cut';

type Rendered = Pick<TokenRow, 'segments'>;

/** What cutting a row behind `last` changed in that turn. */
export function cutEndFlags(last: number | undefined, cut: Rendered, whole: Rendered): string[] {
  const hasBlock = ({ segments }: Rendered): boolean =>
    segments.some(({ part, turn }) => part === 'empty_think' && turn === last);
  return hasBlock(cut) && !hasBlock(whole) ? [EMPTY_THINK_AT_CUT] : [];
}
