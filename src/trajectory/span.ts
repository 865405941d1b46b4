import { z } from 'zod';

/**
 * What a span is. `reasoning`, `text`, `tool_call` and `malformed_call` are actions when their origin is
 * `model`; `observation` is tool or harness feedback; `prompt` is instructions, tasks and any other input.
 */
export const SPAN_KINDS = [
  'reasoning',
  'text',
  'tool_call',
  'malformed_call',
  'observation',
  'prompt',
  'image',
] as const;

/** Who wrote a span: the policy, in this run, or anything else. Only `model` spans can be trained. */
export const ORIGINS = ['model', 'environment'] as const;

export const toolCallSchema = z
  .strictObject({
    id: z.string().nullable().describe('call id of the log, null where it has none'),
    name: z.string().describe('name of the tool or action'),
    arguments: z
      .string()
      .describe(
        'arguments exactly as logged where they came as a string, else as JSON without spaces, its numbers and the ' +
          'order of its keys as logged',
      ),
    arguments_were_object: z
      .boolean()
      .describe("the log held an object, so that arguments is our JSON of it, not the model's own text"),
  })
  .describe('a parsed tool call');

export const spanSchema = z
  .strictObject({
    kind: z.enum(SPAN_KINDS),
    origin: z.enum(ORIGINS),
    text: z
      .string()
      .describe('verbatim text; of a structured tool call its arguments string, of an image a placeholder'),
    inline: z
      .boolean()
      .describe(
        'the text stands in the message content, in order; false for fields beside it (reasoning_content, tool_calls)',
      ),
    call: toolCallSchema.nullable().describe('the parsed call of a tool_call span'),
    model: z.string().nullable().describe("model that wrote it, null where it is the trajectory's model"),
  })
  .describe('a piece of a turn with one origin');

export type SpanKind = (typeof SPAN_KINDS)[number];
export type Origin = (typeof ORIGINS)[number];
export type ToolCall = z.infer<typeof toolCallSchema>;
export type Span = z.infer<typeof spanSchema>;
