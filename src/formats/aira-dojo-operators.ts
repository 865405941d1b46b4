import { makeTurn } from '../trajectory/build.js';
import type { Role, Turn } from '../trajectory/turn.js';
import { contentParts, environmentSpans } from './content-parts.js';
import { actionSpans, type CallMark } from './inline-calls.js';
import { NODE_TOOL } from './search-nodes.js';
import { asArray, asString, isObject, type JsonObject } from './shape.js';

/** One call of a language model: what it was shown and what it wrote. */
export interface Generation {
  readonly prompts: readonly Turn[];
  readonly reply: Turn;
}

/** Operators that judge or summarise; the others write plans and programs. */
const JUDGES = /analy[sz]|review|memory|select|critic/i;
const FENCE = /```(?:[^\n`]*)\n([\s\S]*?)```/g;
const ROLES: Readonly<Record<string, Role>> = { system: 'system', user: 'user', assistant: 'assistant' };

/** The generations of a node whose completion is logged, in order; reviews are left out. */
export function generationsOf(node: JsonObject): Generation[] {
  const names = asArray(node['operators_used']).map((name) => asString(name) ?? '');
  return asArray(node['operators_metrics']).flatMap((metrics, index) => {
    if (!isObject(metrics) || JUDGES.test(names[index] ?? '')) return [];
    const completion = asString(metrics['completion_text']);
    if (completion === null || completion === '') return [];
    return [
      {
        prompts: promptTurns(metrics['prompt_messages']),
        reply: fencedReply(completion, asString(node['code'])),
      },
    ];
  });
}

/** What a prompt says was written by someone else, or by the model in another context. */
function promptTurns(messages: unknown): Turn[] {
  if (typeof messages === 'string') {
    return [makeTurn('user', environmentSpans('prompt', contentParts(messages, 'prompt_messages')))];
  }
  return asArray(messages).flatMap((message, index) => {
    if (!isObject(message)) return [];
    const role = ROLES[asString(message['role']) ?? 'user'] ?? 'user';
    const parts = contentParts(message['content'], `prompt_messages[${index}].content`);
    return [makeTurn(role, environmentSpans('prompt', parts))];
  });
}

/** A completion and the program in it: the fence that holds the node's code, else the only or longest one. */
export function fencedReply(completion: string, code: string | null): Turn {
  const fences = [...completion.matchAll(FENCE)];
  const squeezed = squeeze(code ?? '');
  const chosen =
    fences.find((fence) => squeeze(fence[1] ?? '') === squeezed) ??
    fences.reduce<RegExpExecArray | null>(
      (longest, fence) => ((fence[1] ?? '').length > (longest?.[1] ?? '').length ? fence : longest),
      null,
    );
  const marks: CallMark[] =
    chosen === null
      ? []
      : [
          {
            start: chosen.index,
            end: chosen.index + chosen[0].length,
            call: { name: NODE_TOOL, arguments: chosen[1] ?? '' },
          },
        ];
  return makeTurn('assistant', actionSpans(completion, marks));
}

/** Without white space and quotes, which the scaffold's formatter changes. */
function squeeze(text: string): string {
  return text.replace(/[\s'"]/g, '');
}
