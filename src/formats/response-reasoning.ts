import { reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import { fieldPath, listAt, objectOf, stringAt } from './fields.js';
import { summarySpan } from './reasoning-summary.js';
import type { JsonObject } from './shape.js';

/** A reasoning item of the Responses API: its text where that is logged, else its summary, else nothing. */
export function reasoningItemSpans(item: JsonObject, path: string): Span[] {
  const logged = reasoningTexts(item, 'content', path);
  return logged.length > 0
    ? logged.map(reasoningSpan)
    : reasoningTexts(item, 'summary', path).map(summarySpan);
}

/** The texts of a field that is a string or a list of parts; without the empty ones. */
export function reasoningTexts(item: JsonObject, key: 'content' | 'summary', path: string): string[] {
  const value = item[key] ?? null;
  if (typeof value === 'string') return value === '' ? [] : [value];
  return (listAt(item, key, path) ?? []).flatMap((entry, index) => {
    const partPath = `${fieldPath(path, key)}[${index}]`;
    const text = stringAt(objectOf(entry, partPath), 'text', partPath) ?? '';
    return text === '' ? [] : [text];
  });
}
