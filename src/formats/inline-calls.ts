import { contentSpan, inlineCallSpan } from '../trajectory/build.js';
import type { Origin, Span } from '../trajectory/span.js';

/** A stretch of assistant content that is a call, as UTF-16 offsets. `call` is null where it could not be parsed. */
export interface CallMark {
  readonly start: number;
  readonly end: number;
  readonly call: { readonly name: string; readonly arguments: string } | null;
}

interface Piece {
  readonly kind: 'reasoning' | 'text';
  readonly text: string;
}

const THINK_OPEN = '<think>';
const THINK_CLOSE = '</think>';

/**
 * Cuts assistant content into inline spans: reasoning in think tags (tags included), calls at the marks, text between.
 * The spans joined are the content. Tags inside a mark belong to the call. A think that is never closed counts
 * only where it opens the turn, and runs to the next mark or to the end; a closing tag without an opening one
 * ends reasoning that began with the turn, since some chat templates put the opening tag into the prompt.
 */
export function actionSpans(content: string, marks: readonly CallMark[], origin: Origin = 'model'): Span[] {
  if (marks.length === 0 && !hasThinkTag(content)) {
    return content === '' ? [] : [contentSpan('text', origin, content)];
  }
  const gaps = gapsBetween(content, marks);
  const lastClose = gaps.findLastIndex((gap) => gap.includes(THINK_CLOSE));
  const spans: Span[] = [];
  let open = false;
  for (const [index, gap] of gaps.entries()) {
    const cut = cutThinking(gap, {
      open: open && lastClose >= index,
      first: index === 0,
      closedLater: lastClose > index,
    });
    for (const piece of cut.pieces) spans.push(contentSpan(piece.kind, origin, piece.text));
    open = cut.open;
    const mark = marks[index];
    if (mark !== undefined) spans.push(markSpan(content, mark, origin));
  }
  return spans;
}

/** Where `<think>` blocks lie in a text, as [start, end) offsets. */
export function thinkRanges(text: string): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  let at = 0;
  for (const piece of cutThinking(text, { open: false, first: true, closedLater: false }).pieces) {
    if (piece.kind === 'reasoning') ranges.push([at, at + piece.text.length]);
    at += piece.text.length;
  }
  return ranges;
}

/**
 * The marks of a pattern whose first group is the command. Where the scaffold takes exactly one command a turn
 * and finds several, it runs none: all are malformed. An opening that is never closed is malformed as well.
 */
export function singleCommandMarks(
  content: string,
  syntax: { readonly name: string; readonly pattern: RegExp; readonly opening: RegExp },
): CallMark[] {
  const found = [...content.matchAll(syntax.pattern)];
  if (found.length === 0) {
    const start = content.search(syntax.opening);
    return start < 0 ? [] : [{ start, end: content.length, call: null }];
  }
  return found.map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    call: found.length === 1 ? { name: syntax.name, arguments: match[1] ?? '' } : null,
  }));
}

function markSpan(content: string, mark: CallMark, origin: Origin): Span {
  const text = content.slice(mark.start, mark.end);
  if (mark.call === null) return contentSpan('malformed_call', origin, text);
  return { ...inlineCallSpan(text, mark.call), origin };
}

function gapsBetween(content: string, marks: readonly CallMark[]): string[] {
  const gaps: string[] = [];
  let at = 0;
  for (const mark of marks) {
    gaps.push(content.slice(at, mark.start));
    at = mark.end;
  }
  gaps.push(content.slice(at));
  return gaps;
}

function cutThinking(
  text: string,
  state: { open: boolean; first: boolean; closedLater: boolean },
): { pieces: Piece[]; open: boolean } {
  const pieces: Piece[] = [];
  let at = 0;
  let open = state.open || (state.first && closesWithoutOpening(text));
  while (at < text.length) {
    const end = open ? endOfThinking(text, at) : startOfThinking(text, at, state);
    if (end > at) pieces.push({ kind: open ? 'reasoning' : 'text', text: text.slice(at, end) });
    open = open ? !text.startsWith(THINK_CLOSE, end - THINK_CLOSE.length) : end < text.length;
    at = end;
  }
  return { pieces, open };
}

function hasThinkTag(text: string): boolean {
  return text.includes(THINK_OPEN) || text.includes(THINK_CLOSE);
}

function closesWithoutOpening(text: string): boolean {
  const close = text.indexOf(THINK_CLOSE);
  const start = text.indexOf(THINK_OPEN);
  return close >= 0 && (start < 0 || close < start);
}

function endOfThinking(text: string, at: number): number {
  const close = text.indexOf(THINK_CLOSE, at);
  return close < 0 ? text.length : close + THINK_CLOSE.length;
}

function startOfThinking(text: string, at: number, state: { first: boolean; closedLater: boolean }): number {
  const start = text.indexOf(THINK_OPEN, at);
  if (start < 0) return text.length;
  const opensTurn = state.first && text.slice(0, start).trim() === '';
  const closed = state.closedLater || text.includes(THINK_CLOSE, start);
  return opensTurn || closed ? start : text.length;
}
