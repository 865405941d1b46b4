import { asNumber } from './shape.js';

/** Above these a Unix time is in milliseconds, microseconds or nanoseconds: in seconds it would lie beyond the year 5000. */
const FINER_UNITS: readonly (readonly [above: number, per_second: number])[] = [
  [1e17, 1e9],
  [1e14, 1e6],
  [1e11, 1e3],
];

/** Date and time with a zone: without one the moment is not known. */
const ZONED = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Unix seconds, also where the writer counted in a finer unit, or a zoned ISO 8601 text, as ISO 8601 in UTC; null for anything else. */
export function isoSeconds(value: unknown): string | null {
  if (typeof value === 'string') return ZONED.test(value) ? isoMillis(Date.parse(value)) : null;
  const time = asNumber(value);
  if (time === null) return null;
  const finer = FINER_UNITS.find(([above]) => time > above);
  return isoMillis((time / (finer?.[1] ?? 1)) * 1000);
}

/** Unix milliseconds as ISO 8601; null for anything else. */
export function isoMillis(value: unknown): string | null {
  const millis = asNumber(value);
  if (millis === null) return null;
  const time = new Date(millis);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
