import { contentSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';

/** Blocks that coding agents put into user messages beside what the human wrote. */
export const REMINDER_TAGS: readonly string[] = [
  'system-reminder',
  'system_reminder',
  'environment_context',
  'environment_details',
  'user_info',
  'git-context',
  'git_status',
  'hook-context',
  'notification',
];

interface Stretch {
  readonly text: string;
  readonly tagged: boolean;
}

/** The text of a user message as spans: tagged blocks of the harness are observations, the rest is the prompt. */
export function userSpans(text: string, tags: readonly string[] = REMINDER_TAGS): Span[] {
  return toSpans(stretches(text, tags), { tagged: 'observation', rest: 'prompt' });
}

/** The other way round, for harnesses that wrap what the human wrote: everything outside of the tag is theirs. */
export function wrappedSpans(text: string, tag: string): Span[] {
  const pieces = stretches(text, [tag]);
  if (!pieces.some((piece) => piece.tagged)) return userSpans(text);
  return toSpans(pieces, { tagged: 'prompt', rest: 'observation' });
}

function toSpans(
  pieces: readonly Stretch[],
  kinds: { readonly tagged: 'prompt' | 'observation'; readonly rest: 'prompt' | 'observation' },
): Span[] {
  const spans: Span[] = [];
  for (const { text, tagged } of pieces) {
    const before = spans.at(-1);
    // Blank text between blocks is nobody's words: it stays with what stands before it.
    if (before !== undefined && text.trim() === '')
      spans[spans.length - 1] = { ...before, text: before.text + text };
    else spans.push(contentSpan(tagged ? kinds.tagged : kinds.rest, 'environment', text));
  }
  return spans.length > 0 ? spans : [contentSpan('prompt', 'environment', '')];
}

/** Cuts at `<tag ...>` to `</tag>`; a block that is never closed is no block. */
function stretches(text: string, tags: readonly string[]): Stretch[] {
  const names = tags.map((tag) => tag.replace(/[^\w-]/g, '\\$&')).join('|');
  const opening = new RegExp(`<(${names})(?:\\s[^<>]*)?>`, 'g');
  const unclosed = new Set<string>();
  const pieces: Stretch[] = [];
  let at = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const close = `</${match[1] ?? ''}>`;
    if (unclosed.has(close)) continue;
    const closeAt = text.indexOf(close, opening.lastIndex);
    if (closeAt === -1) {
      unclosed.add(close);
      continue;
    }
    if (match.index > at) pieces.push({ text: text.slice(at, match.index), tagged: false });
    at = closeAt + close.length;
    pieces.push({ text: text.slice(match.index, at), tagged: true });
    opening.lastIndex = at;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), tagged: false });
  return pieces;
}
