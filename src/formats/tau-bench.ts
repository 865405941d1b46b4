import { makeSubmission, turnContent } from '../trajectory/build.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { chatRun } from './chat-run.js';
import { listOf, objectOf } from './fields.js';
import { readPiece } from './pieces.js';
import { asArray, asId, asNumber, asString, hasKeys, isObject, type JsonObject } from './shape.js';

const GRADER = 'tau-bench';
/** Turns of the agent after which the benchmark stops a conversation. */
const MAX_STEPS = 30;
/** How the simulated user ends a conversation. */
const STOP = /###(?:STOP|TRANSFER|OUT-OF-SCOPE)###/;
/** A call that hands the conversation over ends it too. */
const HAND_OVER = 'transfer_to_human_agents';
const DOMAIN = /^#\s*(\w+) agent policy/i;

export const tauBench: FormatAdapter = {
  name: 'tau-bench',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'tau-bench results: conversations with a simulated user, several trials a task',
    recognised_by: 'a list of objects with task_id, reward and traj',
    scores:
      'the reward of the final state of the database, which the agent never saw; `resolved` where it is 0 or 1',
    executions: 'none; calls of tools act on a simulated shop or airline',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'info: the task of the simulated user with its expected actions, the hash of the data and costs',
      'the model of the agent and of the simulated user, and the definitions of the tools, are not logged',
      'the simulated user is a language model too: its text is environment',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  const found = asArray(sniff.json).some(isResult);
  return found ? { confidence: 'certain', reason: 'items with task_id, reward and traj' } : null;
}

function isResult(value: unknown): boolean {
  return hasKeys(value, 'task_id', 'reward', 'traj');
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  return listOf(input, 'document').flatMap((value, index) => {
    const path = `[${index}]`;
    return readPiece(context, path, () => [readTrial(objectOf(value, path), context)]);
  });
}

function readTrial(trial: JsonObject, context: ReadContext): RawTrajectory {
  const run = chatRun({ messages: trial['traj'] ?? [] }, context);
  const info = isObject(trial['info']) ? trial['info'] : {};
  const reward = asNumber(trial['reward']);
  const graded = isObject(info['reward_info']) ? asNumber(info['reward_info']['reward']) : null;
  const flags = new Set(run.flags);
  const contradicts = graded !== null && reward !== null && graded !== reward;
  if (contradicts) flags.add('reward_contradicts_info');
  const failed = asString(info['error']);
  const task = taskName(run.turns, asId(trial['task_id']));
  return {
    ...run,
    session_id: task === null ? null : `${task}/${asId(trial['trial']) ?? '0'}`,
    group: task,
    task_id: task,
    scaffold: GRADER,
    termination: failed === null ? terminationOf(run.turns) : 'error',
    resolved: contradicts || (reward !== 0 && reward !== 1) ? null : reward === 1,
    submissions: [
      makeSubmission(
        { execution_id: null, order: 0, gradable: reward !== null, score: reward, scale: 'test' },
        { grader: GRADER },
      ),
    ],
    feedback_exposes_test_score: false,
    flags: [...flags],
  };
}

/** The number of a task counts within its domain, which only the policy in the prompt names. */
function taskName(turns: readonly Turn[], id: string | null): string | null {
  const [first] = turns;
  const domain = first?.role === 'system' ? DOMAIN.exec(turnContent(first).trimStart())?.[1] : undefined;
  return id === null ? null : `${GRADER}/${domain?.toLowerCase() ?? 'unknown'}/${id}`;
}

function terminationOf(turns: readonly Turn[]): Termination {
  const last = turns.at(-1);
  if (last === undefined) return 'unknown';
  if (last.role === 'user' && STOP.test(turnContent(last))) return 'submitted';
  const replies = turns.filter((turn) => turn.role === 'assistant');
  const handed = replies.at(-1)?.spans.some((span) => span.call?.name === HAND_OVER) ?? false;
  if (handed && last.role === 'tool') return 'submitted';
  return replies.length >= MAX_STEPS ? 'step_limit' : 'unknown';
}
