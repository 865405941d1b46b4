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

/**
 * CPU seconds (all threads, user and system) of the cheapest of `runs` runs: what a ratio per core is made of, also on
 * a machine that is busy with other things.
 */
export async function cheapest(runs: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    globalThis.gc?.();
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, user + system);
  }
  return best / 1e6;
}
