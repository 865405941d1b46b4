import type { Role } from '../trajectory/turn.js';
import type { TextSource } from './jinja/text.js';
import type { ChatMessage, Field } from './message.js';
import type { SegmentPart } from './segment.js';
import type { SegmentList } from './segment-list.js';
import type { SpecialFinder } from './special-tokens.js';

interface RawBase {
  readonly text: string;
  /** the message whose loop printed it, -1 outside */
  readonly turn: number;
  /** it stands in a generation block of the template */
  readonly generated: boolean;
}

/** Words of a message, or data of none. */
export interface RawWords extends RawBase {
  readonly glue: false;
  readonly source: TextSource;
  /** its place in the source, null where it was transformed */
  readonly offset: number | null;
}

/** A piece of a rendering before it is labelled. */
export type RawPiece = (RawBase & { readonly glue: true }) | RawWords;

/** The role of the turn before a turn, `calls` for one of the model that calls, null for none. */
export type Before = Role | 'calls' | null;

export interface LabelOptions {
  readonly messages: ReadonlyMap<number, ChatMessage>;
  /** what opens a turn of the model, by what stands before it: the longest that fits counts */
  readonly headers: ReadonlyMap<Before, readonly string[]>;
  /** how such a header begins where that closes the turn before it */
  readonly closings: ReadonlyMap<Before, string>;
  readonly specials: SpecialFinder;
  /** the template marks what the model writes with generation blocks */
  readonly tagged: boolean;
  /** the stop token of a turn is the token that opens the next message */
  readonly borrowsStop: boolean;
  /** the special token that opens the results of calls, where the template prints them in the turn of the calls; else null */
  readonly resultsToken: string | null;
  /** what ends a call that another one follows, '' where that is not known */
  readonly callEnd: string;
}

/**
 * The turn that a piece is part of. The name of a call may also be printed with its result: there it belongs to the
 * turn of the result.
 */
export function turnOf(piece: RawPiece | undefined): number {
  if (piece === undefined) return -1;
  if (piece.glue || (isCallPart(piece.source) && piece.turn >= 0)) return piece.turn;
  return piece.source.turn;
}

/** Joins neighbours of glue that belong together. */
export function mergeGlue(pieces: readonly RawPiece[]): RawPiece[] {
  const merged: RawPiece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    const joins =
      piece.glue && last?.glue === true && last.turn === piece.turn && last.generated === piece.generated;
    if (joins) merged[merged.length - 1] = { ...last, text: last.text + piece.text };
    else merged.push(piece);
  }
  return merged;
}

/** Adds words as `part`, or, where that is null, as the part that each of their spans is. */
export function addWords(
  list: SegmentList,
  { text, source, offset }: RawWords,
  message: ChatMessage,
  part: SegmentPart | null,
): void {
  const { turn } = message;
  const field = fieldOf(message, source);
  if (field === null) {
    list.words(text, part ?? (isCallPart(source) ? 'tool_call' : 'context'), turn, source.span);
  } else if (offset === null) {
    const only = field.pieces.length === 1 ? field.pieces[0] : undefined;
    list.words(text, part ?? 'text', turn, only?.span ?? -1);
  } else {
    list.range({
      turn,
      field,
      start: offset,
      end: offset + text.length,
      part,
      between: part === 'context' ? 'context' : 'think_frame',
    });
  }
}

/** The field of the message that words came from, null for those of a call and of anything else. */
export function fieldOf(message: ChatMessage, { kind }: TextSource): Field | null {
  if (kind === 'content') return message.content;
  return kind === 'reasoning' ? message.reasoning : null;
}

export function isCallPart({ kind }: TextSource): boolean {
  return kind === 'call_name' || kind === 'call_arguments';
}
