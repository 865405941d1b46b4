import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { ForkedHistory } from './codex-fork.js';
import { callEvents, codexOutcome } from './codex-outcomes.js';
import {
  isBareLine,
  isEnvelope,
  isFirstRollout,
  type RolloutRecord,
  rolloutMark,
  rolloutRecords,
} from './codex-records.js';
import { rolloutRun } from './codex-session.js';
import { listOf } from './fields.js';
import { mostUsedModel, withoutOwnModel } from './model-names.js';
import { rawTrajectory } from './raw-trajectory.js';
import { scoredCalls } from './scored-calls.js';
import { asArray, asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';
import { requireModelTurns, shellExecutions } from './shell-executions.js';

export const codexRollout: FormatAdapter = {
  name: 'codex-rollout',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Codex CLI rollouts (JSON lines), first versions to 0.14x; of the first CLI in TypeScript, one JSON',
    recognised_by:
      'lines of type and payload with session_meta, response_item or event_msg, or bare items of first versions; one JSON of session and items',
    scores: 'none',
    executions:
      'calls with exit code and time from events or the frame around their output; experiments only if a pipeline names tools or command patterns',
    reasoning:
      'where its text is logged; encrypted reasoning is absent (reasoning_hidden) or a summary (reasoning_summary)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'reasoning is encrypted: its summaries are words about it, kept as environment text; events repeat them',
      'events repeat the texts of items and are left out; a text that only an event holds is kept (flag from_event)',
      'events about reviews, goals, plans, images, approvals, sub-agents and token counts',
      'the report of a review, which the harness puts into the thread as a reply, is environment (flag harness_reply)',
      'tool definitions and the namespace of a call',
      'results of searches and pictures that the provider makes itself are not recorded as the model saw them',
      'a compaction without replacement_history leaves the new context partly unknown (flag context_partly_unknown)',
      'history that a fork copied is told by the times in the ids of its turns, in older versions by what was written within a second of the first line',
      'pictures, audio and encrypted parts become placeholders',
    ],
  },
  detect,
  sessionOf: rolloutMark,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (isFirstRollout(sniff.json)) {
    return {
      confidence: 'certain',
      reason: 'the session and items of a first Codex rollout',
      unit: 'document',
    };
  }
  if (sniff.lines.some(isEnvelope)) return { confidence: 'certain', reason: 'lines of a Codex rollout' };
  const [first] = sniff.lines;
  const opens = isObject(first) && first['type'] === undefined && typeof first['timestamp'] === 'string';
  const bare = sniff.lines.filter(isBareLine);
  const dated = bare.filter((line) => hasKeys(line, 'created_at'));
  if (bare.length === 0) return null;
  const headed = opens && asId(first['id']) !== null;
  if (!headed && dated.length === 0) return null;
  // Other logs of chat messages have their time beside them as well; items of another type are Codex's alone.
  const certain = headed || dated.some((line) => hasKeys(line, 'type'));
  return { confidence: certain ? 'certain' : 'likely', reason: 'lines of an early Codex rollout' };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const lines = isFirstRollout(input)
    ? [input['session'], ...asArray(input['items'])]
    : listOf(input, 'lines');
  const run = readRollout(rolloutRecords(lines), context);
  requireModelTurns(run.turns);
  return [run];
}

function readRollout(records: readonly RolloutRecord[], context: ReadContext): RawTrajectory {
  const meta = records.find((record) => record.type === 'session_meta')?.payload ?? {};
  const instructions = meta['base_instructions'];
  const base = isObject(instructions) ? asString(instructions['text']) : asString(instructions);
  const forked = asId(meta['forked_from_id']) !== null;
  const history = forked ? new ForkedHistory(records, asId(meta['id'])) : null;
  const run = rolloutRun(records, { base, history });
  const model = mostUsedModel(run.turns);
  const turns = withoutOwnModel(run.turns, model);
  const events = callEvents(run.events);
  const executions = shellExecutions(turns, context, (call) =>
    codexOutcome(turns, call, { feedback_turn: run.answerTo(call), events }),
  );
  const scored = scoredCalls(turns, executions, context);
  const agent = subagentOf(meta);
  return rawTrajectory(
    { turns, executions },
    {
      session_id: asId(meta['id']),
      parent_session: agent?.parent ?? null,
      scaffold: 'codex',
      scaffold_version: asString(meta['cli_version']),
      model,
      submissions: scored.submissions,
      epochs: run.epochs,
      termination: run.termination,
      flags: [
        ...scored.flags,
        ...(base === null ? ['system_prompt_absent'] : []),
        ...(agent === null ? [] : ['subagent']),
        ...(forked ? ['forked_session'] : []),
        ...run.flags,
      ],
    },
  );
}

/** Set where another thread started this one; `parent` where the log names it. */
function subagentOf(meta: JsonObject): { parent: string | null } | null {
  const { source } = meta as { source?: unknown };
  const agent = isObject(source) ? source['subagent'] : undefined;
  const spawn = isObject(agent) && isObject(agent['thread_spawn']) ? agent['thread_spawn'] : {};
  const parent = asId(spawn['parent_thread_id']) ?? asId(meta['parent_thread_id']);
  return agent === undefined && parent === null ? null : { parent };
}
