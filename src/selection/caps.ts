import { createHash } from 'node:crypto';
import { z } from 'zod';

const limit = z.int().min(0).nullable().default(null);

export const capsSchema = z
  .strictObject({
    task: limit.describe('most kept trajectories of one task; runs of unknown tasks are not counted'),
    source: limit.describe(
      'most kept trajectories of one source: the name that its inputs give, else the raw file',
    ),
    stage: limit.describe('most kept trajectories of one stage'),
    survive: z
      .enum(['seeded', 'first'])
      .default('seeded')
      .describe('who stays: by a hash of seed and trajectory_id, or the first in plan order'),
  })
  .describe('caps, counted over what selection keeps');
export type CapOptions = z.infer<typeof capsSchema>;

/** Reasons under which a trajectory is left out by a cap. */
export const CAP_REASONS = ['cap_task', 'cap_source', 'cap_stage'] as const;
export type CapReason = (typeof CAP_REASONS)[number];

/** A place that a trajectory takes under one cap. */
export interface Place {
  readonly reason: CapReason;
  /** what is counted: equal keys share the limit */
  readonly key: string;
  readonly limit: number;
}

export interface Candidate {
  readonly trajectory_id: string;
  /** how many equal trajectories stand before it */
  readonly occurrence: number;
  readonly places: readonly Place[];
}

/**
 * Who is left out: candidate by candidate, in seeded or plan order, each stays if all of its places are free, and
 * takes them. Gives the first full place by index of the candidate. The seeded order depends on nothing but seed and
 * trajectories, so neither files nor tasks change who stays.
 */
export function overCaps(
  candidates: readonly Candidate[],
  { survive, seed }: { survive: CapOptions['survive']; seed: number },
): Map<number, Place> {
  const order = [...candidates.keys()];
  if (survive === 'seeded') {
    const ranks = candidates.map(({ trajectory_id, occurrence }) =>
      createHash('sha256').update(`${seed}\n${trajectory_id}\n${occurrence}`).digest('hex'),
    );
    order.sort((a, b) => ((ranks[a] ?? '') < (ranks[b] ?? '') ? -1 : 1));
  }
  const taken = new Map<string, number>();
  const left = new Map<number, Place>();
  for (const index of order) {
    const places = candidates[index]?.places ?? [];
    const full = places.find((place) => countOf(place) >= place.limit);
    if (full !== undefined) left.set(index, full);
    else for (const place of places) taken.set(placeKey(place), countOf(place) + 1);
  }
  return left;

  function countOf(place: Place): number {
    return taken.get(placeKey(place)) ?? 0;
  }
}

function placeKey({ reason, key }: Place): string {
  return `${reason}\n${key}`;
}
