import type { TokenRow } from './token-row.js';

/** Tokens of each turn of a row; what belongs to no turn counts under -1. */
export function tokensOfTurns({
  segment_of_token,
  segments,
}: Pick<TokenRow, 'segment_of_token' | 'segments'>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const segment of segment_of_token) {
    const turn = segments[segment]?.turn ?? -1;
    counts.set(turn, (counts.get(turn) ?? 0) + 1);
  }
  return counts;
}

/** Tokens of each word span of one turn's words, by turn and span. */
export function tokensOfSpans({ segment_of_token, segments }: TokenRow): Map<number, Map<number, number>> {
  const counts = new Map<number, Map<number, number>>();
  for (const index of segment_of_token) {
    const segment = segments[index];
    if (segment === undefined || segment.glue || segment.span < 0) continue;
    const spans = counts.get(segment.turn) ?? new Map<number, number>();
    spans.set(segment.span, (spans.get(segment.span) ?? 0) + 1);
    counts.set(segment.turn, spans);
  }
  return counts;
}
