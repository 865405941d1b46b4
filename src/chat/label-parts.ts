import { RejectError } from '../logs/reject.js';
import { AssistantLabels } from './assistant-labels.js';
import type { ChatMessage } from './message.js';
import {
  addWords,
  type Before,
  isCallPart,
  type LabelOptions,
  mergeGlue,
  type RawPiece,
  turnOf,
} from './raw-piece.js';
import type { Rendering } from './segment.js';
import { SegmentList } from './segment-list.js';
import type { SpecialFinder } from './special-tokens.js';

/**
 * Names the parts of a rendering: of assistant turns by what stands between which words, the rest is context.
 * Throws RejectError('template_error') where a template tears a turn apart, so that what the model wrote at once
 * stands on both sides of other turns.
 */
export function labelParts(
  pieces: readonly RawPiece[],
  options: LabelOptions,
): Pick<Rendering, 'segments' | 'continued'> {
  const list = new SegmentList();
  const continued: number[] = [];
  const merged = mergeGlue(pieces);
  const seen = new Set<number>();
  const befores = whatIsBefore(options);
  for (let start = 0; start < merged.length; ) {
    const turn = turnOf(merged[start]);
    const message = options.messages.get(turn);
    const speaks = message?.role === 'assistant' && !seen.has(turn);
    const results = speaks ? partResults(merged, { start, message }, options) : null;
    let end = start + 1;
    while (end < merged.length && turnOf(merged[end]) === turn) end++;
    const own = speaks ? (results ?? end) : start;
    if (own > start && message !== undefined) {
      const labels = new AssistantLabels(list, { message, options, before: befores.get(turn) ?? null });
      const stopped = labels.label(merged.slice(start, own));
      if (labels.continues) continued.push(turn);
      const place = { turn, pieces: merged, next: own };
      if (options.tagged) takeGenerated(list, place);
      else if (!stopped && options.borrowsStop) borrowStop(list, place, options);
    } else
      refuseTorn(
        merged.slice(start, end).filter((piece) => !isResultName(piece, options)),
        message,
      );
    for (const piece of merged.slice(own, end)) addContext(list, piece, options);
    if (message !== undefined) seen.add(turn);
    start = end;
  }
  return { segments: list.segments, continued };
}

/**
 * Parts the glue of a turn behind the token that opens the results of its calls, where a template prints those with the
 * calls: the model stops with that token, and what follows, such as `response:unknown{`, is no more its own than the results
 * are. Gives the place of the first piece behind the token, null where none stands there. Only the name of a call may be
 * printed behind it, with its result: other words of the turn are torn from it.
 */
function partResults(
  pieces: RawPiece[],
  { start, message }: { start: number; message: ChatMessage },
  { resultsToken, specials }: LabelOptions,
): number | null {
  if (resultsToken === null || message.calls.length === 0) return null;
  if (resultsToken === '') {
    throw new RejectError(
      'template_error',
      `the template prints results in turn ${message.turn}, that of their calls, and no special token before them`,
    );
  }
  const turn = turnOf(pieces[start]);
  let own: number | null = null;
  for (let k = start; k < pieces.length && turnOf(pieces[k]) === turn; k++) {
    const piece = pieces[k];
    if (piece === undefined) break;
    if (own !== null) {
      if (piece.glue || !isCallPart(piece.source)) refuseTorn([piece], message);
      continue;
    }
    const at = piece.glue ? firstPlace(resultsToken, piece.text, specials) : -1;
    if (!piece.glue || at < 0) continue;
    own = k + 1;
    const end = at + resultsToken.length;
    if (end === piece.text.length) continue;
    pieces.splice(
      k,
      1,
      { ...piece, text: piece.text.slice(0, end) },
      { ...piece, text: piece.text.slice(end) },
    );
  }
  return own;
}

/** The name of a call that is printed again with its result, of which several may follow the calls. */
function isResultName(piece: RawPiece, { resultsToken }: LabelOptions): boolean {
  return resultsToken !== null && !piece.glue && piece.source.kind === 'call_name';
}

/** Where a special token stands first, -1 where it does not. */
function firstPlace(token: string, text: string, specials: SpecialFinder): number {
  let first = -1;
  specials.each(text, (offset, special) => {
    if (first < 0 && special === token) first = offset;
  });
  return first;
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

/** What stands before each message, printed or not: an empty result may leave no trace. */
function whatIsBefore({ messages }: LabelOptions): Map<number, Before> {
  const befores = new Map<number, Before>();
  let before: Before = null;
  for (const { turn, role, calls } of messages.values()) {
    befores.set(turn, before);
    before = role === 'assistant' && calls.length > 0 ? 'calls' : role;
  }
  return befores;
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
