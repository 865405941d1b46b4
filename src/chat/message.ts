import { RejectError } from '../logs/reject.js';
import type { Span, SpanKind, ToolCall } from '../trajectory/span.js';
import type { Role, Turn } from '../trajectory/turn.js';
import { readJson, toPythonJson } from './python-json.js';

/** Where the text of a span lies in a field of a message, in UTF-16 units. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly span: number;
  readonly kind: SpanKind;
}

/** A text field of a message and the spans that it is made of. */
export interface Field {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** A structured call. `arguments` is what a template writes for it. */
export interface ChatCall {
  readonly span: number;
  readonly id: string | null;
  readonly name: string;
  readonly arguments: string;
  /** the log held an object: a template sees an object, not a string */
  readonly is_object: boolean;
}

/** A turn as chat templates know it: OpenAI's fields, each with the spans behind it. */
export interface ChatMessage {
  readonly turn: number;
  readonly role: Role;
  readonly name: string | null;
  readonly tool_call_id: string | null;
  readonly content: Field;
  /** reasoning that the log keeps beside the content; null where the message has no such field */
  readonly reasoning: Field | null;
  readonly calls: readonly ChatCall[];
}

/** Joins several reasoning fields of one turn; the newline is glue, no span's text. */
const REASONING_JOINT = '\n';

/**
 * The turn as a message: content = inline spans joined, reasoning = reasoning spans beside it, calls =
 * spans beside it with a parsed call. Throws RejectError('template_error') for a span that has no place.
 */
export function toChatMessage(turn: Turn, index: number): ChatMessage {
  let content: GrowingField | null = null;
  let reasoning: GrowingField | null = null;
  const calls: ChatCall[] = [];
  for (let k = 0; k < turn.spans.length; k++) {
    const span = turn.spans[k] as Span;
    if (span.inline) content = grown(content, span, k, '');
    else if (span.kind === 'reasoning') reasoning = grown(reasoning, span, k, REASONING_JOINT);
    else if (span.call !== null && turn.role === 'assistant') {
      calls.push({
        span: k,
        id: span.call.id,
        name: span.call.name,
        arguments: callArguments(span.call),
        is_object: span.call.arguments_were_object,
      });
    } else {
      throw new RejectError(
        'template_error',
        `turn ${index}: a ${span.kind} span beside the content has no place in a chat message`,
      );
    }
  }
  return {
    turn: index,
    role: turn.role,
    name: turn.name,
    tool_call_id: turn.tool_call_id,
    content: content ?? { text: '', pieces: [] },
    reasoning,
    calls,
  };
}

/** The messages of the chosen turns. Throws RejectError('template_error') where there is none. */
export function toChatMessages(turns: readonly Turn[], indices: readonly number[]): ChatMessage[] {
  if (indices.length === 0) throw new RejectError('template_error', 'no messages to render');
  return indices.map((index) => {
    const turn = turns[index];
    if (turn === undefined) throw new RejectError('template_error', `no turn ${index} in the trajectory`);
    return toChatMessage(turn, index);
  });
}

/** The arguments as a template writes them: strings verbatim, objects as Python's JSON. */
function callArguments(call: ToolCall): string {
  if (!call.arguments_were_object) return call.arguments;
  try {
    return toPythonJson(readJson(call.arguments));
  } catch (error) {
    throw new RejectError('template_error', `arguments of ${call.name}: ${(error as Error).message}`);
  }
}

interface GrowingField {
  text: string;
  readonly pieces: Piece[];
}

/** Puts one more span at the end of a field, behind `joint` if it is not the first. */
function grown(field: GrowingField | null, { text, kind }: Span, span: number, joint: string): GrowingField {
  // almost every field has one span
  if (field === null) return { text, pieces: [{ start: 0, end: text.length, span, kind }] };
  const start = field.text.length + joint.length;
  field.text += joint + text;
  field.pieces.push({ start, end: start + text.length, span, kind });
  return field;
}
