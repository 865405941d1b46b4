import { TrajmillError } from '../errors.js';
import { RejectError } from '../logs/reject.js';
import { unsupportedConstructs } from './jinja/check.js';
import { type Chunk, runTemplate } from './jinja/evaluate.js';
import { templateGlobals } from './jinja/globals.js';
import { type Node, parseTemplate } from './jinja/nodes.js';
import { Text, type TextSource } from './jinja/text.js';
import { Dict, fromJson, TemplateFault, type Value } from './jinja/value.js';
import { labelParts, type RawPiece } from './label-parts.js';
import type { ChatMessage, Field } from './message.js';
import { toChatMessages } from './message.js';
import { readJson } from './python-json.js';
import type { ChatRenderer, RenderInput } from './renderer.js';
import type { Rendering } from './segment.js';
import { SpecialFinder } from './special-tokens.js';
import type { TemplateSource } from './template-source.js';
import { readTools } from './tools.js';

/** Tokens of a bare template, which names no tokenizer. */
const SPECIAL_LOOK = /<\|[^|<>\s]+\|>|<｜[^｜<>]+｜>|<(?:start|end)_of_turn>|<\/?s>|<(?:bos|eos|pad)>/gu;

/**
 * Runs any chat template as Python's Jinja2 does, and knows of every character it prints whether the template wrote
 * it or which span of which turn it is. Throws TrajmillError E_TEMPLATE for a template outside the supported set.
 */
export class JinjaRenderer implements ChatRenderer {
  readonly name: string;
  readonly sha256: string;
  readonly #program: Node;
  readonly #source: TemplateSource;
  readonly #specials: SpecialFinder;
  readonly #header: string;
  readonly #date: Date | null;

  constructor(source: TemplateSource, { date = null }: { date?: Date | null } = {}) {
    this.name = source.name;
    this.sha256 = source.sha256;
    this.#source = source;
    this.#date = date;
    this.#program = parseSupported(source);
    const specials = source.specials.length > 0 ? source.specials : (source.text.match(SPECIAL_LOOK) ?? []);
    this.#specials = new SpecialFinder(new Set(specials));
    this.#header = this.#generationPrompt();
  }

  render({ turns, indices, tools }: RenderInput): Rendering {
    const messages = toChatMessages(turns, indices);
    const pieces = this.#run(messages, tools, false).flatMap(piecesOf);
    const byTurn = new Map(messages.map((message) => [message.turn, message]));
    const { segments } = labelParts(pieces, {
      messages: byTurn,
      header: this.#header,
      specials: this.#specials,
    });
    return { segments, stripped_reasoning: strippedTurns(messages, pieces) };
  }

  /** A template has no common way to be told; only those known by name can keep earlier reasoning. */
  renderPreserving(): null {
    return null;
  }

  /**
   * Found from the end: reasoning that a rendering leaves out but a shorter one shows was taken away at the first
   * user message behind it whose rendering lacks it. Costs a few renderings for each break.
   */
  breaks({ turns, indices, tools }: RenderInput): number[] {
    const stripped = (count: number): Set<number> =>
      new Set(this.render({ turns, indices: indices.slice(0, count), tools }).stripped_reasoning);
    const positions: number[] = [];
    let end = indices.length;
    while (end > 0) {
      const lost = stripped(end);
      const at = this.#breakBefore({ turns, indices, end, lost }, stripped);
      if (at === null) break;
      positions.unshift(at);
      end = at;
    }
    return positions;
  }

  #breakBefore(
    {
      turns,
      indices,
      end,
      lost,
    }: Pick<RenderInput, 'turns' | 'indices'> & { end: number; lost: Set<number> },
    stripped: (count: number) => Set<number>,
  ): number | null {
    for (let last = end - 1; last >= 0; last--) {
      const turn = indices[last] ?? -1;
      if (!lost.has(turn)) continue;
      for (let at = last + 1; at < end; at++) {
        if (turns[indices[at] ?? -1]?.role !== 'user') continue;
        if (stripped(at).has(turn)) break;
        if (stripped(at + 1).has(turn)) return at;
      }
    }
    return null;
  }

  #run(messages: readonly ChatMessage[], tools: string | null, generation: boolean): Chunk[] {
    const definitions = readTools(tools);
    const variables = new Map<string, Value>([
      ...templateGlobals(this.#date),
      ...Object.entries(this.#source.tokens).map(([name, token]) => [name, new Text(token)] as const),
      ['messages', messages.map(messageValue)],
      ['tools', tools === null ? null : fromJson(definitions, OTHER)],
      ['documents', null],
      ['add_generation_prompt', generation],
    ]);
    try {
      return runTemplate(this.#program, variables);
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      throw new RejectError('template_error', error.message);
    }
  }

  /** What the template prints to let the model begin. */
  #generationPrompt(): string {
    const probe: ChatMessage = {
      turn: 0,
      role: 'user',
      name: null,
      tool_call_id: null,
      content: { text: 'x', pieces: [] },
      reasoning: null,
      calls: [],
    };
    try {
      const [without, within] = [false, true].map((generation) =>
        this.#run([probe], null, generation)
          .map((chunk) => chunk.text.text)
          .join(''),
      );
      return within?.startsWith(without ?? '') === true ? within.slice(without?.length) : '';
    } catch (error) {
      if (error instanceof RejectError) return '';
      throw error;
    }
  }
}

