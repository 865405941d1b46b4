import { z } from 'zod';

export const nearDuplicatesSchema = z
  .strictObject({
    ngram: z.int().min(1).default(5).describe('words a shingle'),
    buckets: z.int().min(1).default(14),
    hashes: z
      .int()
      .min(1)
      .default(8)
      .describe('hashes a bucket; two texts are near when all hashes of a bucket agree'),
    text: z
      .enum(['actions', 'all'])
      .default('actions')
      .describe('what is compared: what the model wrote, or prompts and feedback too'),
  })
  .describe('near duplicates by MinHash: of a cluster the first in plan order stays');
export type NearDuplicateOptions = z.infer<typeof nearDuplicatesSchema>;

/**
 * The clusters of near duplicates: for each item the index of the first of its cluster, itself where it is alone.
 * Items are near when their signatures agree in all hashes of one bucket, clusters are what chains of them join.
 * Items without a signature (null) are alone.
 */
export function nearDuplicateClusters(
  signatures: readonly (Uint32Array | null)[],
  { buckets, hashes }: Pick<NearDuplicateOptions, 'buckets' | 'hashes'>,
): Int32Array {
  const first = Int32Array.from(signatures.keys());
  const size = buckets * hashes;
  // one flat array: sorting asks for its numbers millions of times
  const flat = new Uint32Array(signatures.length * size);
  const signed: number[] = [];
  signatures.forEach((signature, index) => {
    if (signature === null) return;
    flat.set(signature, index * size);
    signed.push(index);
  });
  for (let from = 0; from < size; from += hashes) {
    const compareBucket = (a: number, b: number): number => {
      for (let h = from; h < from + hashes; h++) {
        const difference = (flat[a * size + h] ?? 0) - (flat[b * size + h] ?? 0);
        if (difference !== 0) return difference;
      }
      return 0;
    };
    const sorted = Int32Array.from(signed).sort((a, b) => compareBucket(a, b) || a - b);
    for (let i = 1; i < sorted.length; i++) {
      const [before, here] = [sorted[i - 1] ?? 0, sorted[i] ?? 0];
      if (compareBucket(before, here) === 0) join(first, before, here);
    }
  }
  for (const index of first.keys()) first[index] = rootOf(first, index);
  return first;
}

function rootOf(parents: Int32Array, index: number): number {
  let root = index;
  while ((parents[root] ?? root) !== root) root = parents[root] ?? root;
  // shorten the path for the next question
  let at = index;
  while (at !== root) {
    const next = parents[at] ?? root;
    parents[at] = root;
    at = next;
  }
  return root;
}

/** Joins two clusters under the earlier of their first items. */
function join(parents: Int32Array, a: number, b: number): void {
  const [left, right] = [rootOf(parents, a), rootOf(parents, b)];
  if (left < right) parents[right] = left;
  else parents[left] = right;
}
