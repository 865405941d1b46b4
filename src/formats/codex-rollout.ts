import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { mostUsedModel, withoutOwnModel } from './anthropic-turns.js';
import { callEvents, codexOutcome } from './codex-outcomes.js';
import {
  gluedRollouts,
  isBareLine,
  isEnvelope,
  type RolloutRecord,
  rolloutRecords,
} from './codex-records.js';
import { rolloutRun } from './codex-session.js';
import { listOf } from './fields.js';
import { rawTrajectory } from './raw-trajectory.js';
import { scoredCalls } from './scored-calls.js';
import { asId, asString, isObject, type JsonObject } from './shape.js';
import { requireModelTurns, shellExecutions } from './shell-executions.js';

export const codexRollout: FormatAdapter = {
  name: 'codex-rollout',
  version: '1',
  unit: 'lines',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'Codex CLI rollouts (JSON lines), first versions to 0.14x',
    recognised_by:
      'lines of type and payload with session_meta, response_item or event_msg, or bare items of first versions',
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
      'tool definitions and the namespace of a call',
      'results of searches and pictures that the provider makes itself are not recorded as the model saw them',
      'a compaction without replacement_history leaves the new context partly unknown (flag context_partly_unknown)',
      'history that a fork copied is told by its time alone: what was written within a second of the first line',
      'pictures, audio and encrypted parts become placeholders',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.lines.some(isEnvelope)) return { confidence: 'certain', reason: 'lines of a Codex rollout' };
  const [first] = sniff.lines;
  const opens = isObject(first) && first['type'] === undefined && typeof first['timestamp'] === 'string';
  const dated = sniff.lines.some(
    (line) => isObject(line) && line['created_at'] !== undefined && isBareLine(line),
  );
  const bare = sniff.lines.filter(isBareLine).length;
  if (bare === 0 || !(dated || (opens && asId((first as JsonObject)['id']) !== null))) return null;
  return { confidence: 'certain', reason: 'lines of an early Codex rollout' };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  const runs = gluedRollouts(rolloutRecords(listOf(input, 'lines'))).map((records) =>
    readRollout(records, context),
  );
  if (runs.length === 1) requireModelTurns(runs[0]?.turns ?? []);
  return runs;
}

function readRollout(records: readonly RolloutRecord[], context: ReadContext): RawTrajectory {
  const meta = records.find((record) => record.type === 'session_meta')?.payload ?? {};
  const instructions = meta['base_instructions'];
  const base = isObject(instructions) ? asString(instructions['text']) : asString(instructions);
  const forked = asId(meta['forked_from_id']) !== null;
  const run = rolloutRun(records, { base, forked });
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
