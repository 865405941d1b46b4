import { contentSpan, makeTurn, structuredCallSpan } from '../trajectory/build.js';
import type { Origin, Span } from '../trajectory/span.js';
import type { Role, Turn } from '../trajectory/turn.js';
import { IMAGE_PLACEHOLDER } from './content-parts.js';
import { fieldPath, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import { reasoningFlags } from './reasoning-summary.js';
import { reasoningItemSpans } from './response-reasoning.js';
import { asId, asString, isObject, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';

/** What a log says of an item of the Responses API. */
export interface ItemContext {
  readonly path: string;
  readonly timestamp: string | null;
  readonly model: string | null;
  /** of what the model's items say: `environment` for copied or compacted text */
  readonly origin: Origin;
  readonly flags: readonly string[];
}

/** How text of a user item is cut, with a flag of its turn where the harness wrote it. */
export type UserText = (text: string) => {
  readonly kind: 'prompt' | 'observation';
  readonly flag: string | null;
};

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

const OUTPUT_SUFFIX = /_(?:output|result)$/;

/** Items that are bookkeeping of a client, not part of the conversation. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['ghost_snapshot', 'other', 'item_reference']);

/**
 * Builds turns from items of the Responses API, in order. What the model gave between two inputs is one assistant turn; a
 * message after a message without calls begins another, since each was ended on its own.
 */
export class ItemTurns {
  readonly turns: Turn[] = [];
  /** turns that answer each call, by call id */
  private readonly answers = new Map<string, number[]>();
  private readonly names = new Map<string, string>();
  private open = false;
  private openOrigin: Origin = 'model';

  constructor(private readonly userText: UserText) {}

  /** Adds an item; the index of the turn that it became or joined, null for bookkeeping. */
  add(item: JsonObject, context: ItemContext): number | null {
    const { path } = context;
    const type = stringAt(item, 'type', path) ?? 'message';
    if (BOOKKEEPING.has(type)) return null;
    if (type === 'message') return this.addMessage(item, context);
    if (type === 'agent_message') {
      const spans = itemParts(item['content'], fieldPath(path, 'content')).map((part) =>
        part.span('observation'),
      );
      return this.addTurn('user', spans, { ...context, flags: [...context.flags, 'agent_message'] });
    }
    if (type === 'reasoning') {
      const spans = reasoningItemSpans(item, path);
      return this.addModel(spans, context, reasoningFlags(spans));
    }
    if (OUTPUT_SUFFIX.test(type)) return this.addOutput(item, context);
    const call = itemCall(item, type, path);
    if (call !== null) {
      if (call.span.call !== null && call.span.call.id !== null) {
        this.names.set(call.span.call.id, call.span.call.name);
      }
      return this.addModel([call.span], context, call.server ? ['server_tool'] : []);
    }
    if (type.startsWith('compaction') || type === 'context_compaction') {
      return this.addTurn('user', [contentSpan('observation', 'environment', HIDDEN_CONTEXT)], {
        ...context,
        flags: [...context.flags, 'compacted_context_hidden'],
      });
    }
    const text = JSON.stringify(item);
    return this.addTurn('user', [contentSpan('observation', 'environment', text)], {
      ...context,
      flags: [...context.flags, `unknown_item:${type}`],
    });
  }

  /** The first turn that answers a call after it was made: some logs reuse ids. */
  answerTo(call: { readonly id: string | null; readonly call_turn: number }): number | null {
    if (call.id !== null) {
      return this.answers.get(call.id)?.find((turn) => turn > call.call_turn) ?? null;
    }
    return this.turns[call.call_turn + 1]?.role === 'tool' ? call.call_turn + 1 : null;
  }

  /** What follows is not of the same reply. */
  close(): void {
    this.open = false;
  }

  /** A turn that no item stands for. */
  addTurn(
    role: Exclude<Role, 'assistant'>,
    spans: Span[],
    rest: { timestamp: string | null; flags: readonly string[]; name?: string | null; call?: string | null },
  ): number {
    this.open = false;
    const { timestamp, flags, name = null, call = null } = rest;
    return (
      this.turns.push(makeTurn(role, spans, { timestamp, flags: [...flags], name, tool_call_id: call })) - 1
    );
  }

  private addMessage(item: JsonObject, context: ItemContext): number {
    const { path, origin } = context;
    const logged = requiredString(item, 'role', path);
    const role = Object.hasOwn(ROLES, logged) ? ROLES[logged] : undefined;
    if (role === undefined)
      throw wrongType(fieldPath(path, 'role'), `a known role (not "${logged}")`, logged);
    const parts = itemParts(item['content'], fieldPath(path, 'content'));
    if (role === 'assistant') {
      if (this.open && this.lastTurnHasText()) this.open = false;
      const spans = parts.map((part) =>
        part.image ? part.span('image') : contentSpan('text', origin, part.text),
      );
      const refused = parts.some((part) => part.refusal);
      return this.addModel(
        spans.filter((span) => span.text !== ''),
        context,
        refused ? ['refusal'] : [],
      );
    }
    const flags = new Set(context.flags);
    const spans = parts.map((part) => {
      if (part.image || role === 'system') return part.span('prompt');
      const { kind, flag } = this.userText(part.text);
      if (flag !== null) flags.add(flag);
      return part.span(kind);
    });
    if (spans.length === 0) spans.push(contentSpan('prompt', 'environment', ''));
    return this.addTurn(role, spans, { ...context, flags: [...flags] });
  }

  private addOutput(item: JsonObject, context: ItemContext): number {
    const { path } = context;
    const call = stringAt(item, 'call_id', path) ?? stringAt(item, 'tool_call_id', path);
    const spans = outputSpans(item, path);
    const name = call === null ? stringAt(item, 'name', path) : (this.names.get(call) ?? null);
    const turn = this.addTurn('tool', spans, { ...context, name, call });
    if (call === null) return turn;
    const known = this.answers.get(call);
    if (known === undefined) this.answers.set(call, [turn]);
    else known.push(turn);
    return turn;
  }

  private addModel(spans: readonly Span[], context: ItemContext, flags: readonly string[]): number {
    const { model, origin } = context;
    const own = spans.map((span) =>
      span.origin === 'model' ? { ...span, origin, model: origin === 'model' ? model : null } : span,
    );
    const last = this.turns.length - 1;
    const before = this.turns[last];
    const added = [...context.flags, ...flags];
    if (this.open && before !== undefined && this.openOrigin === origin) {
      // A list of this class's own: it grows where it stands.
      for (const span of own) before.spans.push(span);
      this.turns[last] = {
        ...before,
        flags: [...new Set([...before.flags, ...added])],
      };
      return last;
    }
    this.open = true;
    this.openOrigin = origin;
    const turn = makeTurn('assistant', own, { timestamp: context.timestamp, flags: [...new Set(added)] });
    return this.turns.push(turn) - 1;
  }

  private lastTurnHasText(): boolean {
    const spans = this.turns.at(-1)?.spans ?? [];
    return spans.some((span) => span.kind === 'text') && !spans.some((span) => span.call !== null);
  }
}

/** What stands for context that the provider keeps encrypted. */
const HIDDEN_CONTEXT = '[compacted context]';

interface ItemPart {
  readonly text: string;
  readonly image: boolean;
  readonly refusal: boolean;
  span(kind: Span['kind']): Span;
}

/** Content of an item: a string, or parts of text, refusals and media; hidden parts are placeholders. */
function itemParts(content: unknown, path: string): ItemPart[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return content === '' ? [] : [itemPart(content, {})];
  if (!Array.isArray(content)) throw wrongType(path, 'a string or a list of parts', content);
  return content.map((value, index) => {
    if (typeof value === 'string') return itemPart(value, {});
    const partPath = `${path}[${index}]`;
    const part = objectOf(value, partPath);
    const type = stringAt(part, 'type', partPath) ?? 'text';
    if (type === 'refusal') return itemPart(requiredString(part, 'refusal', partPath), { refusal: true });
    if (/image/.test(type)) return itemPart(IMAGE_PLACEHOLDER, { image: true });
    const text = asString(part['text']);
    if (text !== null) return itemPart(text, {});
    if (/text$/i.test(type)) return itemPart(requiredString(part, 'text', partPath), {});
    return itemPart(`[${type}]`, { image: true });
  });
}

function itemPart(text: string, rest: { image?: boolean; refusal?: boolean }): ItemPart {
  const { image = false, refusal = false } = rest;
  return { text, image, refusal, span: (kind) => contentSpan(image ? 'image' : kind, 'environment', text) };
}

/** Keys of a call that the provider runs itself which are not what the model asked for. */
const NOT_ASKED: ReadonlySet<string> = new Set([
  'type',
  'id',
  'call_id',
  'status',
  'result',
  'results',
  'outputs',
  'output',
]);

function itemCall(item: JsonObject, type: string, path: string): { span: Span; server: boolean } | null {
  if (type === 'function_call') {
    const id = asId(item['call_id']) ?? asId(item['id']);
    const nested = item['function'];
    const name = isObject(nested)
      ? requiredString(nested, 'name', fieldPath(path, 'function'))
      : requiredString(item, 'name', path);
    return { span: callSpan({ id, name, arguments: item['arguments'] }), server: false };
  }
  if (type === 'custom_tool_call') {
    // Free text by design: not JSON, and no fault for it.
    const call = {
      id: asId(item['call_id']),
      name: requiredString(item, 'name', path),
      arguments: requiredString(item, 'input', path),
    };
    return { span: structuredCallSpan(call), server: false };
  }
  if (!type.endsWith('_call')) return null;
  const name = stringAt(item, 'name', path) ?? type.slice(0, -'_call'.length);
  const asked = item['arguments'] ?? item['action'] ?? withoutAnswer(item);
  const id = asId(item['call_id']);
  return { span: callSpan({ id, name, arguments: asked }), server: id === null };
}

function withoutAnswer(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).filter(
      ([key]) => !NOT_ASKED.has(key) && !key.endsWith('metadata') && !key.endsWith('passthrough'),
    ),
  );
}

/** The output of a call as the model was given it: a string as it stands, parts, or an object around either. */
function outputSpans(item: JsonObject, path: string): Span[] {
  const output = item['output'] ?? item['result'] ?? item['tools'] ?? null;
  const inner =
    isObject(output) && output['type'] === undefined ? (output['content'] ?? output['output']) : output;
  const value = inner ?? output;
  if (value === null) return [contentSpan('observation', 'environment', '')];
  const parts = isObject(value) && value['type'] !== undefined ? [value] : value;
  const readable =
    typeof parts === 'string' ||
    (Array.isArray(parts) &&
      parts.every(
        (part) => isObject(part) && /text|image|audio|file|encrypted/i.test(asString(part['type']) ?? ''),
      ));
  if (!readable) return [contentSpan('observation', 'environment', JSON.stringify(value))];
  const spans = itemParts(parts, fieldPath(path, 'output')).map((part) => part.span('observation'));
  return spans.length > 0 ? spans : [contentSpan('observation', 'environment', '')];
}
