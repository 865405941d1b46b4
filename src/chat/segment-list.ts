import type { SpanKind } from '../trajectory/span.js';
import type { Field } from './message.js';
import type { Segment, SegmentPart } from './segment.js';

/** Which part of an assistant turn a span of content is. */
export function partOfKind(kind: SpanKind): SegmentPart {
  if (kind === 'reasoning') return 'reasoning';
  return kind === 'tool_call' || kind === 'malformed_call' ? 'tool_call' : 'text';
}

/** A piece of a field: which characters of it, and how to label them. */
export interface FieldRange {
  readonly turn: number;
  readonly field: Field;
  readonly start: number;
  readonly end: number;
  /** the part of every piece, or null to take it from the kind of each span */
  readonly part: SegmentPart | null;
  /** the part of characters between spans, which no span holds */
  readonly between: SegmentPart;
}

/** Collects the segments of a rendering in order; empty pieces leave no trace. */
export class SegmentList {
  readonly segments: Segment[] = [];

  /** Template text. `span` is the span that it frames. */
  glue(text: string, part: SegmentPart, turn: number, span = -1): void {
    if (text !== '') this.segments.push({ text, part, turn, span, glue: true });
  }

  /** Words of a message. */
  words(text: string, part: SegmentPart, turn: number, span: number): void {
    if (text !== '') this.segments.push({ text, part, turn, span, glue: false });
  }

  /** The characters start to end of a field, one segment a span. */
  range(range: FieldRange): void {
    const { turn, field, start, end, part, between } = range;
    let at = start;
    for (const piece of field.pieces) {
      const from = Math.max(at, piece.start);
      const to = Math.min(end, piece.end);
      if (from >= to) continue;
      this.words(field.text.slice(at, from), between, turn, -1);
      this.words(field.text.slice(from, to), part ?? partOfKind(piece.kind), turn, piece.span);
      at = to;
    }
    if (at < end) this.words(field.text.slice(at, end), between, turn, -1);
  }
}

/** The span that holds the character at `offset`, -1 where none does. */
export function spanAt(field: Field, offset: number): number {
  for (const piece of field.pieces) if (offset >= piece.start && offset < piece.end) return piece.span;
  return -1;
}