function parseSupported(source: TemplateSource): Node {
  let program: Node;
  try {
    program = parseTemplate(source.text);
  } catch (cause) {
    throw new TrajmillError('E_TEMPLATE', `cannot be parsed: ${(cause as Error).message}`, {
      place: source.name,
      cause,
    });
  }
  const unsupported = unsupportedConstructs(program);
  if (unsupported.length > 0) {
    throw new TrajmillError('E_TEMPLATE', `uses what is not supported: ${unsupported.join(', ')}`, {
      place: source.name,
    });
  }
  return program;
}

const OTHER: TextSource = { turn: -1, kind: 'other', span: -1 };

function messageValue(message: ChatMessage): Dict {
  const { turn, role, content, reasoning, calls, name, tool_call_id } = message;
  const other: TextSource = { turn, kind: 'other', span: -1 };
  const dict = new Dict([
    ['role', new Text(role)],
    ['content', Text.of(content.text, { turn, kind: 'content', span: -1 })],
  ]);
  dict.turn = turn;
  if (reasoning !== null) {
    dict.set('reasoning_content', Text.of(reasoning.text, { turn, kind: 'reasoning', span: -1 }));
  }
  if (calls.length > 0) {
    dict.set(
      'tool_calls',
      calls.map((call) => {
        const args: TextSource = { turn, kind: 'call_arguments', span: call.span };
        const called = new Dict([
          ['name', Text.of(call.name, { turn, kind: 'call_name', span: call.span })],
          [
            'arguments',
            call.is_object ? fromJson(readJson(call.arguments), args) : Text.of(call.arguments, args),
          ],
        ]);
        const entry = new Dict([
          ['type', new Text('function')],
          ['function', called],
        ]);
        if (call.id !== null) entry.set('id', Text.of(call.id, other));
        return entry;
      }),
    );
  }
  if (name !== null) dict.set('name', Text.of(name, other));
  if (tool_call_id !== null) dict.set('tool_call_id', Text.of(tool_call_id, other));
  return dict;
}

function piecesOf({ text, turn }: Chunk): RawPiece[] {
  const pieces: RawPiece[] = [];
  let at = 0;
  const glueTo = (end: number): void => {
    if (at < end) pieces.push({ glue: true, text: text.text.slice(at, end), turn });
  };
  for (const { start, end, source, offset } of text.traces) {
    glueTo(start);
    // Data of no message, such as a tool's definition, keeps the place in which it was printed.
    const placed = source.turn < 0 ? { ...source, turn } : source;
    pieces.push({ glue: false, text: text.text.slice(start, end), source: placed, offset });
    at = end;
  }
  glueTo(text.text.length);
  return pieces;
}

const LEFT_OUT = /^(?:\s|<think>|<\/think>)*$/;

/** Assistant turns of which recorded reasoning or text was not printed. */
function strippedTurns(messages: readonly ChatMessage[], pieces: readonly RawPiece[]): number[] {
  const printed = new Map<number, (RawPiece & { glue: false })[]>();
  for (const piece of pieces) {
    if (piece.glue) continue;
    const list = printed.get(piece.source.turn) ?? [];
    list.push(piece);
    printed.set(piece.source.turn, list);
  }
  return messages.flatMap(({ turn, role, content, reasoning }) => {
    if (role !== 'assistant') return [];
    const own = printed.get(turn) ?? [];
    const of = (kind: TextSource['kind']) => own.filter((piece) => piece.source.kind === kind);
    const whole =
      covers(content, of('content')) && (reasoning === null || covers(reasoning, of('reasoning')));
    return whole ? [] : [turn];
  });
}

/** Whether nothing but blanks and think tags of a field is missing from what was printed of it. */
function covers({ text }: Field, printed: readonly (RawPiece & { glue: false })[]): boolean {
  let at = 0;
  for (const piece of printed) {
    if (piece.offset === null) return true;
    if (piece.offset > at && !LEFT_OUT.test(text.slice(at, piece.offset))) return false;
    at = Math.max(at, piece.offset + piece.text.length);
  }
  return LEFT_OUT.test(text.slice(at));
}
