import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { blocksOf } from './anthropic-blocks.js';
import { environmentSpans } from './content-parts.js';
import { listAt, requiredString, stringAt, wrongType } from './fields.js';
import { REMINDER_TAGS, userSpans } from './injected-text.js';
import { givenParts, replyPart } from './kimi-parts.js';
import { SessionRun } from './session-run.js';
import { asArray, hasKeys, isObject, type JsonObject } from './shape.js';
import { toolCallSpans } from './structured-calls.js';

/** Lines of the context file that are no messages: what the model is told first, marks to go back to, token counts. */
const MARKS: ReadonlySet<string> = new Set(['_checkpoint', '_usage']);
const SYSTEM_PROMPT = '_system_prompt';

/** What Kimi CLI wraps its own words in, in messages of the user and in results. */
const HARNESS_TAGS: readonly string[] = [...REMINDER_TAGS, 'system'];

/** Whether a line is one that only context.jsonl of Kimi CLI has. */
export function isKimiMark(line: unknown): boolean {
  if (!isObject(line) || hasKeys(line, 'type')) return false;
  const role = line['role'];
  return (
    (role === '_checkpoint' && hasKeys(line, 'id')) ||
    (role === '_usage' && hasKeys(line, 'token_count')) ||
    (role === SYSTEM_PROMPT && hasKeys(line, 'content'))
  );
}

/** Whether a line is a message with a thought, as `kimi --print --output-format stream-json` prints it too. */
export function isKimiReply(line: unknown): boolean {
  return (
    isObject(line) &&
    line['role'] === 'assistant' &&
    asArray(line['content']).some((part) => hasKeys(part, 'type', 'think') && part['type'] === 'think')
  );
}

/** context.jsonl of a session: the messages as they stand before the model, after the last compaction or return. */
export function readKimiContext(records: readonly JsonObject[], context: ReadContext): RawTrajectory {
  const run = new SessionRun();
  records.forEach((record, index) => {
    readRecord(run, record, `line ${index + 1}`);
  });
  if (!run.turns.some(({ role }) => role === 'system')) run.flag('system_prompt_absent');
  if (!run.turns.some(({ role }) => role === 'user')) run.flag('prompts_absent');
  return run.finish(context, { scaffold: 'kimi-cli' });
}

function readRecord(run: SessionRun, record: JsonObject, path: string): void {
  const role = requiredString(record, 'role', path);
  if (MARKS.has(role)) return;
  const contentPath = `${path}.content`;
  if (role === 'assistant') {
    const spans = [
      ...blocksOf(record['content'], contentPath).flatMap((part, index) =>
        replyPart(part, `${contentPath}[${index}]`),
      ),
      ...toolCallSpans(listAt(record, 'tool_calls', path) ?? [], `${path}.tool_calls`),
    ];
    run.push(makeTurn('assistant', spans));
    return;
  }
  const parts = givenParts(record['content'], contentPath);
  if (role === 'tool') {
    const tool_call_id = stringAt(record, 'tool_call_id', path);
    const name = stringAt(record, 'name', path);
    run.push(makeTurn('tool', environmentSpans('observation', parts), { name, tool_call_id }));
  } else if (role === SYSTEM_PROMPT || role === 'system') {
    run.push(makeTurn('system', environmentSpans('prompt', parts)));
  } else if (role === 'user') {
    const spans = parts.flatMap(({ kind, text }) =>
      kind === 'image' ? [contentSpan('image', 'environment', text)] : userSpans(text, HARNESS_TAGS),
    );
    run.push(makeTurn('user', spans.length > 0 ? spans : userSpans('')));
  } else throw wrongType(`${path}.role`, `a known role (not "${role}")`, role);
}
