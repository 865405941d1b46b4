import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchConversations, type LogOptions, writeConversations } from './conversations.js';
import type { BenchResult } from './figures.js';

/** Enough that the hot code of a run is compiled, which a run pays once whatever its size. */
const SMALL_BYTES = 24_000_000;
const LARGE_BYTES = 240_000_000;

/** Prints what the process used, when it ends; worker threads load it too and stay silent. */
const METER_SOURCE = [
  "import { isMainThread } from 'node:worker_threads';",
  "import { existsSync, readFileSync } from 'node:fs';",
  "if (isMainThread) process.on('exit', () => {",
  '  const used = process.resourceUsage();',
  // maxRSS starts with that of the process that forked this one; the high-water mark of its own memory does not
  "  const own = '/proc/self/status';",
  "  const mark = existsSync(own) ? /VmHWM:\\s*(\\d+)/.exec(readFileSync(own, 'utf8'))?.[1] : undefined;",
  '  const peak = Number(mark ?? used.maxRSS);',
  '  const usage = { cpu: (used.userCPUTime + used.systemCPUTime) / 1e6, rss: peak * 1024 };',
  "  process.stderr.write('\\nusage ' + JSON.stringify(usage) + '\\n');",
  '});',
].join('\n');
const METER = `data:text/javascript,${encodeURIComponent(METER_SOURCE)}`;

interface Usage {
  readonly wall: number;
  /** user and system seconds of all threads */
  readonly cpu: number;
  /** peak resident bytes */
  readonly rss: number;
}

interface Job extends Usage {
  readonly megabytes: number;
}

/** MB a CPU second. What a run costs whatever its size is the same in both, so the difference is the work alone. */
function withoutStart(small: Job, large: Job): number {
  return (large.megabytes - small.megabytes) / (large.cpu - small.cpu);
}

/** A conversation that is left out costs little, which would flatter. */
function refuseLosses(out: string): void {
  const { read, kept } = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')) as Record<
    string,
    number
  >;
  if (read !== kept) throw new Error(`of ${read} conversations only ${kept} became rows`);
}

function measure(args: readonly string[]): Promise<Usage> {
  const start = performance.now();
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, ['--import', METER, 'dist/cli/main.js', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.on('error', fail);
    child.on('close', (code) => {
      const usage = /usage (\{.*\})/.exec(text)?.[1];
      if (code !== 0 || usage === undefined) fail(new Error(`the run ended with ${code}: ${text}`));
      else done({ wall: (performance.now() - start) / 1000, ...(JSON.parse(usage) as Omit<Usage, 'wall'>) });
    });
  });
}

/**
 * The whole job, raw JSON lines to verified Parquet shards, in processes of their own. The log holds the same
 * conversations over and over, as a task's attempts do but more so; since lines seen before cost less, the work is also
 * measured where none repeats.
 */
export async function benchPipeline(): Promise<BenchResult> {
  return measurePipeline(await benchConversations());
}

export async function measurePipeline(conversations: LogOptions['conversations']): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'trajmill-bench-'));
  try {
    const job = async (bytes: number, workers: number, unrepeated = false): Promise<Job> => {
      const name = `${bytes}-${workers}${unrepeated ? '-unrepeated' : ''}`;
      const log = join(folder, `${name}.jsonl`);
      const size = await writeConversations(log, bytes, { conversations, unrepeated });
      const pipeline = join(folder, `${name}.yaml`);
      writeFileSync(
        pipeline,
        `version: 1\ninputs: [{ globs: ['${log}'] }]\nselection: { rules: [whole] }\ntables: [sft, trajectories]\n`,
      );
      const out = join(folder, `out-${name}`);
      const usage = await measure(['run', pipeline, '--out', out, '--workers', String(workers)]);
      refuseLosses(out);
      rmSync(log);
      rmSync(out, { recursive: true });
      return { ...usage, megabytes: size / 1e6 };
    };
    const small = await job(SMALL_BYTES, 1);
    const one = await job(LARGE_BYTES, 1);
    const two = await job(LARGE_BYTES, 2);
    const newSmall = await job(SMALL_BYTES, 1, true);
    const newOne = await job(LARGE_BYTES, 1, true);
    const rate = ({ megabytes, wall }: Job): number => megabytes / wall;
    const perCore = withoutStart(small, one);
    const unrepeated = withoutStart(newSmall, newOne);
    return {
      figures: {
        pipeline_mb_per_s_per_core: perCore,
        pipeline_mb_per_s_per_core_unrepeated: unrepeated,
        speedup_1_to_2_workers: one.wall / two.wall,
        peak_rss_10x_vs_1x: one.rss / small.rss,
      },
      rows: [
        { what: 'raw log, 1 worker, wall, start-up included', value: rate(one), unit: 'MB/s' },
        { what: 'raw log, 2 workers, wall, start-up included', value: rate(two), unit: 'MB/s' },
        { what: 'raw log a CPU second, start-up included', value: one.megabytes / one.cpu, unit: 'MB/s' },
        { what: 'raw log a CPU second, start-up taken off', value: perCore, unit: 'MB/s' },
        { what: 'the same, logs in which no line repeats', value: unrepeated, unit: 'MB/s' },
        { what: `peak memory, ${small.megabytes.toFixed(0)} MB of log`, value: small.rss / 1e6, unit: 'MB' },
        { what: `peak memory, ${one.megabytes.toFixed(0)} MB of log`, value: one.rss / 1e6, unit: 'MB' },
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
