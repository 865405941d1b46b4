/** 1234567 as 1,234,567. */
export const count = (value: number): string => value.toLocaleString('en-US');

/** 0.1234 as 12.3%. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** At most four significant digits, thousands apart. */
export function short(value: number): string {
  const rounded = Number(value.toPrecision(4));
  return Math.abs(rounded) >= 1000 ? count(rounded) : String(rounded);
}

/** `1 window`, `2 windows`. */
export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;
