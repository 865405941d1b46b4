import type { TextSource } from './jinja/text.js';
import type { ChatMessage, Field } from './message.js';
import type { SegmentPart } from './segment.js';
import { SegmentList, spanAt } from './segment-list.js';
import type { SpecialFinder } from './special-tokens.js';

/** A piece of a rendering before it is labelled. */
export type RawPiece =
  | { readonly glue: true; readonly text: string; readonly turn: number }
  | {
      readonly glue: false;
      readonly text: string;
      readonly source: TextSource;
      readonly offset: number | null;
    };

export interface LabelOptions {
  readonly messages: ReadonlyMap<number, ChatMessage>;
  /** what the template prints to open a turn of the model */
  readonly header: string;
  readonly specials: SpecialFinder;
}

/** Names the parts of a rendering: of assistant turns by what stands between which words, the rest is context. */
export function labelParts(pieces: readonly RawPiece[], options: LabelOptions): SegmentList {
  const list = new SegmentList();
  const merged = mergeGlue(pieces);
  for (let start = 0; start < merged.length; ) {
    const turn = turnOf(merged[start]);
    let end = start + 1;
    while (end < merged.length && turnOf(merged[end]) === turn) end++;
    const message = options.messages.get(turn);
    const run = merged.slice(start, end);
    if (message?.role === 'assistant') new AssistantLabels(list, message, options).label(run);
    else for (const piece of run) addContext(list, piece, message);
    start = end;
  }
  return list;
}

function turnOf(piece: RawPiece | undefined): number {
  if (piece === undefined) return -1;
  return piece.glue ? piece.turn : piece.source.turn;
}

function mergeGlue(pieces: readonly RawPiece[]): RawPiece[] {
  const merged: RawPiece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (piece.glue && last?.glue === true && last.turn === piece.turn) {
      merged[merged.length - 1] = { ...last, text: last.text + piece.text };
    } else {
      merged.push(piece);
    }
  }
  return merged;
}

function addContext(list: SegmentList, piece: RawPiece, message: ChatMessage | undefined): void {
  if (piece.glue) list.glue(piece.text, 'context', piece.turn);
  else if (message === undefined) list.words(piece.text, 'context', piece.source.turn, -1);
  else addWords(list, piece, message, 'context');
}

function addWords(
  list: SegmentList,
  { text, source, offset }: RawPiece & { glue: false },
  message: ChatMessage,
  part: SegmentPart | null,
): void {
  const { turn } = message;
  const field = fieldOf(message, source);
  if (field === null) {
    list.words(text, part ?? (source.kind === 'other' ? 'context' : 'tool_call'), turn, source.span);
  } else if (offset === null) {
    const only = field.pieces.length === 1 ? field.pieces[0] : undefined;
    list.words(text, part ?? 'text', turn, only?.span ?? -1);
  } else {
    const end = offset + text.length;
    list.range({
      turn,
      field,
      start: offset,
      end,
      part,
      between: part === 'context' ? 'context' : 'think_frame',
    });
  }
}

function fieldOf(message: ChatMessage, { kind }: TextSource): Field | null {
  if (kind === 'content') return message.content;
  return kind === 'reasoning' ? message.reasoning : null;
}

const OPENS_THINKING = /<think>\s*$/;
const CLOSES_THINKING = /<\/think>/;
const EMPTY_THINKING = /^\s*<think>\s*<\/think>\s*/;
const FIRST_TAG = /^\s*<[^<>]*>\s*/;

type Words = RawPiece & { glue: false };

/** One turn of the model. */
class AssistantLabels {
  constructor(
    private readonly list: SegmentList,
    private readonly message: ChatMessage,
    private readonly options: LabelOptions,
  ) {}

