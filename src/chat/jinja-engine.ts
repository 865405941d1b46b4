import { RejectError } from '../logs/reject.js';
import { composeStretches } from './compose.js';
import type { TextSource } from './jinja/text.js';
import { labelParts } from './label-parts.js';
import { isLeftOut } from './left-out.js';
import type { ChatMessage, Field } from './message.js';
import { toChatMessages } from './message.js';
import { isCallPart, type RawPiece, type RawWords, turnOf } from './raw-piece.js';
import type { ChatRenderer, RenderInput } from './renderer.js';
import type { Rendering } from './segment.js';
import { SpecialFinder } from './special-tokens.js';
import { TemplateProgram } from './template-run.js';
import type { TemplateSource } from './template-source.js';
import { type TemplateTraits, templateTraits } from './template-traits.js';
import { rewrittenStops, rewrittenViews, takenAway } from './view-breaks.js';

/** Tokens of a bare template, which names no tokenizer. */
const SPECIAL_LOOK =
  /<\|[^|<>\s]+\|>|<\|[^|<>\s]+>|<[^|<>\s]+\|>|<｜[^｜<>]+｜>|<(?:start|end)_of_turn>|<\/?s>|<(?:bos|eos|pad|sop)>|\[gMASK\]/gu;

/**
 * Runs any chat template as Python's Jinja2 does, and knows of every character it prints whether the template wrote
 * it or which span of which turn it is. Throws TrajmillError E_TEMPLATE for a template outside the supported set.
 */
export class JinjaRenderer implements ChatRenderer {
  readonly name: string;
  readonly sha256: string;
  readonly traits: TemplateTraits;
  readonly #program: TemplateProgram;
  readonly #specials: SpecialFinder;

  constructor(source: TemplateSource, { date = null }: { date?: Date | null } = {}) {
    this.name = source.name;
    this.sha256 = source.sha256;
    this.#program = new TemplateProgram(source, date);
    const specials = source.specials.length > 0 ? source.specials : (source.text.match(SPECIAL_LOOK) ?? []);
    this.#specials = new SpecialFinder(new Set(specials));
    this.traits = templateTraits(this.#program, this.#specials);
  }

  /** The text alone, which is what Python prints. Throws RejectError('template_error') where Python raises. */
  text({ turns, indices, tools }: RenderInput, { generation = false } = {}): string {
    const pieces = this.#run(toChatMessages(turns, indices), tools, generation);
    return pieces.map((piece) => piece.text).join('');
  }

  render(input: RenderInput): Rendering {
    return this.#render(input, { hidesReasoning: false });
  }

  #render({ turns, indices, tools }: RenderInput, { hidesReasoning }: Hiding): Rendering {
    const messages = toChatMessages(turns, indices);
    const pieces = this.#run(messages, tools, false);
    const printed = printedWords(pieces);
    refuseDropped(messages, printed);
    if (this.traits.resultsToken !== null) refuseOrphans(messages, pieces);
    const { segments, continued } = labelParts(pieces, {
      messages: new Map(messages.map((message) => [message.turn, message])),
      specials: this.#specials,
      tagged: this.#program.tagged,
      headers: this.traits.headers,
      closings: this.traits.closings,
      borrowsStop: this.traits.borrowsStop,
      resultsToken: this.traits.resultsToken,
      callEnd: this.traits.callEnd,
    });
    return { segments, stripped_reasoning: strippedTurns(messages, printed, { hidesReasoning }), continued };
  }

  /** Every turn as it was rendered before the template rewrote it. Costs one rendering for each break. */
  renderPreserving(input: RenderInput): Rendering {
    return composeStretches(this, input, this.breaks(input));
  }

  /** Costs a few renderings for each break (view-breaks.ts). */
  breaks({ turns, indices, tools }: RenderInput): number[] {
    const { stopVaries, rewriters } = this.traits;
    // what no rendering prints, no turn took away
    const hidesReasoning = this.#hidesReasoning(toChatMessages(turns, indices), tools);
    const render = (count: number): Rendering =>
      this.#render({ turns, indices: indices.slice(0, count), tools }, { hidesReasoning });
    const views = { turns, indices, render };
    const positions = new Set([
      ...(stopVaries ? rewrittenStops(views) : []),
      ...rewrittenViews(views, { rewriters }),
      ...takenAway(views, { hidesReasoning }),
    ]);
    return [...positions].sort((a, b) => a - b);
  }

