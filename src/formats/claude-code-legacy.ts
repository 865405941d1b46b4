import { RejectError } from '../logs/reject.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import type { LoggedMessage } from './anthropic-turns.js';
import { inputMessage, replyOrigin } from './claude-messages.js';
import { resultFlags } from './claude-result.js';
import { listOf, objectOf, requiredString } from './fields.js';
import { messagesRun } from './messages-run.js';
import { asArray, asId, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns } from './shell-executions.js';

export const claudeCodeLegacy: FormatAdapter = {
  name: 'claude-code-legacy',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Claude Code of May 2025, --output-format json --verbose: one JSON list',
    recognised_by:
      'a list with Anthropic messages (type message, role, usage) or a last record of role system with cost_usd',
    scores: 'none',
    executions:
      'calls with the error mark of their results; experiments only if a pipeline names tools or command patterns',
    reasoning: 'thinking blocks; absent where only their signature is logged (flag reasoning_hidden)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'system prompt, tool definitions, times and the version are not recorded',
      'arguments are objects: the text that the model wrote is not recorded',
      'cost, duration and usage; the result repeats the last message (flag final_text_without_message where it does not)',
      'the calls inside a Batch call are not taken apart',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const items = asArray(sniff.json).filter(isObject);
  if (items.length === 0 || items.length !== asArray(sniff.json).length) return null;
  const message = items.some(
    (item) => item['type'] === 'message' && hasKeys(item, 'role', 'content', 'usage'),
  );
  const end = items.at(-1);
  const closes = end !== undefined && end['role'] === 'system' && hasKeys(end, 'cost_usd');
  if (!message && !closes) return null;
  return {
    confidence: 'certain',
    reason: closes ? 'a list that ends with its cost' : 'a list of API messages',
  };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const items = listOf(input, 'list').map((value, index) => objectOf(value, `[${index}]`));
  const messages: LoggedMessage[] = [];
  let end: JsonObject | null = null;
  items.forEach((item, index) => {
    const path = `[${index}]`;
    const role = requiredString(item, 'role', path);
    if (role === 'assistant')
      messages.push({ role, content: item['content'], path, ...replyOrigin(item, path) });
    else if (role === 'user') {
      const human = mayBeHuman(messages);
      const flags = human || isAnswer(item) ? [] : ['injected'];
      messages.push(inputMessage(item['content'], { path, timestamp: null, human, flags }));
    } else if (role === 'system') end = item;
    else throw new RejectError('bad_shape', `${path}.role: unknown role "${role}"`);
  });
  const closing: JsonObject = end ?? {};
  const run = messagesRun({ messages }, context, {
    session_id: asId(closing['session_id']),
    scaffold: 'claude-code',
    flags: ['system_prompt_absent'],
  });
  requireModelTurns(run.turns);
  return [{ ...run, flags: [...run.flags, ...resultFlags(run, closing)] }];
}

/** A person speaks first and after a reply that is done; texts after tool results are what the harness puts in. */
function mayBeHuman(messages: readonly LoggedMessage[]): boolean {
  const before = messages.at(-1);
  if (before === undefined) return true;
  if (before.role !== 'assistant') return before.flags?.length === 0 && !isAnswer(before);
  return !asArray(before.content).some((block) => isObject(block) && block['type'] === 'tool_use');
}

function isAnswer(message: { readonly content?: unknown }): boolean {
  return asArray(message.content).some((block) => isObject(block) && block['type'] === 'tool_result');
}
