import { byCodeUnit } from '../stats/groups.js';
import type { ReportFacts } from './report-facts.js';

/**
 * The facts of at most `limit` trajectories: those with the lowest ids. An id is a sha256 of what a trajectory says, so
 * this draw is uniform, and the same in every run. Gives back the facts themselves where they are few enough.
 */
export function sampleFacts(all: ReportFacts, limit: number): ReportFacts {
  if (all.trajectories.length <= limit) return all;
  const ids = all.trajectories.map(({ trajectory_id: id }) => id).sort(byCodeUnit);
  const last = ids[limit - 1] ?? '';
  const own = <T extends { readonly trajectory_id: string }>(rows: readonly T[]): T[] =>
    rows.filter(({ trajectory_id: id }) => id <= last);
  const { runs, trajectories, prefixes, ...rest } = all.facts;
  return {
    facts: { ...rest, runs: own(runs), trajectories: own(trajectories), prefixes: own(prefixes) },
    trajectories: own(all.trajectories),
    rows: own(all.rows),
    lengths: own(all.lengths),
    policy: all.policy,
    rejects: all.rejects,
  };
}
