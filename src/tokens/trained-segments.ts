import type { Segment, SegmentPart } from '../chat/segment.js';
import type { MaskOptions } from './mask-options.js';
import { MASK_POLICIES } from './mask-policy.js';
import { type MaskSubject, wordsTrainable } from './trained-turns.js';

/** Marks each segment that the policy trains: 1 or 0, one entry a segment. */
export function markTrained(
  segments: readonly Segment[],
  options: { subject: MaskSubject; trained: ReadonlySet<number>; mask: MaskOptions },
): Uint8Array {
  const { subject, trained, mask } = options;
  const policy = MASK_POLICIES[mask.policy];
  const marks = new Uint8Array(segments.length);
  segments.forEach((segment, k) => {
    if (!trained.has(segment.turn) || !policy[segment.part]) return;
    marks[k] = isWordPart(segment) && !wordsTrainable(segment, subject, mask) ? 0 : 1;
  });
  unmarkAfterCuts(segments, marks, subject);
  return marks;
}

const AROUND_WORDS: ReadonlySet<SegmentPart> = new Set([
  'header',
  'marked_header',
  'empty_think',
  'stop',
  'separator',
]);

function isWordPart({ part }: Segment): boolean {
  return !AROUND_WORDS.has(part);
}

/** A turn that was cut short ends at its last word: the model sampled neither closing frame nor stop. */
function unmarkAfterCuts(segments: readonly Segment[], marks: Uint8Array, { turns }: MaskSubject): void {
  let turn = -1;
  let ended = false;
  for (let k = segments.length - 1; k >= 0; k--) {
    const segment = segments[k];
    if (segment === undefined) continue;
    if (segment.turn !== turn) {
      turn = segment.turn;
      ended = false;
    }
    // the name of a call may be printed again with its result
    if (!segment.glue && segment.part !== 'context') ended = true;
    if (!ended && (turns[turn]?.truncated ?? null) !== null) marks[k] = 0;
  }
}
