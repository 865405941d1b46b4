import { TrajmillError } from '../errors.js';
import { RejectError } from '../logs/reject.js';
import { unsupportedConstructs } from './jinja/check.js';
import { type Chunk, runTemplate } from './jinja/evaluate.js';
import { templateGlobals } from './jinja/globals.js';
import { isGenerationBlock, type Node, parseTemplate, walk } from './jinja/nodes.js';
import { Text, type TextSource } from './jinja/text.js';
import { Dict, fromJson, TemplateFault, type Value } from './jinja/value.js';
import type { ChatCall, ChatMessage } from './message.js';
import { isJsonObject, type JsonValue, readJson } from './python-json.js';
import type { RawPiece } from './raw-piece.js';
import type { TemplateSource } from './template-source.js';
import { readTools } from './tools.js';

/** How a template takes the arguments of calls: as a JSON string, as an object, or either with the same text. */
export type ArgumentsForm = 'either' | 'string' | 'object';

/** Fields in which templates look for the reasoning of a message, in the order in which one is chosen. */
const REASONING_FIELDS = ['reasoning_content', 'thinking', 'reasoning'] as const;

export interface TemplateInput {
  readonly messages: readonly ChatMessage[];
  /** JSON list of tool definitions, or null */
  readonly tools: string | null;
  /** also print what lets the model begin */
  readonly generation: boolean;
  readonly form: ArgumentsForm;
}

/** A template that can be run on messages, in Hugging Face's settings. */
export class TemplateProgram {
  readonly source: TemplateSource;
  /** it marks what the model writes with generation blocks */
  readonly tagged: boolean;
  /** the field in which it looks for the reasoning of a message */
  readonly reasoningField: string;
  /** it speaks of such a field at all */
  readonly namesReasoning: boolean;
  readonly #program: Node;
  readonly #date: Date | null;

  /** Throws TrajmillError E_TEMPLATE for a template outside the supported set. */
  constructor(source: TemplateSource, date: Date | null) {
    this.source = source;
    this.#date = date;
    this.#program = parseSupported(source);
    const names = namesOf(this.#program);
    const named = REASONING_FIELDS.find((field) => names.has(field));
    this.reasoningField = named ?? REASONING_FIELDS[0];
    this.namesReasoning = named !== undefined;
    let tagged = false;
    walk(this.#program, (node) => {
      tagged ||= isGenerationBlock(node);
    });
    this.tagged = tagged;
  }

  /** What the template prints, in order. Throws RejectError('template_error') where it refuses the messages. */
  run({ messages, tools, generation, form }: TemplateInput): RawPiece[] {
    const definitions = readTools(tools);
    const variables = new Map<string, Value>([
      ...templateGlobals(this.#date),
      ...Object.entries(this.source.tokens).map(([name, token]) => [name, new Text(token)] as const),
      ['messages', messages.map((message) => this.#message(message, form))],
      ['tools', tools === null ? null : fromJson(definitions, OTHER)],
      ['documents', null],
      ['add_generation_prompt', generation],
    ]);
    try {
      return runTemplate(this.#program, variables).flatMap(piecesOf);
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      throw new RejectError('template_error', error.message);
    }
  }

  #message(message: ChatMessage, form: ArgumentsForm): Dict {
    const { turn, role, content, reasoning, calls, name, tool_call_id } = message;
    const other: TextSource = { turn, kind: 'other', span: -1 };
    const dict = new Dict([
      ['role', new Text(role)],
      ['content', Text.of(content.text, { turn, kind: 'content', span: -1 })],
    ]);
    dict.turn = turn;
    if (reasoning !== null) {
      dict.set(this.reasoningField, Text.of(reasoning.text, { turn, kind: 'reasoning', span: -1 }));
    }
    if (calls.length > 0) {
      dict.set(
        'tool_calls',
        calls.map((call) => callValue(call, { turn, form })),
      );
    }
    if (name !== null) dict.set('name', Text.of(name, other));
    if (tool_call_id !== null) dict.set('tool_call_id', Text.of(tool_call_id, other));
    return dict;
  }
}

function callValue(call: ChatCall, { turn, form }: { turn: number; form: ArgumentsForm }): Dict {
  const args: TextSource = { turn, kind: 'call_arguments', span: call.span };
  const asObject = form === 'object' || (form === 'either' && call.is_object);
  const called = new Dict([
    ['name', Text.of(call.name, { turn, kind: 'call_name', span: call.span })],
    ['arguments', asObject ? fromJson(argumentsObject(call), args) : Text.of(call.arguments, args)],
  ]);
  const entry = new Dict([
    ['type', new Text('function')],
    ['function', called],
  ]);
  if (call.id !== null) entry.set('id', Text.of(call.id, { turn, kind: 'other', span: -1 }));
  return entry;
}

function argumentsObject({ name, arguments: text, is_object }: ChatCall): JsonValue {
  let value: JsonValue;
  try {
    value = readJson(text);
  } catch (error) {
    throw new RejectError('template_error', `arguments of ${name}: ${(error as Error).message}`);
  }
  if (is_object || isJsonObject(value)) return value;
  throw new RejectError(
    'template_error',
    `the template takes the arguments of calls as an object; those of ${name} are none`,
  );
}

/** The tree of a template. Throws TrajmillError E_TEMPLATE for one that is broken or outside the supported set. */
export function parseSupported(source: Pick<TemplateSource, 'name' | 'text'>): Node {
  let program: Node;
  try {
    program = parseTemplate(source.text);
  } catch (cause) {
    // the parser walks on behind the last token
    const why = cause instanceof TypeError ? 'it ends within a block' : (cause as Error).message;
    throw new TrajmillError('E_TEMPLATE', `cannot be parsed: ${why}`, { place: source.name, cause });
  }
  const unsupported = unsupportedConstructs(program);
  if (unsupported.length > 0) {
    throw new TrajmillError('E_TEMPLATE', `uses what is not supported: ${unsupported.join(', ')}`, {
      place: source.name,
    });
  }
  return program;
}

/** Names of variables and members, and literals, which may be keys. */
function namesOf(program: Node): Set<string> {
  const names = new Set<string>();
  walk(program, (node) => {
    if (node.type === 'Identifier' || node.type === 'StringLiteral') names.add(node.value);
  });
  return names;
}

const OTHER: TextSource = { turn: -1, kind: 'other', span: -1 };

function piecesOf({ text, turn, generated }: Chunk): RawPiece[] {
  const pieces: RawPiece[] = [];
  let at = 0;
  const glueTo = (end: number): void => {
    if (at < end) pieces.push({ glue: true, text: text.text.slice(at, end), turn, generated });
  };
  for (const { start, end, source, offset } of text.traces) {
    glueTo(start);
    // Data of no message, such as a tool's definition, keeps the place in which it was printed.
    const placed = source.turn < 0 ? { ...source, turn } : source;
    pieces.push({ glue: false, text: text.text.slice(start, end), source: placed, offset, turn, generated });
    at = end;
  }
  glueTo(text.text.length);
  return pieces;
}
