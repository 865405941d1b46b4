import { join } from 'node:path';
import { z } from 'zod';
import { canonicalJson } from './canonical-json.js';
import { completionSchema, readMarker } from './completion.js';
import { decide } from './decide.js';
import { type DecisionRow, type Decisions, decisionRowSchema, type TaskDecisions } from './decisions.js';
import type { Plan } from './plan.js';
import { type RunFolder, taskName } from './run-folder.js';
import type { SurveyRow } from './survey.js';
import { askedScales, asksProspects } from './survey-questions.js';

/**
 * A task that was built while it was surveyed, as if no other task could change what becomes of its trajectories.
 * It stands where the whole corpus then decides the same; else the task is built again.
 */
export const presumptionSchema = z.strictObject({
  plan_id: z.string(),
  rows: z.array(decisionRowSchema).describe('decisions on its trajectories that were presumed'),
  completion: completionSchema,
});
export type Presumption = z.infer<typeof presumptionSchema>;

/**
 * Whether building at once is worth while: quantiles, caps and shares hang on the whole corpus, and whoever looks for
 * near duplicates has them.
 */
export function mayPresume({ body }: Plan): boolean {
  return (
    body.config.near_duplicates === null && askedScales(body).length === 0 && !asksProspects(body.config)
  );
}

/** What the corpus decides where no trajectory has a say. */
export function presumedDecisions(plan: Plan): Decisions {
  return decide(plan, []).decisions;
}

/** What is decided on a trajectory that has no equal. */
export function presumedRow(row: SurveyRow, order: number): DecisionRow | null {
  if (row.left_out === undefined) return null;
  const { reason, detail } = row.left_out;
  return {
    order,
    trajectory_id: row.id,
    occurrence: 0,
    decision: 'filtered',
    reason,
    duplicate_of: null,
    detail,
  };
}

/** Whether the corpus decided as it was presumed. */
export function cameTrue(
  presumed: { readonly rows: readonly DecisionRow[] },
  decided: TaskDecisions,
): boolean {
  return canonicalJson(presumed.rows) === canonicalJson(decided.rows);
}

/** Whether what holds for all trajectories came as presumed. */
export function corpusCameTrue(plan: Plan, decisions: Decisions): boolean {
  return said(presumedDecisions(plan)) === said(decisions);
}

/** Counts of trajectories aside, which no row shows. */
function said({ thresholds, quantiles, weights }: Decisions): string {
  const weighed = weights.map(({ stage, source, weight }) => ({ stage, source, weight }));
  return canonicalJson({ thresholds, quantiles, weights: weighed });
}

export function presumptionPath(folder: RunFolder, task: number): string {
  return join(folder.presumed, `${taskName(task)}.json`);
}

/** A task of this plan that was built while it was surveyed, or null. */
export function readPresumption(folder: RunFolder, task: number, planId: string): Presumption | null {
  return readMarker(presumptionPath(folder, task), presumptionSchema, planId);
}
