import { RejectError } from '../logs/reject.js';
import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Turn } from '../trajectory/turn.js';
import { contentParts, environmentSpans, IMAGE_PLACEHOLDER } from './content-parts.js';
import { booleanAt, requiredString, stringAt } from './fields.js';
import { actionSpans } from './inline-calls.js';
import type { RecordedOutcome } from './session-run.js';
import type { JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

/** A reply in the order of its blocks. Thinking of which only a signature is kept is absent, and flagged. */
export function replyBlocks(
  blocks: readonly JsonObject[],
  path: string,
  cut: (text: string) => Span[] = (text) => actionSpans(text, []),
): { readonly spans: Span[]; readonly flags: string[] } {
  const flags = new Set<string>();
  const spans = blocks.flatMap((block, index) => {
    const at = `${path}[${index}]`;
    const type = blockType(block, at);
    switch (type) {
      case 'text':
        return cut(requiredString(block, 'text', at));
      case 'thinking': {
        const thinking = stringAt(block, 'thinking', at) ?? '';
        if (thinking === '') flags.add('reasoning_hidden');
        return thinking === '' ? [] : [reasoningSpan(thinking)];
      }
      case 'redacted_thinking':
        flags.add('reasoning_hidden');
        return [];
      case 'tool_use':
        return [
          callSpan({
            id: stringAt(block, 'id', at),
            name: requiredString(block, 'name', at),
            arguments: block['input'],
          }),
        ];
      case 'image':
        return [contentSpan('image', 'environment', IMAGE_PLACEHOLDER)];
      default:
        throw unknownBlock(type, at);
    }
  });
  return { spans, flags: [...flags] };
}

export interface BlockTurn {
  readonly turn: Turn;
  readonly outcome: RecordedOutcome | null;
}

/** A user message: each tool result is a tool turn, what else stands there is one user turn after them. */
export function userBlockTurns(
  blocks: readonly JsonObject[],
  at: {
    readonly path: string;
    readonly timestamp: string | null;
    readonly textSpans: (text: string) => Span[];
  },
): BlockTurn[] {
  const answers: BlockTurn[] = [];
  const rest: Span[] = [];
  blocks.forEach((block, index) => {
    const path = `${at.path}[${index}]`;
    const type = blockType(block, path);
    if (type === 'tool_result') answers.push(toolResult(block, { path, timestamp: at.timestamp }));
    else if (type === 'text') rest.push(...at.textSpans(requiredString(block, 'text', path)));
    else if (type === 'image') rest.push(contentSpan('image', 'environment', IMAGE_PLACEHOLDER));
    else throw unknownBlock(type, path);
  });
  if (rest.length === 0 && answers.length > 0) return answers;
  const spans = rest.length > 0 ? rest : at.textSpans('');
  return [...answers, { turn: makeTurn('user', spans, { timestamp: at.timestamp }), outcome: null }];
}

function toolResult(block: JsonObject, at: { path: string; timestamp: string | null }): BlockTurn {
  const parts = contentParts(block['content'], `${at.path}.content`);
  const failed = booleanAt(block, 'is_error', at.path);
  return {
    turn: makeTurn('tool', environmentSpans('observation', parts), {
      tool_call_id: stringAt(block, 'tool_use_id', at.path),
      timestamp: at.timestamp,
    }),
    outcome: failed === null ? null : { status: failed ? 'error' : 'ok' },
  };
}

/** Some writers spell `tool-use` or `tool_call` for `tool_use`. */
const SPELLINGS: Readonly<Record<string, string>> = {
  'tool-use': 'tool_use',
  tool_call: 'tool_use',
  'tool-call': 'tool_use',
  'tool-result': 'tool_result',
};

function blockType(block: JsonObject, path: string): string {
  const type = requiredString(block, 'type', path);
  return Object.hasOwn(SPELLINGS, type) ? (SPELLINGS[type] ?? type) : type;
}

function unknownBlock(type: string, path: string): RejectError {
  return new RejectError('bad_shape', `${path}.type: unknown block "${type}"`);
}
