import { RejectError } from '../logs/reject.js';
import type { ChatMessage } from './message.js';
import {
  addWords,
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

type FramePart = 'think_frame' | 'call_frame' | 'text';

interface AssistantContext {
  readonly message: ChatMessage;
  readonly options: LabelOptions;
  /** role of the turn before this one, null for the first */
  readonly role: string | null;
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
  readonly #role: string | null;

  constructor(list: SegmentList, { message, options, role }: AssistantContext) {
    this.#list = list;
    this.#message = message;
    this.#options = options;
    this.#role = role;
  }

  /** Returns whether the run holds a stop token. */
  label(run: readonly RawPiece[]): boolean {
    return this.#options.tagged ? this.#labelTagged(run) : this.#labelSampled(run, '');
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
      this.#outside(piece, 'header');
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
    let stopped = false;
    for (let i = 0; i < run.length; i++) {
      const piece = run[i];
      if (piece === undefined) continue;
      if (this.#options.tagged && !piece.generated) {
        this.#outside(piece, 'context');
        continue;
      }
      if (!piece.glue) {
        addWords(this.#list, piece, this.#message, this.#isReasoning(run, i) ? 'reasoning' : null);
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

  /** Takes the header, and a think block without words, from the front; returns the rest. */
  #opening(
    text: string,
    { lead, after, reasoningNext }: { lead: string; after: RawWords | null; reasoningNext: boolean },
  ): string {
    const header = this.#headerLength(lead + text, after !== null && !reasoningNext);
    this.#checkLead(lead, header);
    const forced = Math.max(header - lead.length, 0);
    // Inside a generation block, what the prompt provides is a forced opening of the thinking.
    this.#list.glue(text.slice(0, forced), this.#options.tagged ? 'empty_think' : 'header', this.#turn);
    const rest = text.slice(forced);
    const block = this.#emptyThinking((lead + text).slice(0, header), rest);
    const { content, reasoning } = this.#message;
    const close = reasoning === null ? content.text.indexOf('</think>') : -1;
    if (close >= 0) this.#list.glue(block, 'think_frame', this.#turn, spanAt(content, close));
    else this.#list.glue(block, 'empty_think', this.#turn);
    return rest.slice(block.length);
  }

  /** A think block without words at the start of `rest`, or the rest of one that the header opens. */
  #emptyThinking(header: string, rest: string): string {
    const opened = OPENS_THINKING.exec(header)?.[0] ?? '';
    const block = EMPTY_THINKING.exec(opened + rest)?.[0] ?? '';
    return block.slice(opened.length);
  }

  /** How much of what opens a turn is provided by the generation prompt. */
  #headerLength(text: string, wordsFollow: boolean): number {
    const { headers, tagged, specials } = this.#options;
    const known = headers.get(this.#role) ?? headers.get('user') ?? [];
    if (tagged && this.#role === 'assistant') return 0;
    const fitting = known.filter((header) => text.startsWith(header));
    if (fitting.length > 0) return Math.max(...fitting.map((header) => header.length));
    // What a template prints before all messages may stand in front of the first one's header.
    const inside =
      this.#role === null ? known.find((header) => header !== '' && text.includes(header)) : undefined;
    if (inside !== undefined) return text.indexOf(inside) + inside.length;
    const shared = Math.max(0, ...known.map((header) => commonPart(text, header)));
    // Not inside a token, even one that the tokenizer does not call special.
    const safe = Math.max(text.lastIndexOf('\n', shared - 1), text.lastIndexOf('>', shared - 1)) + 1;
    if (shared > 0 && safe > 0) return safe;
    if (known.length > 0 && this.#role !== 'assistant') this.#refuseOpening();
    const think = text.indexOf('<think>');
    if (think >= 0) return think;
    return wordsFollow ? text.length : (specials.last(text)?.offset ?? text.length);
  }

  /** What a template prints before its generation block must be what its prompt prints. */
  #checkLead(lead: string, header: number): void {
    if (header < lead.length && this.#role !== 'assistant') this.#refuseOpening();
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
      this.#list.glue(text, 'call_frame', this.#turn, after.source.span);
      return;
    }
    const closes = before.source.kind === 'reasoning' || CLOSES_THINKING.test(text);
    const frame = closes && !isCallPart(before.source) ? this.#closingTag(text) : '';
    this.#list.glue(frame, 'think_frame', this.#turn, this.#spanOf(before, 'end'));
    const rest = text.slice(frame.length);
    if (before.source.kind === 'content' && after.source.kind === 'content' && !closes && !reasoningNext) {
      // The template put something into the model's own text.
      this.#list.glue(rest, 'context', this.#turn, this.#spanOf(before, 'end'));
    } else this.#frame(rest, after, reasoningNext);
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
    const stop = this.#options.specials.last(text);
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

  /** The span at the end, or at the start, of words. */
  #spanOf({ source, offset, text }: RawWords, edge: 'start' | 'end'): number {
    const field = fieldOf(this.#message, source);
    if (field === null || offset === null) return source.span;
    return spanAt(field, edge === 'end' ? offset + text.length - 1 : offset);
  }
}

function commonPart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
