import { isLeftOut } from '../chat/left-out.js';
import type { Segment } from '../chat/segment.js';
import type { Span } from '../trajectory/span.js';
import type { MaskOptions } from './mask-options.js';
import { MASK_POLICIES } from './mask-policy.js';
import { isCallOf } from './proof-calls.js';
import { SpanWords } from './span-words.js';
import type { MaskSubject } from './trained-turns.js';

export interface SegmentQuestion {
  readonly segments: readonly Segment[];
  readonly subject: MaskSubject;
  readonly trained: ReadonlySet<number>;
  readonly altered: ReadonlySet<number>;
  readonly mask: MaskOptions;
}

/**
 * What the policy trains, worked out for the proof alone: 1 or 0 for each segment. Null where the words of a
 * trained turn are not the model's own text of that turn, in order and complete.
 */
export function expectedSegments(question: SegmentQuestion): Uint8Array | null {
  const { segments, trained } = question;
  const words = new Map<number, Map<number, SpanWords>>();
  const lastWord = new Map<number, number>();
  segments.forEach(({ part, turn, span, text, glue }, k) => {
    if (part === 'context' || (glue && part !== 'call_frame')) return;
    if (!glue) lastWord.set(turn, k);
    if (!trained.has(turn) || span < 0) return;
    const spans = words.get(turn) ?? new Map<number, SpanWords>();
    const own = spans.get(span) ?? new SpanWords();
    words.set(turn, spans.set(span, own));
    if (glue) own.frame(text);
    else own.word(text);
  });
  for (const turn of trained) {
    if (!isOwnText(question, turn, words.get(turn) ?? new Map())) return null;
  }
  const expected = new Uint8Array(segments.length);
  segments.forEach((segment, k) => {
    if (isExpected(question, segment) && !isAfterCut(question, segment, k, lastWord)) expected[k] = 1;
  });
  return expected;
}

function isExpected(
  { subject, trained, mask }: SegmentQuestion,
  { part, turn, span: index }: Segment,
): boolean {
  const policy = MASK_POLICIES[mask.policy];
  if (!trained.has(turn)) return false;
  switch (part) {
    case 'context':
      return false;
    case 'header':
    case 'marked_header':
    case 'stop':
    case 'separator':
    case 'empty_think':
      return policy[part];
    default: {
      const span = subject.turns[turn]?.spans[index];
      if (span === undefined || span.origin !== 'model') return false;
      if (span.kind === 'malformed_call' && mask.malformed_calls !== 'train') return false;
      const writer = span.model ?? subject.model;
      const own = mask.models === null ? writer === subject.model : mask.models.includes(writer ?? '');
      const kind = part === 'think_frame' ? 'reasoning' : part === 'call_frame' ? 'tool_call' : part;
      return own && mask.kinds.includes(kind);
    }
  }
}

function isAfterCut(
  { subject }: SegmentQuestion,
  { turn }: Segment,
  k: number,
  lastWord: ReadonlyMap<number, number>,
): boolean {
  return (subject.turns[turn]?.truncated ?? null) !== null && k > (lastWord.get(turn) ?? -1);
}

function isOwnText(
  { subject, altered }: SegmentQuestion,
  index: number,
  words: ReadonlyMap<number, SpanWords>,
): boolean {
  const turn = subject.turns[index];
  if (turn === undefined || turn.role !== 'assistant') return false;
  for (const [number, span] of turn.spans.entries()) {
    const found = words.get(number) ?? new SpanWords();
    const own =
      span.inline || span.kind === 'reasoning'
        ? isTextOf(span, found.texts, altered.has(index))
        : isCallOf(span, found);
    if (!own) return false;
  }
  return true;
}

/** The texts stand in the span one after another; only blanks and think tags may be missing between them. */
function isTextOf(span: Span, texts: readonly string[], incomplete: boolean): boolean {
  let at = 0;
  for (const text of texts) {
    const found = incomplete ? span.text.indexOf(text, at) : placeBehindBlanks(span.text, text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  return incomplete || isLeftOut(span.text.slice(at));
}

/**
 * Where the text stands behind nothing but what a template leaves out, -1 where it does not. Of white space the first such
 * place, so that most is left for what follows; of any other text the last, since `t` and `<` also stand inside the
 * `<think>` before it.
 */
function placeBehindBlanks(whole: string, text: string, from: number): number {
  const skipped = /(?:\s|\p{Cc}|<think>|<\/think>)*/uy;
  skipped.lastIndex = from;
  const limit = from + (skipped.exec(whole)?.[0].length ?? 0);
  if (text.trim() === '') {
    // no tag holds white space, so that all before it is left out
    const found = whole.indexOf(text, from);
    return found <= limit ? found : -1;
  }
  for (
    let found = whole.lastIndexOf(text, limit);
    found >= from;
    found = whole.lastIndexOf(text, found - 1)
  ) {
    if (isLeftOut(whole.slice(from, found))) return found;
    if (found === 0) break;
  }
  return -1;
}
