import { reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';

/** Tags in which aider writes the reasoning that the API sent beside the reply; one that a stop left open runs to the end. */
const REASONING = /<(thinking-content-[0-9a-f]{32})>([\s\S]*?)(?:<\/\1>\s*|$)/g;

/** A reply as spans: reasoning was never part of its text, what stands around it is cut by `cutText`. */
export function replySpans(reply: string, cutText: (text: string) => Span[]): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of reply.matchAll(REASONING)) {
    const before = reply.slice(at, match.index);
    if (before.trim() !== '') spans.push(...cutText(before));
    const thought = (match[2] ?? '').trim();
    if (thought !== '') spans.push(reasoningSpan(thought));
    at = match.index + match[0].length;
  }
  if (at < reply.length) spans.push(...cutText(reply.slice(at)));
  return spans;
}
