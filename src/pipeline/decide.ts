import type { Decisions, Survey } from './completion.js';

/**
 * The decide pass: over the surveys of all tasks, in plan order, which trajectories equal an earlier one. The
 * first in plan order is the one that stands.
 */
export function decide(planId: string, surveys: Iterable<Survey>): Decisions {
  const seen = new Map<string, number>();
  const duplicates: Record<string, Record<string, number>> = {};
  for (const survey of surveys) {
    survey.rows.forEach(([id], order) => {
      const before = seen.get(id) ?? 0;
      seen.set(id, before + 1);
      if (before === 0) return;
      const ofTask = duplicates[String(survey.task)] ?? {};
      ofTask[String(order)] = before;
      duplicates[String(survey.task)] = ofTask;
    });
  }
  return { plan_id: planId, duplicates };
}
