import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sumFile } from '../tables/file-sum.js';
import { writeFileAtomic } from './atomic-file.js';
import { canonicalJson } from './canonical-json.js';
import { type Decisions, decisionsSchema, type TaskDecisions, taskDecisionsSchema } from './decisions.js';
import { type RunFolder, taskName } from './run-folder.js';
import { type Survey, surveySchema } from './survey.js';
import { taskTotalsSchema } from './task-totals.js';

export const partSchema = z.strictObject({
  path: z.string().describe('relative to the run folder'),
  table: z.string().describe('table name, or `rejects`'),
  split: z.string(),
  rows: z.int(),
  tokens: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  row_groups: z.int(),
});
export type Part = z.infer<typeof partSchema>;

/** Marker of a finished task: written last, so that its existence means that its parts are whole. */
export const completionSchema = z.strictObject({
  plan_id: z.string(),
  task: z.int(),
  parts: z.array(partSchema),
  totals: taskTotalsSchema,
});
export type Completion = z.infer<typeof completionSchema>;

/** A marker of this plan, or null where there is none that can be read. */
export function readMarker<T extends { plan_id: string }>(
  path: string,
  schema: z.ZodType<T>,
  planId: string,
): T | null {
  try {
    const value = schema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return value.plan_id === planId ? value : null;
  } catch {
    // missing, torn or of another version: the work is owed again
    return null;
  }
}

export function completionPath(folder: RunFolder, task: number): string {
  return join(folder.completions, `${taskName(task)}.json`);
}

export function surveyPath(folder: RunFolder, task: number): string {
  return join(folder.survey, `${taskName(task)}.json`);
}

/** Decisions on the trajectories of one task. */
export function taskDecisionsPath(folder: RunFolder, task: number): string {
  return join(folder.taskDecisions, `${taskName(task)}.json`);
}

export function writeMarker<T extends { readonly plan_id: string }>(path: string, value: T): void {
  writeFileAtomic(path, `${canonicalJson(value)}\n`);
}

/** The completion of a task of this plan, or null where it is owed. */
export function readCompletion(folder: RunFolder, task: number, planId: string): Completion | null {
  return readMarker(completionPath(folder, task), completionSchema, planId);
}

export function readSurvey(folder: RunFolder, task: number, planId: string): Survey | null {
  return readMarker(surveyPath(folder, task), surveySchema, planId);
}

export function readDecisions(folder: RunFolder, planId: string): Decisions | null {
  return readMarker(folder.decisions, decisionsSchema, planId);
}

export function readTaskDecisions(folder: RunFolder, task: number, planId: string): TaskDecisions | null {
  return readMarker(taskDecisionsPath(folder, task), taskDecisionsSchema, planId);
}

/** Whether every part of a completion lies where it says and is as long; see `partsIntact` for its bytes. */
export function partsPresent(folder: RunFolder, { parts }: Completion): boolean {
  try {
    return parts.every(({ path, bytes }) => statSync(join(folder.dir, path)).size === bytes);
  } catch {
    return false;
  }
}

/** Whether every part of a completion still lies where it says, byte for byte. */
export async function partsIntact(folder: RunFolder, completion: Completion): Promise<boolean> {
  if (!partsPresent(folder, completion)) return false;
  for (const { path, sha256 } of completion.parts) {
    if ((await sumFile(join(folder.dir, path))).sha256 !== sha256) return false;
  }
  return true;
}
