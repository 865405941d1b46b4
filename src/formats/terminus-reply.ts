import { spelledJson } from '../logs/json-spelling.js';
import { contentSpan, inlineCallSpan } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import { objectOf } from './fields.js';
import { asArray, asString, isObject, type JsonObject } from './shape.js';

/**
 * What Terminus 2 asks its model to answer with. Its logs do not hold such an answer, unless it was told to keep the raw
 * text: they hold what was parsed out of it, as a message and calls of tools that the model was never given.
 */
export type TerminusProtocol = 'json' | 'other';

const COMMAND = 'bash_command';
const COMPLETE = 'mark_task_complete';
const ASKS_FOR_JSON = /Format your response as JSON\b/;

/** The protocol of a run of Terminus 2; null for every other agent. */
export function terminusProtocol(agent: JsonObject, steps: readonly unknown[]): TerminusProtocol | null {
  if (agent['name'] !== 'terminus-2') return null;
  const extra = isObject(agent['extra']) ? agent['extra'] : {};
  const parser = asString(extra['parser']);
  if (parser !== null) return parser === 'json' ? 'json' : 'other';
  const asked = steps.some((step) => isObject(step) && ASKS_FOR_JSON.test(asString(step['message']) ?? ''));
  return asked ? 'json' : 'other';
}

const PARSED = /^(?:Analysis: ([\s\S]*?))?(?:(?:^|\n)Plan: ([\s\S]*))?$/;

/** What a step holds of a reply: its text, or what was parsed out of it, which may not be all of it, or none at all. */
export type LoggedReply = 'verbatim' | 'parsed' | 'lost' | 'harness';

/** What the harness takes for a reply where it got none. */
const NO_REPLY = 'Technical difficulties. Please continue with the task.';
/** Of a reply that could not be parsed the text is kept. */
const PARSING_FAILED = /^Previous response had parsing errors:/;
const WARNED = /^Previous response had warnings:\nWARNINGS: ((?:- .*\n)*)/;

export function loggedReply(
  step: { readonly message: string; readonly calls: readonly unknown[]; readonly answer: string },
  protocol: TerminusProtocol | null,
): LoggedReply {
  const { message, calls, answer } = step;
  if (protocol === null || !areTerminusCalls(calls)) return 'verbatim';
  if (message === NO_REPLY && calls.length === 0) return 'harness';
  if (PARSING_FAILED.test(answer) || !isParsedReply(message, calls)) return 'verbatim';
  return protocol === 'json' && !saidOtherwise(answer) ? 'parsed' : 'lost';
}

/** Whether more or other words stood in a reply than were parsed out of it: all warnings but those of line ends say so. */
function saidOtherwise(answer: string): boolean {
  const [, warnings] = WARNED.exec(answer) ?? [];
  if (warnings === undefined) return false;
  return warnings === '' || warnings.split('\n').some((line) => line !== '' && !/newline/i.test(line));
}

function isParsedReply(message: string, calls: readonly unknown[]): boolean {
  return /^(?:Analysis|Plan): /.test(message) || (message === '' && calls.length > 0);
}

/** The reply in the words of the prompt's own example, put together from what was parsed out of it; each command is a call. */
export function terminusReply(message: string, calls: readonly unknown[], path: string): Span[] {
  const [, analysis = '', plan = ''] = PARSED.exec(message) ?? [];
  const commands = calls.flatMap((value, index) => {
    const call = objectOf(value, `${path}.tool_calls[${index}]`);
    return call['function_name'] === COMMAND ? [call['arguments'] ?? {}] : [];
  });
  const complete = calls.some((call) => isObject(call) && call['function_name'] === COMPLETE);
  const text = (words: string): Span => contentSpan('text', 'model', words);
  const spans = [
    text(
      `{\n  "analysis": ${JSON.stringify(analysis)},\n  "plan": ${JSON.stringify(plan)},\n  "commands": [`,
    ),
  ];
  commands.forEach((command, index) => {
    const written = printed(command).replace(/\n/g, '\n    ');
    spans.push(text(`${index === 0 ? '' : ','}\n    `));
    spans.push(inlineCallSpan(written, { name: COMMAND, arguments: spelledJson(command) }));
  });
  const end = commands.length === 0 ? ']' : '\n  ]';
  spans.push(text(`${end}${complete ? ',\n  "task_complete": true' : ''}\n}`));
  return spans;
}

/** A command over several lines, its seconds as they were written: parsing makes 1 of 1.0. */
function printed(command: unknown): string {
  const seconds = /"duration":([^,}]+)/.exec(spelledJson(command))?.[1];
  const text = JSON.stringify(command, null, 2);
  return seconds === undefined ? text : text.replace(/"duration": [^,\n}]+/, `"duration": ${seconds}`);
}

/** Whether every call of a step is one that Terminus 2 makes of a reply. */
function areTerminusCalls(calls: readonly unknown[]): boolean {
  return asArray(calls).every(
    (call) => isObject(call) && (call['function_name'] === COMMAND || call['function_name'] === COMPLETE),
  );
}