  label(run: readonly RawPiece[]): void {
    let before: Words | null = null;
    run.forEach((piece, i) => {
      if (!piece.glue) {
        addWords(this.list, piece, this.message, this.isReasoning(run, i) ? 'reasoning' : null);
        before = piece;
        return;
      }
      const after = run.slice(i + 1).find((other): other is Words => !other.glue) ?? null;
      let text = piece.text;
      if (before === null) text = this.opening(text, after === null ? null : this.isReasoning(run, i + 1));
      if (after === null) this.closing(text, before);
      else if (before !== null || isCall(after))
        this.between(text, before, after, this.isReasoning(run, i + 1));
      else if (text !== '')
        this.list.glue(
          text,
          this.isReasoning(run, i + 1) ? 'think_frame' : 'header',
          this.turn,
          this.spanOf(after, false),
        );
    });
  }

  private get turn(): number {
    return this.message.turn;
  }

  /** Words of the reasoning field, or content that the template put between think tags. */
  private isReasoning(run: readonly RawPiece[], i: number): boolean {
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
  private opening(text: string, reasoning: boolean | null): string {
    const { header } = this.options;
    let length = header.length;
    if (header === '' || !text.startsWith(header)) {
      const think = text.indexOf('<think>');
      const special = reasoning === null ? this.lastSpecial(text)?.offset : undefined;
      length = think >= 0 ? think : (special ?? text.length);
    }
    this.list.glue(text.slice(0, length), 'header', this.turn);
    const rest = text.slice(length);
    const block = EMPTY_THINKING.exec(rest)?.[0] ?? '';
    const { content, reasoning: field } = this.message;
    const close = field === null ? content.text.indexOf('</think>') : -1;
    if (close >= 0) this.list.glue(block, 'think_frame', this.turn, spanAt(content, close));
    else this.list.glue(block, 'empty_think', this.turn);
    return rest.slice(block.length);
  }

  private between(text: string, before: Words | null, after: Words, reasoningNext: boolean): void {
    let rest = text;
    if (before !== null && !isCall(before)) {
      const closes = CLOSES_THINKING.test(text) || before.source.kind === 'reasoning';
      const frame = !closes ? '' : isCall(after) ? (FIRST_TAG.exec(text)?.[0] ?? '') : text;
      this.list.glue(frame, 'think_frame', this.turn, this.spanOf(before, true));
      rest = text.slice(frame.length);
    }
    const part =
      isCall(after) || (before !== null && isCall(before))
        ? 'call_frame'
        : reasoningNext
          ? 'think_frame'
          : 'context';
    this.list.glue(
      rest,
      part,
      this.turn,
      isCall(after) ? after.source.span : before === null ? -1 : this.spanOf(before, true),
    );
  }

  /** What follows the last words: the rest of their frame, the stop token, and the separator. */
  private closing(text: string, before: Words | null): void {
    const stop = this.lastSpecial(text);
    const end = stop?.offset ?? text.length;
    const part: SegmentPart =
      before === null
        ? 'header'
        : isCall(before)
          ? 'call_frame'
          : before.source.kind === 'reasoning' || CLOSES_THINKING.test(text)
            ? 'think_frame'
            : 'context';
    this.list.glue(text.slice(0, end), part, this.turn, before === null ? -1 : this.spanOf(before, true));
    if (stop === null) return;
    this.list.glue(stop.special, 'stop', this.turn);
    this.list.glue(text.slice(end + stop.special.length), 'separator', this.turn);
  }

  private lastSpecial(text: string): { offset: number; special: string } | null {
    let last: { offset: number; special: string } | null = null;
    this.options.specials.each(text, (offset, special) => {
      last = { offset, special };
    });
    return last;
  }

  /** The span at the end, or at the start, of words. */
  private spanOf({ source, offset, text }: Words, end: boolean): number {
    const field = fieldOf(this.message, source);
    if (field === null || offset === null) return source.span;
    return spanAt(field, end ? offset + text.length - 1 : offset);
  }
}

function isCall(piece: Words): boolean {
  return piece.source.kind === 'call_name' || piece.source.kind === 'call_arguments';
}
