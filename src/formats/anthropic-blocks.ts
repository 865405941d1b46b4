import { contentSpan, reasoningSpan } from '../trajectory/build.js';
import type { Origin, Span } from '../trajectory/span.js';
import { IMAGE_PLACEHOLDER } from './content-parts.js';
import { objectOf, requiredString, stringAt, wrongType } from './fields.js';
import { REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { asBoolean, asString, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

/** What stands in the content for a file (PDF, text) that was handed over as one. */
export const DOCUMENT_PLACEHOLDER = '[document]';

/** The answer to a call, as a block of a user message. */
export interface ResultBlock {
  readonly call_id: string | null;
  readonly spans: Span[];
  /** null where the log does not say */
  readonly is_error: boolean | null;
}

export interface ReplyBlocks {
  readonly spans: Span[];
  readonly flags: string[];
}

const CALL_TYPES: ReadonlySet<string> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

/** Message content of the Anthropic API as blocks: a string is one text block, nothing is none. */
export function blocksOf(content: unknown, path: string): JsonObject[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw wrongType(path, 'a string or a list of blocks', content);
  return content.map((block, index) =>
    typeof block === 'string' ? { type: 'text', text: block } : objectOf(block, `${path}[${index}]`),
  );
}

/**
 * The spans of an assistant message, in order. Reasoning whose text is not recorded (signature or encrypted data
 * only) is absent, with a flag; a block `reasoning_summary`, which readers make, holds a provider's words about it.
 * Answers of tools that the provider runs itself stand between the spans, as environment.
 */
export function replyBlocks(
  blocks: readonly JsonObject[],
  at: { path: string; origin: Origin; cut: (text: string) => Span[] },
): ReplyBlocks {
  const spans: Span[] = [];
  const flags = new Set<string>();
  blocks.forEach((block, index) => {
    const path = `${at.path}[${index}]`;
    const type = blockType(block, path);
    if (type === 'text') {
      const text = requiredString(block, 'text', path);
      if (text !== '') spans.push(...at.cut(text));
    } else if (type === 'thinking' || type === 'reasoning') {
      // Roo Code keeps what other providers than Anthropic send as a block of its own.
      const text = stringAt(block, type === 'thinking' ? 'thinking' : 'text', path) ?? '';
      if (text === '') flags.add('reasoning_hidden');
      else spans.push({ ...reasoningSpan(text), origin: at.origin });
    } else if (type === REASONING_SUMMARY) {
      spans.push(summarySpan(requiredString(block, 'text', path)));
      flags.add(REASONING_SUMMARY);
    } else if (type === 'redacted_thinking' || type === 'thoughtSignature') {
      flags.add('reasoning_hidden');
    } else if (CALL_TYPES.has(type)) {
      spans.push({ ...blockCall(block, path), origin: at.origin });
    } else {
      const media = mediaSpan(type);
      if (media === null && !type.endsWith('_tool_result')) flags.add(`unknown_block:${type}`);
      spans.push(media ?? contentSpan('observation', 'environment', JSON.stringify(block)));
    }
  });
  return { spans, flags: [...flags] };
}

/** A span of user content that is no tool result; `text` blocks go through `cut`. */
export function promptSpans(block: JsonObject, path: string, cut: (text: string) => Span[]): Span[] {
  const type = blockType(block, path);
  if (type === 'text') return cut(requiredString(block, 'text', path));
  return [mediaSpan(type) ?? contentSpan('observation', 'environment', JSON.stringify(block))];
}

export function isResultBlock(block: JsonObject): boolean {
  return block['type'] === 'tool_result';
}

/** A `tool_result` block; parts without text (references to tools and the like) stay as their JSON. */
export function resultBlock(block: JsonObject, path: string): ResultBlock {
  const parts = blocksOf(block['content'], `${path}.content`);
  const spans = parts.map((part, index) => {
    const type = blockType(part, `${path}.content[${index}]`);
    const text = type === 'text' ? asString(part['text']) : null;
    if (text !== null) return contentSpan('observation', 'environment', text);
    return mediaSpan(type) ?? contentSpan('observation', 'environment', JSON.stringify(part));
  });
  return {
    call_id: stringAt(block, 'tool_use_id', path),
    spans: spans.length > 0 ? spans : [contentSpan('observation', 'environment', '')],
    is_error: asBoolean(block['is_error']),
  };
}

function blockCall(block: JsonObject, path: string): Span {
  return callSpan({
    id: stringAt(block, 'id', path),
    name: requiredString(block, 'name', path),
    arguments: block['input'],
  });
}

function blockType(block: JsonObject, path: string): string {
  return stringAt(block, 'type', path) ?? 'text';
}

function mediaSpan(type: string): Span | null {
  if (type === 'image') return contentSpan('image', 'environment', IMAGE_PLACEHOLDER);
  if (type === 'document') return contentSpan('image', 'environment', DOCUMENT_PLACEHOLDER);
  return null;
}
