import { benchEncoder } from './encoder.js';
import type { Benchmark, BenchRow } from './figures.js';
import { benchMasks } from './masks.js';
import { benchPeers } from './peers.js';
import { benchPipeline } from './pipeline.js';

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  encoder: benchEncoder,
  masks: benchMasks,
  pipeline: benchPipeline,
};

/** Needs the Python environment of test/interop, so it runs only where it is named. */
const PEERS: Readonly<Record<string, Benchmark>> = { peers: benchPeers };

/** `main.js [NAME...] [--json]`: runs the named benchmarks, or all, and prints one table or one JSON object. */
async function main(args: readonly string[]): Promise<void> {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const known = { ...BENCHMARKS, ...PEERS };
  const unknown = names.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) {
    console.error(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(known).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  const figures: Record<string, number> = {};
  const rows: Array<BenchRow & { readonly benchmark: string }> = [];
  for (const [benchmark, run] of Object.entries(known)) {
    if (names.length > 0 ? !names.includes(benchmark) : benchmark in PEERS) continue;
    const result = await run();
    Object.assign(figures, result.figures);
    rows.push(...result.rows.map((row) => ({ benchmark, ...row })));
  }
  if (args.includes('--json')) console.log(JSON.stringify({ ...figures, rows }, null, 2));
  else printTable(figures, rows);
}

function printTable(
  figures: Record<string, number>,
  rows: ReadonlyArray<BenchRow & { benchmark: string }>,
): void {
  for (const { benchmark, what, value, unit } of rows) {
    console.log(`${benchmark.padEnd(10)} ${what.padEnd(42)} ${value.toFixed(2).padStart(10)} ${unit}`);
  }
  console.log();
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(53)} ${value.toFixed(2).padStart(10)}`);
}

await main(process.argv.slice(2));
