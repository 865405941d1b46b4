import { RejectError } from '../logs/reject.js';
import { AssistantLabels } from './assistant-labels.js';
import type { ChatMessage } from './message.js';
import { addWords, isCallPart, type LabelOptions, mergeGlue, type RawPiece, turnOf } from './raw-piece.js';
import { SegmentList } from './segment-list.js';

/**
 * Names the parts of a rendering: of assistant turns by what stands between which words, the rest is context.
 * Throws RejectError('template_error') where a template tears a turn apart, so that what the model wrote at once
 * stands on both sides of other turns.
 */
export function labelParts(pieces: readonly RawPiece[], options: LabelOptions): SegmentList {
  const list = new SegmentList();
  const merged = mergeGlue(pieces);
  const seen = new Set<number>();
  let previous = -1;
  for (let start = 0; start < merged.length; ) {
    const turn = turnOf(merged[start]);
    let end = start + 1;
    while (end < merged.length && turnOf(merged[end]) === turn) end++;
    const message = options.messages.get(turn);
    const own = message?.role === 'assistant' && !seen.has(turn) ? ownEnd(merged, start, end) : start;
    if (own > start && message !== undefined) {
      const labels = new AssistantLabels(list, { message, options, role: roleOf(previous, options) });
      const stopped = labels.label(merged.slice(start, own));
      const place = { turn, pieces: merged, next: own };
      if (options.tagged) takeGenerated(list, place);
      else if (!stopped && options.borrowsStop) borrowStop(list, place, options);
    } else refuseTorn(merged.slice(start, end), message);
    for (const piece of merged.slice(own, end)) addContext(list, piece, options);
    if (message !== undefined && !seen.has(turn)) {
      seen.add(turn);
      previous = turn;
    }
    start = end;
  }
  return list;
}

/** Where a turn ends that goes on with the results of its calls: before the name that is printed with the first. */
function ownEnd(pieces: readonly RawPiece[], start: number, end: number): number {
  const next = pieces[end];
  const holdsResults = next !== undefined && !next.glue && next.turn === turnOf(pieces[start]);
  if (!holdsResults) return end;
  const last = pieces.slice(start, end).findLastIndex((piece) => !piece.glue);
  const words = pieces[start + last];
  return words !== undefined && !words.glue && words.source.kind === 'call_name' ? start + last : end;
}

function refuseTorn(run: readonly RawPiece[], message: ChatMessage | undefined): void {
  if (message?.role !== 'assistant' || run.every((piece) => piece.glue)) return;
  throw new RejectError(
    'template_error',
    `the template prints words of turn ${message.turn} behind those of later turns`,
  );
}

/** A turn, and the place of the piece behind it. */
interface Place {
  readonly turn: number;
  readonly pieces: RawPiece[];
  readonly next: number;
}

/** What a template marks as the model's behind its last message, such as an end of text: it follows the stop. */
function takeGenerated(list: SegmentList, { turn, pieces, next }: Place): void {
  const piece = pieces[next];
  if (piece === undefined || !piece.glue || piece.turn >= 0 || !piece.generated) return;
  list.glue(piece.text, 'separator', turn);
  pieces[next] = { ...piece, text: '' };
}

function roleOf(turn: number, { messages }: LabelOptions): string | null {
  return messages.get(turn)?.role ?? null;
}

/**
 * Where a template ends the model's turns with nothing, the model stops by sampling the token that opens the next
 * message (GLM's `<|user|>` or `<|observation|>`): that token is the stop of the turn before it.
 */
function borrowStop(list: SegmentList, { turn, pieces, next }: Place, options: LabelOptions): void {
  const piece = pieces[next];
  if (piece === undefined || !piece.glue || piece.turn < 0) return;
  if (options.messages.get(piece.turn)?.role === 'assistant') return;
  const first = options.specials.at(piece.text, 0);
  if (first === null) return;
  list.glue(first, 'stop', turn);
  pieces[next] = { ...piece, text: piece.text.slice(first.length) };
}

function addContext(list: SegmentList, piece: RawPiece, { messages }: LabelOptions): void {
  const turn = turnOf(piece);
  if (piece.glue) {
    list.glue(piece.text, 'context', turn);
    return;
  }
  const message = messages.get(turn);
  const own = message !== undefined && piece.source.turn === turn && !isCallPart(piece.source);
  if (own) addWords(list, piece, message, 'context');
  else list.words(piece.text, 'context', turn, -1);
}
