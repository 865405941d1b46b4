import { RejectError } from '../logs/reject.js';
import type { ChatMessage } from './message.js';
import {
  addWords,
  type Before,
  fieldOf,
  isCallPart,
  type LabelOptions,
  type RawPiece,
  type RawWords,
} from './raw-piece.js';
import type { SegmentPart } from './segment.js';
import { type SegmentList, spanAt } from './segment-list.js';

const OPENS_THINKING = /<think>\s*$/;
const CLOSES_THINKING = /<\/think>/;
const EMPTY_THINKING = /^\s*<think>\s*<\/think>\s*/;
const FIRST_TAG = /^\s*<[^<>]*>\s*/;
const LEADING_SPACE = /^\s*/;
const ESCAPES = /^.*\\[\\'"nrt]/s;

type FramePart = 'think_frame' | 'call_frame' | 'text';

interface AssistantContext {
  readonly message: ChatMessage;
  readonly options: LabelOptions;
  readonly before: Before;
}

/**
 * Labels one turn of the model. What stands before its first words is the header as far as the generation prompt
 * provides it; everything from there to the stop token was sampled: words, and frames that belong to the words
 * beside them. The stop is the last special token behind the last words, and blanks behind it are the separator.
 */
export class AssistantLabels {
  readonly #list: SegmentList;
  readonly #message: ChatMessage;
  readonly #options: LabelOptions;
  readonly #before: Before;
  readonly #knownHeaders: readonly string[];
  #continues = false;

  constructor(list: SegmentList, { message, options, before }: AssistantContext) {
    this.#list = list;
    this.#message = message;
    this.#options = options;
    this.#before = before;
    this.#knownHeaders = knownHeaders(options.headers, before);
  }

  /** Whether the turn goes on with the one before it, also the model's, though its prompt would open another. */
  get continues(): boolean {
    return this.#continues;
  }

  /** Returns whether the run holds a stop token. */
  label(run: readonly RawPiece[]): boolean {
    if (this.#options.tagged) return this.#labelTagged(run);
    if (this.#followsModel && run[0]?.glue === false) this.#headerLength('', true);
    return this.#labelSampled(run, '');
  }

  /** What lies outside the generation blocks is not the model's, whatever it looks like. */
  #labelTagged(run: readonly RawPiece[]): boolean {
    const first = run.findIndex((piece) => piece.generated);
    if (first < 0) {
      for (const piece of run) this.#outside(piece, 'context');
      return false;
    }
    const last = run.findLastIndex((piece) => piece.generated);
    let lead = '';
    for (const piece of run.slice(0, first)) {
      const front = piece.glue && lead === '' ? this.#closingLength(piece.text) : 0;
      this.#list.glue(piece.text.slice(0, front), 'context', this.#turn);
      this.#outside({ ...piece, text: piece.text.slice(front) }, 'header');
      if (piece.glue) lead += piece.text;
    }
    if (run[first]?.glue === false) this.#checkLead(lead, this.#headerLength(lead, true));
    const stopped = this.#labelSampled(run.slice(first, last + 1), lead);
    for (const piece of run.slice(last + 1)) this.#outside(piece, 'context');
    return stopped;
  }

  #outside(piece: RawPiece, part: SegmentPart): void {
    if (piece.glue) this.#list.glue(piece.text, part, this.#turn);
    else addWords(this.#list, piece, this.#message, 'context');
  }

  /** `lead` is the header that was written before the run. */
  #labelSampled(run: readonly RawPiece[], lead: string): boolean {
    let before: RawWords | null = null;
    let opening = '';
    /** what of the turn's header was printed so far, null where something else followed it */
    let headed: string | null = lead;
    let stopped = false;
    for (let i = 0; i < run.length; i++) {
      const piece = run[i];
      if (piece === undefined) continue;
      if (this.#options.tagged && !piece.generated) {
        this.#outside(piece, 'context');
        continue;
      }
      if (!piece.glue) {
        const provided: number = headed === null ? 0 : this.#providedLength(headed, piece.text);
        headed = provided > 0 && provided === piece.text.length ? headed + piece.text : null;
        this.#words(piece, this.#isReasoning(run, i) ? 'reasoning' : null, provided);
        before = piece;
        continue;
      }
      const next = run.findIndex((other, at) => at > i && !other.glue);
      const after = next < 0 ? null : (run[next] as RawWords);
      const reasoningNext = next >= 0 && this.#isReasoning(run, next);
      let { text } = piece;
      if (before === null && opening === '') {
        opening = text;
        text = this.#opening(text, { lead, after, reasoningNext });
        headed = text === '' ? lead + opening : null;
      } else if (headed !== null) {
        // words that the prompt provides may be followed by glue that it provides
        const provided = this.#providedLength(headed, text);
        this.#list.glue(text.slice(0, provided), this.#providedPart, this.#turn);
        text = text.slice(provided);
        headed = null;
      }
      if (after === null) stopped = this.#closing(text, before);
      else if (before === null) this.#frame(text, after, reasoningNext);
      else this.#between(text, before, after, reasoningNext);
    }
    return stopped;
  }

  get #turn(): number {
    return this.#message.turn;
  }

  get #followsModel(): boolean {
    return this.#before === 'assistant' || this.#before === 'calls';
  }

  /** Inside a generation block, what the prompt provides is marked as the model's. */
  get #providedPart(): SegmentPart {
    return this.#options.tagged ? 'marked_header' : 'header';
  }

  /**
   * Words, of which the first `provided` characters stand in the generation prompt: a model that is made to think goes on
   * behind the tag that it was given, also where the log keeps the tag in the content.
   */
  #words(words: RawWords, part: SegmentPart | null, provided: number): void {
    const { text, offset } = words;
    const start = { ...words, text: text.slice(0, provided) };
    const rest = { ...words, text: text.slice(provided), offset: offset === null ? null : offset + provided };
    if (provided > 0) addWords(this.#list, start, this.#message, this.#providedPart);
    addWords(this.#list, rest, this.#message, part);
  }

  /** How many characters of a text are what a header goes on with that begins with `lead`. */
  #providedLength(lead: string, text: string): number {
    const lengths = this.#knownHeaders.map((header) => {
      // what a template prints before all messages may stand in front of the first one's header
      const begun = this.#before === null ? overlap(lead, header) : header.startsWith(lead) ? lead.length : 0;
      const rest = begun === 0 ? '' : header.slice(begun);
      const shared = commonPart(text, rest);
      return shared === rest.length ? shared : tagEnd(text.slice(0, shared));
    });
    return Math.max(0, ...lengths);
  }

  /** Words of the reasoning field, or content that the template put between think tags. */
  #isReasoning(run: readonly RawPiece[], i: number): boolean {
    const piece = run[i];
    if (piece === undefined || piece.glue) return false;
    if (piece.source.kind === 'reasoning') return true;
    const [before, after] = [run[i - 1], run[i + 1]];
    return (
      piece.source.kind === 'content' &&
      before?.glue === true &&
      after?.glue === true &&
      OPENS_THINKING.test(before.text) &&
      CLOSES_THINKING.test(after.text)
    );
  }

  /** Takes the header, and a think block without words, from the front; gives the rest. */
  #opening(
    text: string,
    { lead, after, reasoningNext }: { lead: string; after: RawWords | null; reasoningNext: boolean },
  ): string {
    const header = this.#headerLength(lead + text, after !== null && !reasoningNext);
    this.#checkLead(lead, header);
    const forced = Math.max(header - lead.length, 0);
    const front = Math.max(this.#frontLength((lead + text).slice(0, header)) - lead.length, 0);
    this.#list.glue(text.slice(0, front), 'context', this.#turn);
    this.#list.glue(text.slice(front, forced), this.#providedPart, this.#turn);
    const rest = text.slice(forced);
    const block = this.#emptyThinking((lead + text).slice(0, header), rest);
    const { content, reasoning } = this.#message;
    const close = reasoning === null ? content.text.indexOf('</think>') : -1;
    if (close >= 0) this.#list.glue(block, 'think_frame', this.#turn, spanAt(content, close));
    else this.#list.glue(block, 'empty_think', this.#turn);
    return rest.slice(block.length);
  }

  /**
   * How much of what opens a turn is context: the end of the results before it or, of the first message, the front of the
   * conversation, such as a system prompt of the template.
   */
  #frontLength(opening: string): number {
    // inside a generation block the template itself says that the model writes it
    const closing = this.#options.tagged ? 0 : this.#closingLength(opening);
    if (closing > 0) return closing;
    const ends = this.#knownHeaders.filter((header) => header !== '' && opening.endsWith(header));
    if (this.#before !== null || ends.length === 0) return 0;
    return opening.length - Math.max(...ends.map((header) => header.length));
  }

  /** How much of what opens a turn ends the results before it. */
  #closingLength(opening: string): number {
    const closing = this.#options.closings.get(this.#before) ?? '';
    return opening.startsWith(closing) ? closing.length : 0;
  }

  /** A think block without words at the start of `rest`, or the rest of one that the header opens. */
  #emptyThinking(header: string, rest: string): string {
    const opened = OPENS_THINKING.exec(header)?.[0] ?? '';
    const block = EMPTY_THINKING.exec(opened + rest)?.[0] ?? '';
    return block.slice(opened.length);
  }

  /** How much of what opens a turn is provided by the generation prompt. */
  #headerLength(text: string, wordsFollow: boolean): number {
    const { specials } = this.#options;
    const known = this.#knownHeaders;
    const fitting = known.filter((header) => text.startsWith(header));
    if (fitting.length > 0) {
      const length = Math.max(...fitting.map((header) => header.length));
      // behind a result the prompt may open no turn, and the template open one when the model has spoken
      const other = length === 0 && !this.#followsModel ? this.#otherHeader(text) : false;
      return other ? this.#refuseOpening() : length;
    }
    // What a template prints before all messages may stand in front of the first one's header.
    const inside =
      this.#before === null ? known.find((header) => header !== '' && text.includes(header)) : undefined;
    if (inside !== undefined) return text.indexOf(inside) + inside.length;
    const shared = Math.max(0, ...known.map((header) => commonPart(text, header)));
    // Not inside a token, even one that the tokenizer does not call special.
    const safe = tagEnd(text.slice(0, shared));
    // a line end between two turns of the model may begin a header as well, but opens nothing
    if (safe > 0 && !(this.#followsModel && text.slice(0, safe).trim() === '')) return safe;
    if (known.length > 0) {
      if (!this.#followsModel) this.#refuseOpening();
      this.#continues = true;
      return 0;
    }
    if (this.#options.tagged && this.#followsModel) return 0;
    const think = text.indexOf('<think>');
    if (think >= 0) return think;
    return wordsFollow ? text.length : (specials.last(text)?.offset ?? text.length);
  }

  /** Whether a text begins with what opens the model's turns elsewhere. */
  #otherHeader(text: string): boolean {
    for (const headers of this.#options.headers.values())
      if (headers.some((header) => header !== '' && text.startsWith(header))) return true;
    return false;
  }

  /** What a template prints before its generation block must be what its prompt prints. */
  #checkLead(lead: string, header: number): void {
    if (header < lead.length && !this.#followsModel) this.#refuseOpening();
  }

  #refuseOpening(): never {
    throw new RejectError(
      'template_error',
      `the template opens turn ${this.#turn} otherwise than its generation prompt does`,
    );
  }

  /** Glue that opens words. */
  #frame(text: string, words: RawWords, reasoning: boolean): void {
    const part: FramePart = isCallPart(words.source) ? 'call_frame' : reasoning ? 'think_frame' : 'text';
    this.#list.glue(text, part, this.#turn, this.#spanOf(words, 'start'));
  }

  #between(text: string, before: RawWords, after: RawWords, reasoningNext: boolean): void {
    if (isCallPart(before.source) && isCallPart(after.source)) {
      const own = before.source.span === after.source.span ? 0 : this.#callEnd(text);
      this.#list.glue(text.slice(0, own), 'call_frame', this.#turn, before.source.span);
      this.#list.glue(text.slice(own), 'call_frame', this.#turn, after.source.span);
      return;
    }
    if (isCallPart(before.source)) {
      // what closes a call goes with it, also where plain text follows
      this.#list.glue(text, 'call_frame', this.#turn, before.source.span);
      return;
    }
    const closes = before.source.kind === 'reasoning' || CLOSES_THINKING.test(text);
    const frame = closes ? this.#closingTag(text) : '';
    this.#list.glue(frame, 'think_frame', this.#turn, this.#spanOf(before, 'end'));
    const rest = text.slice(frame.length);
    if (before.source.kind === 'content' && after.source.kind === 'content' && !closes && !reasoningNext) {
      // The template put something into the model's own text.
      this.#list.glue(rest, 'context', this.#turn, this.#spanOf(before, 'end'));
    } else this.#frame(rest, after, reasoningNext);
  }

  /** Where the frame of a call ends between two: behind what ends each, and what the template escapes at its end. */
  #callEnd(text: string): number {
    const { callEnd } = this.#options;
    const escapes = ESCAPES.exec(text)?.[0].length ?? 0;
    const at = callEnd === '' ? -1 : text.indexOf(callEnd, escapes);
    return at < 0 ? escapes : at + callEnd.length;
  }

  /** The tag or special token that ends the reasoning, with the blanks around it. */
  #closingTag(text: string): string {
    const close = text.indexOf('</think>');
    if (close >= 0) {
      const end = close + '</think>'.length;
      return text.slice(0, end + (LEADING_SPACE.exec(text.slice(end))?.[0].length ?? 0));
    }
    return FIRST_TAG.exec(text)?.[0] ?? '';
  }

  /** What follows the last words: the rest of their frame, the stop token, and the separator. */
  #closing(text: string, before: RawWords | null): boolean {
    const stop = this.#stopIn(text);
    const end = stop?.offset ?? text.length;
    let part: SegmentPart = 'header';
    if (before !== null) {
      const thought = before.source.kind === 'reasoning' || CLOSES_THINKING.test(text.slice(0, end));
      part = isCallPart(before.source) ? 'call_frame' : thought ? 'think_frame' : 'text';
    }
    this.#list.glue(text.slice(0, end), part, this.#turn, before === null ? -1 : this.#spanOf(before, 'end'));
    if (stop === null) return false;
    this.#list.glue(stop.special, 'stop', this.#turn);
    const behind = text.slice(end + stop.special.length);
    const blanks = LEADING_SPACE.exec(behind)?.[0] ?? '';
    this.#list.glue(blanks, 'separator', this.#turn);
    this.#list.glue(behind.slice(blanks.length), 'context', this.#turn);
    return true;
  }

  /** The last special token. Behind calls whose results follow in their turn, only what opens the results is a stop. */
  #stopIn(text: string): { readonly offset: number; readonly special: string } | null {
    const { specials, resultsToken } = this.#options;
    const last = specials.last(text);
    const waits = resultsToken !== null && this.#message.calls.length > 0;
    return waits && last?.special !== resultsToken ? null : last;
  }

  /** The span at the end, or at the start, of words. */
  #spanOf({ source, offset, text }: RawWords, edge: 'start' | 'end'): number {
    const field = fieldOf(this.#message, source);
    if (field === null || offset === null) return source.span;
    return spanAt(field, edge === 'end' ? offset + text.length - 1 : offset);
  }
}

/** Behind another turn of the model, prompts that stand elsewhere may open one too: those that open it by name. */
function knownHeaders(headers: LabelOptions['headers'], before: Before): readonly string[] {
  const own = headers.get(before) ?? headers.get('user') ?? [];
  if (before !== 'assistant' && before !== 'calls') return own;
  return [...new Set([...own, ...[...headers.values()].flat().filter((header) => header !== '')])];
}

/** How many characters two texts have in common at their start. */
export function commonPart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** The longest end of `text` with which the header begins. */
function overlap(text: string, header: string): number {
  let length = Math.min(text.length, header.length);
  while (length > 0 && !text.endsWith(header.slice(0, length))) length--;
  return length;
}

/** Where the last tag or line of a text ends, 0 where it holds none: not inside a token. */
function tagEnd(text: string): number {
  return Math.max(text.lastIndexOf('\n'), text.lastIndexOf('>')) + 1;
}
