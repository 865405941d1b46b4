import { contentSpan, makeTurn, reasoningSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Truncation, Turn } from '../trajectory/turn.js';
import { contentParts, environmentSpans, IMAGE_PLACEHOLDER } from './content-parts.js';
import { booleanAt, fieldPath, listAt, objectOf, requiredString, stringAt, wrongType } from './fields.js';
import type { PiEntry } from './pi-entries.js';
import { REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import type { RecordedOutcome } from './session-run.js';
import { asNumber, asString, type JsonObject } from './shape.js';
import { callSpan } from './structured-calls.js';
import { isoMillis } from './times.js';

export interface PiTurn {
  readonly turn: Turn;
  readonly outcome: RecordedOutcome | null;
}

const TRUNCATIONS: Readonly<Record<string, Truncation>> = {
  length: 'length',
  aborted: 'aborted',
  error: 'error',
};

const EXIT_CODE = /Command exited with code (-?\d+)\s*$/;
const TIMED_OUT = /Command timed out after \d+/;
const ABORTED = /Command aborted\s*$/;

/** An entry as a turn; null for entries that the model is not shown, and for what has nothing in it. */
export function piTurn(entry: PiEntry): PiTurn | null {
  const { fields, path, timestamp } = entry;
  switch (entry.type) {
    case 'message':
      return messageTurn(objectOf(fields['message'], fieldPath(path, 'message')), {
        path: fieldPath(path, 'message'),
        timestamp,
      });
    case 'custom_message':
      return input(fields['content'], { path, timestamp, flags: ['injected'] });
    case 'branch_summary':
      return input(stringAt(fields, 'summary', path), { path, timestamp, flags: ['branch_summary'] });
    case 'compaction':
      return input(stringAt(fields, 'summary', path), { path, timestamp, flags: ['compact_summary'] });
    default:
      return null;
  }
}

function input(
  content: unknown,
  at: { path: string; timestamp: string | null; flags: readonly string[] },
): PiTurn | null {
  const parts = contentParts(content, fieldPath(at.path, 'content'));
  if (parts.length === 0) return null;
  const turn = makeTurn('user', environmentSpans('observation', parts), {
    timestamp: at.timestamp,
    flags: [...at.flags],
  });
  return { turn, outcome: null };
}

function messageTurn(message: JsonObject, at: { path: string; timestamp: string | null }): PiTurn | null {
  const { path } = at;
  const timestamp = at.timestamp ?? isoMillis(message['timestamp']);
  const role = requiredString(message, 'role', path);
  switch (role) {
    case 'user':
      return {
        turn: makeTurn(
          'user',
          environmentSpans('prompt', contentParts(message['content'], fieldPath(path, 'content'))),
          { timestamp },
        ),
        outcome: null,
      };
    case 'assistant':
      return { turn: replyTurn(message, { path, timestamp }), outcome: null };
    case 'toolResult':
      return resultTurn(message, { path, timestamp });
    case 'bashExecution':
      return shellTurn(message, { path, timestamp });
    case 'branchSummary':
      return input(message['summary'], { path, timestamp, flags: ['branch_summary'] });
    case 'compactionSummary':
      return input(message['summary'], { path, timestamp, flags: ['compact_summary'] });
    case 'custom':
    case 'hookMessage':
      return input(message['content'], { path, timestamp, flags: ['injected'] });
    default:
      throw wrongType(fieldPath(path, 'role'), `a known role (not "${role}")`, role);
  }
}

/** APIs that keep reasoning to themselves and send a summary of it. */
const SUMMARY_APIS = /responses$|^google-/;

function replyTurn(message: JsonObject, at: { path: string; timestamp: string | null }): Turn {
  const { path, timestamp } = at;
  const { content } = message as { content?: unknown };
  const flags = new Set<string>();
  const model = asString(message['model']);
  const spans: Span[] = [];
  const parts =
    typeof content === 'string' ? [{ type: 'text', text: content }] : listAt(message, 'content', path);
  (parts ?? []).forEach((value, index) => {
    const partPath = `${path}.content[${index}]`;
    const part = objectOf(value, partPath);
    const type = stringAt(part, 'type', partPath) ?? 'text';
    if (type === 'text') {
      const text = requiredString(part, 'text', partPath);
      if (text !== '') spans.push(contentSpan('text', 'model', text));
    } else if (type === 'thinking') {
      const text = stringAt(part, 'thinking', partPath) ?? '';
      if (text === '' || part['redacted'] === true) flags.add('reasoning_hidden');
      else if (SUMMARY_APIS.test(asString(message['api']) ?? '')) {
        flags.add(REASONING_SUMMARY);
        spans.push(summarySpan(text));
      } else spans.push(reasoningSpan(text));
    } else if (type === 'toolCall') {
      spans.push(
        callSpan({
          id: stringAt(part, 'id', partPath),
          name: requiredString(part, 'name', partPath),
          arguments: part['arguments'],
        }),
      );
    } else {
      if (type !== 'image') flags.add(`unknown_block:${type}`);
      spans.push(contentSpan('image', 'environment', type === 'image' ? IMAGE_PLACEHOLDER : `[${type}]`));
    }
  });
  const reason = stringAt(message, 'stopReason', path) ?? '';
  return makeTurn(
    'assistant',
    spans.map((span) => (span.origin === 'model' ? { ...span, model } : span)),
    {
      timestamp,
      truncated: Object.hasOwn(TRUNCATIONS, reason) ? (TRUNCATIONS[reason] ?? null) : null,
      flags: [...flags],
    },
  );
}

function resultTurn(message: JsonObject, at: { path: string; timestamp: string | null }): PiTurn {
  const { path, timestamp } = at;
  const parts = contentParts(message['content'], fieldPath(path, 'content'));
  const turn = makeTurn('tool', environmentSpans('observation', parts), {
    name: stringAt(message, 'toolName', path),
    tool_call_id: stringAt(message, 'toolCallId', path),
    timestamp,
  });
  const failed = booleanAt(message, 'isError', path);
  const text = parts.map((part) => part.text).join('');
  return { turn, outcome: failed === null ? null : resultOutcome(text, failed) };
}

function resultOutcome(text: string, failed: boolean): RecordedOutcome {
  if (!failed) return { status: 'ok' };
  if (TIMED_OUT.test(text)) return { status: 'timeout' };
  if (ABORTED.test(text)) return { status: 'infrastructure', error_type: 'aborted' };
  const code = EXIT_CODE.exec(text)?.[1];
  return { status: 'error', exit_code: code === undefined ? null : Number(code) };
}

/** The user's own shell: no call of the model. */
function shellTurn(message: JsonObject, at: { path: string; timestamp: string | null }): PiTurn | null {
  const { path, timestamp } = at;
  if (message['excludeFromContext'] === true) return null;
  const command = requiredString(message, 'command', path);
  const output = stringAt(message, 'output', path) ?? '';
  const code = asNumber(message['exitCode']);
  const ended = code === null || code === 0 ? '' : `\n${code}`;
  const spans = [contentSpan('observation', 'environment', `${command}\n${output}${ended}`)];
  return { turn: makeTurn('user', spans, { timestamp, flags: ['command_output'] }), outcome: null };
}
