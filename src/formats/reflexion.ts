import { RejectError } from '../logs/reject.js';
import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Turn } from '../trajectory/turn.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { listAt, objectOf } from './fields.js';
import { rawTrajectory } from './raw-trajectory.js';
import { detectRows, readRows } from './row-lists.js';
import { asArray, asBoolean, asId, asString, hasKeys, isObject, type JsonObject } from './shape.js';

export const reflexion: FormatAdapter = {
  name: 'reflexion',
  version: '1',
  unit: 'document',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title:
      'Reflexion results: reflections by environment (ALFWorld), or programs with feedback and reflections',
    recognised_by: 'rows with name, memory and is_success, or with reflections and is_solved',
    scores: 'none; `resolved` is is_success or is_solved, of which is_success counts over all trials so far',
    executions: 'none: how often programs ran is not logged',
    reasoning: 'none',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'ALFWorld: what was done in the environment is in another log; prompts are not logged (flag prompts_absent)',
      'environments without a reflection hold no text of a model: they are rejected together, with their number',
      'solution and test cases of programs, which repeat the last implementation',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  return detectRows(sniff, isRow, {
    confidence: 'certain',
    reason: 'rows with memory or reflections and an outcome',
  });
}

function isRow(value: unknown): boolean {
  return hasKeys(value, 'name', 'memory', 'is_success') || hasKeys(value, 'reflections', 'is_solved');
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (!Array.isArray(input)) return [readRow(objectOf(input, 'row'), context)];
  const silent = input.filter((row) => isObject(row) && !hasText(row)).length;
  const rows = input.filter((row) => !isObject(row) || hasText(row));
  const runs = readRows(rows, context, (row, path) => [readRow(objectOf(row, path), context)]);
  if (silent > 0) {
    context.refuse(
      new RejectError('no_model_turns', `${silent} of ${input.length} environments hold no text of a model`),
    );
  }
  return runs;
}

function hasText(row: JsonObject): boolean {
  return ['memory', 'reflections', 'implementations'].some((key) => asArray(row[key]).length > 0);
}

function readRow(row: JsonObject, context: ReadContext): RawTrajectory {
  const inEnvironment = Object.hasOwn(row, 'memory');
  const turns = inEnvironment ? memoryTurns(row) : programTurns(row);
  if (turns.length === 0) throw new RejectError('no_model_turns', 'no text of a model');
  const trial = /trial_(\d+)/.exec(context.place.path)?.[1];
  return rawTrajectory(
    { turns, executions: [] },
    {
      session_id: inEnvironment && trial !== undefined ? `trial_${trial}/${asId(row['name'])}` : null,
      task_id: asId(row['name']) ?? asId(row['task_id']),
      scaffold: 'reflexion',
      resolved: asBoolean(row[inEnvironment ? 'is_success' : 'is_solved']),
      flags: [
        'no_experiment_boundary',
        ...(inEnvironment ? ['prompts_absent', 'success_is_cumulative'] : []),
      ],
    },
  );
}

function memoryTurns(row: JsonObject): Turn[] {
  return (listAt(row, 'memory', '') ?? []).map((text) => reply(asString(text) ?? ''));
}

/** Prompt, then each implementation with its feedback and the reflection on it. */
function programTurns(row: JsonObject): Turn[] {
  const prompt = asString(row['prompt']);
  const turns: Turn[] =
    prompt === null ? [] : [makeTurn('user', [contentSpan('prompt', 'environment', prompt)])];
  const programs = asArray(row['implementations']);
  const feedback = asArray(row['test_feedback']);
  const reflections = asArray(row['reflections']);
  const rounds = Math.max(programs.length, reflections.length);
  for (let round = 0; round < rounds; round++) {
    const program = asString(programs[round]);
    const shown = asString(feedback[round]);
    const reflection = asString(reflections[round]);
    if (program !== null) turns.push(reply(program));
    if (shown !== null) turns.push(makeTurn('user', [contentSpan('observation', 'environment', shown)]));
    if (reflection !== null) turns.push(reply(reflection));
  }
  return turns;
}

function reply(text: string): Turn {
  return makeTurn('assistant', [contentSpan('text', 'model', text)]);
}
