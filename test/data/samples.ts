import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { taskRecordSchema } from '../../src/grading/task-record.js';

export const DATA_DIR = fileURLToPath(new URL('../../data', import.meta.url));
export const SAMPLES_DIR = join(DATA_DIR, 'samples');

const submissionSchema = z.strictObject({
  outcome: z.enum(['graded', 'invalid', 'missing']),
  stale: z.boolean(),
  score_test: z.number().nullable(),
  medal: z.enum(['gold', 'silver', 'bronze', 'none']).nullable(),
  error: z.string().nullable(),
  score_self_reported: z.number().nullable().optional(),
});

const executionSchema = z.strictObject({
  order: z.int(),
  kind: z.enum(['experiment', 'scoring', 'other']),
  status: z.enum(['ok', 'error', 'timeout', 'unknown']),
  exit_code: z.int().nullable(),
  seconds: z.number().nullable(),
  submission: submissionSchema.nullable().optional(),
});

const sessionSchema = z.strictObject({
  line: z.int().nullable(),
  copy_of: z.string().optional(),
  name: z.string(),
  task_id: z.string(),
  termination: z.enum(['ended', 'answer', 'timeout', 'token_limit_no_answer', 'cut']),
  n_model_turns: z.int(),
  covers: z.array(z.string()),
  resolved: z.boolean().optional(),
  executions: z.array(executionSchema),
});

const fileSchema = z.strictObject({
  path: z.string(),
  format: z.string(),
  sidecar: z.boolean().optional(),
  trajectories: z.array(sessionSchema),
  rejects: z.array(z.strictObject({ line: z.int(), code: z.string() })),
});

const expectedSchema = z.strictObject({
  made_by: z.string(),
  python: z.string(),
  tasks: z.record(z.string(), taskRecordSchema),
  files: z.array(fileSchema),
  coverage: z.record(z.string(), z.array(z.string())),
});

const boardsSchema = z.record(
  z.string(),
  z.array(z.strictObject({ name: z.string(), score: z.number() })).min(30),
);

export type ExpectedSubmission = z.infer<typeof submissionSchema>;
export type ExpectedSession = z.infer<typeof sessionSchema>;
export type ExpectedFacts = z.infer<typeof expectedSchema>;

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Facts of a run of the sample runner, under the folder that it wrote to. */
export function readFacts(dataDir: string): ExpectedFacts {
  return expectedSchema.parse(readJson(join(dataDir, 'samples', 'expected.json')));
}

export function readBoards(dataDir: string): z.infer<typeof boardsSchema> {
  return boardsSchema.parse(readJson(join(dataDir, 'tasks', 'sample-leaderboards.json')));
}

export function readLog(path: string): string {
  return readFileSync(join(SAMPLES_DIR, path), 'utf8');
}

/** Paths of all log files, relative to the samples folder. */
export function logPaths(): string[] {
  const entries = readdirSync(join(SAMPLES_DIR, 'logs'), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(SAMPLES_DIR.length + 1))
    .sort();
}

export function sessionsOf(facts: ExpectedFacts): ExpectedSession[] {
  return facts.files.flatMap((file) => file.trajectories);
}

export function sessionNamed(facts: ExpectedFacts, name: string): ExpectedSession {
  const found = sessionsOf(facts).find((session) => session.name === name);
  if (found === undefined) throw new Error(`no sample session ${name}`);
  return found;
}

/** What was handed in and graded or refused, in order. */
export function submissionsOf(session: ExpectedSession): ExpectedSubmission[] {
  return session.executions.flatMap((execution) => execution.submission ?? []);
}

/** Scores of the graded, fresh submissions, in order. */
export function scoresOf(session: ExpectedSession): number[] {
  return submissionsOf(session).flatMap((submission) =>
    submission.stale || submission.score_test === null ? [] : [submission.score_test],
  );
}
