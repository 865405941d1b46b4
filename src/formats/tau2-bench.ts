import { RejectError } from '../logs/reject.js';
import { makeSubmission } from '../trajectory/build.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { chatRun } from './chat-run.js';
import { asOrigin } from './content-parts.js';
import { listOf, objectOf } from './fields.js';
import { readPiece } from './pieces.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';

const GRADER = 'tau2-bench';

const TERMINATIONS: Readonly<Record<string, Termination>> = {
  user_stop: 'submitted',
  agent_stop: 'submitted',
  max_steps: 'step_limit',
  timeout: 'time_limit',
  too_many_errors: 'error',
  agent_error: 'error',
  user_error: 'error',
  infrastructure_error: 'error',
  unexpected_error: 'error',
};

export const tau2Bench: FormatAdapter = {
  name: 'tau2-bench',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'tau2-bench results: simulated conversations in which the user may have tools too',
    recognised_by: 'an object with simulations that have task_id and messages, or one of them',
    scores: 'reward_info.reward, which the agent never saw; `resolved` where it is 0 or 1',
    executions: 'none; calls of tools act on a simulated shop, airline or phone',
    reasoning: 'reasoning_content of the raw reply, where it is logged',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'the system prompt, which the scaffold makes of the policy (flag system_prompt_absent), and the definitions of the tools',
      'calls of the simulated user and their results, which the agent does not see',
      'tasks, checks of the reward, costs, the seed and the model of the simulated user',
      'arguments as the model wrote them where the raw reply is not logged',
      'spoken conversations, which are rejected',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const document = sniff.json;
  const found = (reason: string): Detection => ({ confidence: 'certain', reason });
  if (hasKeys(document, 'simulations') && asArray(document['simulations']).some(isSimulation)) {
    return found('simulations with task_id and messages');
  }
  return isSimulation(document) ? found('a simulation with task_id and messages') : null;
}

function isSimulation(value: unknown): boolean {
  return hasKeys(value, 'task_id', 'messages', 'reward_info', 'termination_reason');
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const document = objectOf(input, 'document');
  if (isSimulation(document)) return [readSimulation(document, {}, context)];
  const info = isObject(document['info']) ? document['info'] : {};
  return listOf(document['simulations'], 'simulations').flatMap((value, index) => {
    const path = `simulations[${index}]`;
    return readPiece(context, path, () => [readSimulation(objectOf(value, path), info, context)]);
  });
}

function readSimulation(simulation: JsonObject, info: JsonObject, context: ReadContext): RawTrajectory {
  const messages = listOf(simulation['messages'], 'messages').map((value, index) =>
    objectOf(value, `messages[${index}]`),
  );
  const seen = messages.filter(isShownToAgent);
  if (seen.some((message) => message['is_audio'] === true)) {
    throw new RejectError('not_a_trajectory', 'a spoken conversation, which holds no text of the model');
  }
  const run = chatRun({ messages: seen.map(asChat) }, context);
  const greeting = greetingOf(seen);
  const turns = run.turns.map((turn, index) =>
    index === greeting
      ? { ...turn, spans: asOrigin(turn.spans, 'environment'), flags: ['harness_reply'] }
      : turn,
  );
  const task = taskName(simulation, info);
  const rewards = simulation['reward_info'];
  const reward = isObject(rewards) ? asNumber(rewards['reward']) : null;
  const agent = info['agent_info'];
  return {
    ...run,
    turns,
    session_id: asId(simulation['id']),
    group: task,
    task_id: task,
    scaffold: GRADER,
    model: isObject(agent) ? asString(agent['llm']) : null,
    termination: TERMINATIONS[asString(simulation['termination_reason']) ?? ''] ?? 'unknown',
    resolved: reward === 0 || reward === 1 ? reward === 1 : null,
    submissions: [
      makeSubmission(
        { execution_id: null, order: 0, gradable: reward !== null, score: reward, scale: 'test' },
        { grader: GRADER },
      ),
    ],
    feedback_exposes_test_score: false,
    flags: [...run.flags, ...(seen[0]?.['role'] === 'system' ? [] : ['system_prompt_absent'])],
  };
}

/** What the simulated user asks of its own tools, and what they answer, is between them. */
function isShownToAgent(message: JsonObject): boolean {
  if (message['role'] === 'tool') return message['requestor'] !== 'user';
  return message['role'] !== 'user' || asArray(message['tool_calls']).length === 0;
}

/** A message as the API has it; what the model sampled stands in the raw reply. */
function asChat(message: JsonObject): JsonObject {
  const { role, content, timestamp } = message;
  if (role === 'tool') return { role, content: content ?? '', tool_call_id: asId(message['id']), timestamp };
  if (role !== 'assistant') return { role, content, timestamp };
  const raw = message['raw_data'];
  const reply = isObject(raw) && isObject(raw['message']) ? raw['message'] : {};
  const calls = asArray(message['tool_calls']);
  const sampled = asArray(reply['tool_calls']);
  return {
    role,
    content,
    timestamp,
    // a raw reply of other calls is none of this message
    tool_calls: sampled.length === calls.length ? sampled : calls,
    reasoning_content: asString(reply['reasoning_content']),
    finish_reason: isObject(raw) ? asString(raw['finish_reason']) : null,
  };
}

/** The line with which the scaffold opens a conversation: no model was asked before the user spoke. It calls nothing. */
function greetingOf(messages: readonly JsonObject[]): number {
  const user = messages.findIndex(({ role }) => role === 'user');
  const first = messages.findIndex(({ role }) => role === 'assistant');
  const message = messages[first];
  if (message === undefined || user === -1 || first > user) return -1;
  const sampled = isObject(message['raw_data']) || isObject(message['usage']);
  return sampled || asArray(message['tool_calls']).length > 0 ? -1 : first;
}

/** The name of a task counts within its domain. */
function taskName(simulation: JsonObject, info: JsonObject): string | null {
  const id = asId(simulation['task_id']);
  const environment = info['environment_info'];
  const domain = isObject(environment) ? asString(environment['domain_name']) : null;
  return id === null ? null : `${GRADER}/${domain ?? 'unknown'}/${id}`;
}
