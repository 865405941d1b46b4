/** Wall seconds of the fastest of `runs` runs, each after a garbage collection where node exposes it. */
export async function fastest(runs: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    globalThis.gc?.();
    const start = performance.now();
    await work();
    best = Math.min(best, performance.now() - start);
  }
  return best / 1000;
}
