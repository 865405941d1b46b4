import { asNumber } from './shape.js';

/** Unix seconds as ISO 8601; null for anything else. */
export function isoSeconds(value: unknown): string | null {
  const seconds = asNumber(value);
  return seconds === null ? null : isoMillis(seconds * 1000);
}

/** Unix milliseconds as ISO 8601; null for anything else. */
export function isoMillis(value: unknown): string | null {
  const millis = asNumber(value);
  if (millis === null) return null;
  const time = new Date(millis);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
