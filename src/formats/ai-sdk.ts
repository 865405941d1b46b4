import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { aiSdkMessages, isModelMessages, isUiMessages } from './ai-sdk-messages.js';
import { inputSpans } from './claude-inputs.js';
import { listOf, objectOf } from './fields.js';
import { actionSpans } from './inline-calls.js';
import { messagesRun } from './messages-run.js';
import { readRows } from './row-lists.js';
import { asBoolean, asString, firstId, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const aiSdk: FormatAdapter = {
  name: 'ai-sdk',
  version: '1',
  unit: 'line',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Messages of the AI SDK, versions 4 to 6: those for a model and those for a user interface, as a chat, rows or a message a line',
    recognised_by:
      'messages with parts that have a type, or with tool-call and tool-result parts that have a toolCallId',
    scores: 'none; `resolved` where the row has it',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning:
      'reasoning parts; where a part of the reply names OpenAI or Google as the provider, or the row or the metadata of the message a model of theirs, they are summaries (reasoning_summary), never trained',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt and tool definitions, unless the row or a message holds them',
      'arguments are objects: the text that the model wrote is not recorded',
      'results are data: a text stands as it is, anything else as its JSON',
      'messages for a user interface hold all steps of a reply: a step ends with the results of its calls',
      'calls beside a text without their order (toolInvocations without parts) refuse the chat',
      'a call that was being written when the reply was stopped: the reply counts as aborted',
      'arguments that the SDK could not parse, where it keeps an empty object in their place',
      'sources, data parts and annotations; pictures and files become placeholders',
    ],
  },
  detect,
  read,
};

const isMessages = (value: unknown): boolean => isModelMessages(value) || isUiMessages(value);

function isRow(value: unknown): boolean {
  return isObject(value) && isMessages(value['messages']);
}

function detect(sniff: Sniff): Detection | null {
  const found = (reason: string, unit: 'line' | 'lines' | 'document'): Detection => ({
    confidence: 'certain',
    reason,
    unit,
  });
  if (sniff.lines.some(isRow)) return found('rows with messages of the AI SDK', 'line');
  if (sniff.lines.length > 1 && isMessages(sniff.lines))
    return found('a message of the AI SDK a line', 'lines');
  const { json } = sniff;
  if (isRow(json) || (Array.isArray(json) && json.length > 0 && json.every(isRow)))
    return found('rows with messages of the AI SDK', 'document');
  return isMessages(json) ? found('messages of the AI SDK', 'document') : null;
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (Array.isArray(input) && input.some(isRow)) {
    return readRows(input, context, (row, path) => [readRow(objectOf(row, path), context)]);
  }
  return [readRow(Array.isArray(input) ? { messages: input } : objectOf(input, 'row'), context)];
}

function readRow(row: JsonObject, context: ReadContext): RawTrajectory {
  const model = asString(row['model']) ?? asString(row['modelId']);
  const { messages, flags } = aiSdkMessages(listOf(row['messages'], 'messages'), model);
  const system = asString(row['system']);
  const run = messagesRun(
    {
      messages: [
        ...(system === null ? [] : [{ role: 'system' as const, content: system, path: 'system' }]),
        ...messages.map((message) =>
          message.role === 'user'
            ? { ...message, cut: (text: string) => inputSpans(text, { human: true }) }
            : message,
        ),
      ],
      cutReply: (text, origin) => actionSpans(text, [], origin),
    },
    context,
    {
      session_id: firstId([row], ['session_id', 'threadId', 'chatId', 'id']),
      task_id: firstId([row], ['task_id', 'instance_id']),
      model,
      tools: Array.isArray(row['tools']) && row['tools'].length > 0 ? JSON.stringify(row['tools']) : null,
      resolved: asBoolean(row['resolved']),
      flags,
    },
  );
  requireModelTurns(run.turns);
  return run;
}
