import type { RejectCode } from '../logs/reject.js';
import type { Detection, FormatAdapter, FormatUnit, Sniff } from './adapter.js';
import { FORMATS } from './registry.js';
import { unreadKind } from './unread-kinds.js';

export type Verdict =
  | ({ readonly adapter: FormatAdapter; readonly unit: FormatUnit } & Pick<
      Detection,
      'confidence' | 'reason'
    >)
  | { readonly adapter: null; readonly code: RejectCode; readonly message: string };

/**
 * Which adapter reads a file. A certain adapter wins; then kinds of files that are known but not read are named;
 * then a likely adapter is believed. With `only`, that adapter alone is asked.
 */
export function detect(
  sniff: Sniff,
  options: { formats?: readonly FormatAdapter[]; only?: FormatAdapter | null } = {},
): Verdict {
  const only = options.only ?? null;
  const candidates = only === null ? (options.formats ?? FORMATS) : [only];
  let likely: { adapter: FormatAdapter; detection: Detection } | null = null;
  for (const adapter of candidates) {
    const detection = adapter.detect(sniff);
    if (detection === null) continue;
    if (detection.confidence === 'certain') return chosen(adapter, detection);
    likely ??= { adapter, detection };
  }
  if (only !== null) {
    if (likely !== null) return chosen(likely.adapter, likely.detection);
    return { adapter: null, code: 'unknown_format', message: `not recognised as ${only.name}` };
  }
  const unread = unreadKind(sniff);
  if (unread !== null) return { adapter: null, code: unread.code, message: `looks like ${unread.title}` };
  if (likely !== null) return chosen(likely.adapter, likely.detection);
  return { adapter: null, code: 'unknown_format', message: 'no format recognises the content' };
}

function chosen(adapter: FormatAdapter, detection: Detection): Verdict {
  const { confidence, reason } = detection;
  return { adapter, unit: detection.unit ?? adapter.unit, confidence, reason };
}
