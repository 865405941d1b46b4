import { createHash } from 'node:crypto';
import type { Turn } from './turn.js';

/**
 * The identity of a run: sha256 (hex) over role, origin, kind and text of its turns, length-prefixed so that
 * no two different lists of turns share a byte string. Lone surrogates hash as U+FFFD, as they are written.
 */
export function trajectoryId(turns: readonly Turn[]): string {
  const hash = createHash('sha256');
  for (const turn of turns) {
    hash.update(`turn ${turn.role} ${turn.spans.length}\n`);
    for (const span of turn.spans) {
      hash.update(`${span.origin} ${span.kind} ${Buffer.byteLength(span.text)}\n`);
      hash.update(span.text);
      if (span.call !== null) {
        hash.update(`\ncall ${Buffer.byteLength(span.call.name)}\n`);
        hash.update(span.call.name);
      }
    }
  }
  return hash.digest('hex');
}
