/**
 * Rank, from 1, of the nearest-rank quantile q among n values: max(1, ceil(q n)), with q taken as the decimal number that it
 * is written as (the shortest that names the double) and the product exact. In doubles .07 * 100 is a little above 7 and
 * .55 * 20 above 11, which would be one rank too far. No interpolation: a quantile is one of the values.
 */
export function nearestRankOf(q: number, n: number): number {
  const [mantissa = '0', exponent = '0'] = String(q).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const decimals = fraction.length - Number(exponent);
  const scale = 10n ** BigInt(Math.max(0, decimals));
  const product = BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, -decimals)) * BigInt(n);
  return Math.max(1, Number((product + scale - 1n) / scale));
}
