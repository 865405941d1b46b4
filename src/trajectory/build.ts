import type { Execution, Submission } from './execution.js';
import type { Origin, Span, SpanKind, ToolCall } from './span.js';
import type { Role, Turn } from './turn.js';

/** A span of message content; the common case of an adapter. */
export function contentSpan(kind: SpanKind, origin: Origin, text: string): Span {
  return { kind, origin, text, inline: true, call: null, model: null };
}

/** Reasoning that the log keeps in a field of its own. */
export function reasoningSpan(text: string): Span {
  return { kind: 'reasoning', origin: 'model', text, inline: false, call: null, model: null };
}

/** A call that the model wrote in its text, verbatim. */
export function inlineCallSpan(text: string, call: { name: string; arguments: string }): Span {
  return {
    kind: 'tool_call',
    origin: 'model',
    text,
    inline: true,
    call: { id: null, name: call.name, arguments: call.arguments, arguments_were_object: false },
    model: null,
  };
}

/**
 * A call in a structured field; a JSON string of arguments stays verbatim, an object becomes its JSON, which `toJson`
 * writes.
 */
export function structuredCallSpan(
  call: { id: string | null; name: string; arguments: unknown },
  toJson: (value: unknown) => string = JSON.stringify,
): Span {
  const verbatim = typeof call.arguments === 'string';
  const text = verbatim ? (call.arguments as string) : toJson(call.arguments ?? {});
  const parsed: ToolCall = {
    id: call.id,
    name: call.name,
    arguments: text,
    arguments_were_object: !verbatim,
  };
  return { kind: 'tool_call', origin: 'model', text, inline: false, call: parsed, model: null };
}

/** A turn with the defaults that most logs leave unsaid. */
export function makeTurn(role: Role, spans: Span[], rest: Partial<Omit<Turn, 'role' | 'spans'>> = {}): Turn {
  // field by field: a spread gives turns many shapes, which all that walks them pays for
  return {
    role,
    name: rest.name ?? null,
    tool_call_id: rest.tool_call_id ?? null,
    spans,
    truncated: rest.truncated ?? null,
    weight: rest.weight ?? 1,
    timestamp: rest.timestamp ?? null,
    policy: rest.policy ?? null,
    flags: rest.flags ?? [],
  };
}

export function makeExecution(
  required: Pick<Execution, 'execution_id' | 'order' | 'kind' | 'tool' | 'call_turn' | 'status'>,
  rest: Partial<Execution> = {},
): Execution {
  return {
    call_span: null,
    feedback_turn: null,
    exit_code: null,
    seconds: null,
    started_at: null,
    completed_at: null,
    error_type: null,
    code: null,
    parent_execution: null,
    invalidated: false,
    complete_solution: null,
    flags: [],
    ...rest,
    ...required,
  };
}

export function makeSubmission(
  required: Pick<Submission, 'execution_id' | 'order' | 'gradable' | 'score' | 'scale'>,
  rest: Partial<Submission> = {},
): Submission {
  return {
    scored_by: null,
    observed_turn: null,
    grader: null,
    stale: false,
    flags: [],
    ...rest,
    ...required,
  };
}

/** The content string of a message: its inline spans in order. */
export function turnContent(turn: Turn): string {
  let content = '';
  for (const span of turn.spans) if (span.inline) content += span.text;
  return content;
}
