import type { Layout } from './layout.js';

/**
 * The number of the segment in which each token starts, as long as the ids; `byteLengths` holds the bytes of each id.
 * Linear.
 */
export function placeTokens(ids: Int32Array, byteLengths: Uint16Array, { low }: Layout): Int32Array {
  const places = new Int32Array(ids.length);
  const last = low.length - 2;
  let segment = 0;
  let start = 0;
  for (let i = 0; i < ids.length; i++) {
    while (segment < last && (low[segment + 1] as number) <= start) segment++;
    places[i] = segment;
    start += byteLengths[ids[i] as number] ?? 0;
  }
  return places;
}