  /**
   * Whether no rendering prints reasoning beside the content: the template names no field of it. One that names none may still
   * print whole messages, so that the first and the last thought of these are looked for where their turns are the last.
   */
  #hidesReasoning(messages: readonly ChatMessage[], tools: string | null): boolean {
    if (this.#program.namesReasoning) return false;
    const isThought = ({ role, reasoning }: ChatMessage): boolean =>
      role === 'assistant' && reasoning !== null;
    const first = messages.findIndex(isThought);
    if (first < 0) return false;
    const ends = new Set([first, messages.findLastIndex(isThought)]);
    return [...ends].every((end) => !this.#run(messages.slice(0, end + 1), tools, false).some(isReasoning));
  }

  #run(messages: readonly ChatMessage[], tools: string | null, generation: boolean): RawPiece[] {
    return this.#program.run({ messages, tools, generation, form: this.traits.argumentsForm });
  }
}

type Printed = ReadonlyMap<number, readonly RawWords[]>;

/** Words by the turn that they are of. */
function printedWords(pieces: readonly RawPiece[]): Printed {
  const printed = new Map<number, RawWords[]>();
  for (const piece of pieces) {
    if (piece.glue) continue;
    const list = printed.get(turnOf(piece)) ?? [];
    list.push(piece);
    printed.set(turnOf(piece), list);
  }
  return printed;
}

/** A conversation without a message, or without the calls that the model made, is not what it saw nor what it said. */
function refuseDropped(messages: readonly ChatMessage[], printed: Printed): void {
  for (const { turn, role, content, calls } of messages) {
    const words = printed.get(turn);
    if (role !== 'assistant' && content.text.trim() !== '' && !words?.some(isContent)) {
      throw new RejectError('template_error', `the template leaves out turn ${turn}, of role ${role}`);
    }
    if (calls.length === 0) continue;
    const shown = new Set(words?.flatMap(({ source }) => (isCallPart(source) ? [source.span] : [])));
    const dropped = calls.find((call) => call.name !== '' && !shown.has(call.span));
    if (dropped === undefined) continue;
    throw new RejectError(
      'template_error',
      `the template leaves out the call of ${dropped.name} in turn ${turn}`,
    );
  }
}

/**
 * Where results stand in the turn of their calls, one without calls before it is left out. That shows only in its words, and
 * an empty one has none: a turn behind it would stand where no prompt of the template puts it.
 */
function refuseOrphans(messages: readonly ChatMessage[], pieces: readonly RawPiece[]): void {
  let called = false;
  for (const { turn, role, calls } of messages) {
    if (role !== 'tool') called = calls.length > 0;
    else if (!called && !pieces.some((piece) => turnOf(piece) === turn)) {
      throw new RejectError(
        'template_error',
        `the template leaves out turn ${turn}, a result without calls before it`,
      );
    }
  }
}

function isReasoning(piece: RawPiece): boolean {
  return !piece.glue && piece.source.kind === 'reasoning';
}

function isContent({ source }: RawWords): boolean {
  return source.kind === 'content';
}

interface Hiding {
  /** reasoning beside the content is never printed: it is not looked for */
  readonly hidesReasoning: boolean;
}

/** Assistant turns of which recorded reasoning or text was not printed. */
function strippedTurns(
  messages: readonly ChatMessage[],
  printed: Printed,
  { hidesReasoning }: Hiding,
): number[] {
  return messages.flatMap(({ turn, role, content, reasoning }) => {
    if (role !== 'assistant') return [];
    const own = printed.get(turn) ?? [];
    const of = (kind: TextSource['kind']) => own.filter((piece) => piece.source.kind === kind);
    const whole =
      covers(content, of('content')) &&
      (hidesReasoning || reasoning === null || covers(reasoning, of('reasoning')));
    return whole ? [] : [turn];
  });
}

/** Whether nothing but blanks and think tags of a field is missing from what was printed of it. */
function covers({ text }: Field, printed: readonly RawWords[]): boolean {
  let at = 0;
  for (const piece of printed) {
    if (piece.offset === null) return true;
    if (piece.offset > at && !isLeftOut(text.slice(at, piece.offset))) return false;
    at = Math.max(at, piece.offset + piece.text.length);
  }
  return isLeftOut(text.slice(at));
}
