import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchConversations, type LogOptions, writeConversations } from './conversations.js';
import type { BenchResult } from './figures.js';

const SMALL_BYTES = 24_000_000;
const LARGE_BYTES = 10 * SMALL_BYTES;
/** So much that the last of the compiling, which goes on until some 200 MB were read, is a small part of the work. */
const LARGEST_BYTES = 20 * SMALL_BYTES;

/** How often each of two jobs is done whose difference matters: a neighbour on the machine spoils one by a third. */
export const ROUNDS = 3;

/** Rows and what became of each run, and what a trainer needs. */
const TABLES = ['sft', 'trajectories'];
const TRAINED_TABLES = ['sft'];

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
function withoutStart({ small, largest }: { readonly small: Job; readonly largest: Job }): number {
  return (largest.megabytes - small.megabytes) / (largest.cpu - small.cpu);
}

/** Of equal jobs the one that was disturbed least. */
export function leastWork<J extends { readonly cpu: number }>(jobs: readonly J[]): J {
  return jobs.reduce((least, job) => (job.cpu < least.cpu ? job : least));
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

interface JobOptions {
  readonly bytes: number;
  readonly workers?: number;
  readonly unrepeated?: boolean;
  readonly tables?: readonly string[];
}

/** Runs pipelines over logs of the same conversations in a folder of its own. */
class Jobs {
  readonly #folder = mkdtempSync(join(tmpdir(), 'trajmill-bench-'));
  readonly #conversations: LogOptions['conversations'];

  constructor(conversations: LogOptions['conversations']) {
    this.#conversations = conversations;
  }

  async run({ bytes, workers = 1, unrepeated = false, tables = TABLES }: JobOptions): Promise<Job> {
    const log = join(this.#folder, 'log.jsonl');
    const size = await writeConversations(log, bytes, { conversations: this.#conversations, unrepeated });
    const pipeline = join(this.#folder, 'pipeline.yaml');
    writeFileSync(
      pipeline,
      `version: 1\ninputs: [{ globs: ['${log}'] }]\nselection: { rules: [whole] }\ntables: [${tables.join(', ')}]\n`,
    );
    const out = join(this.#folder, 'out');
    const usage = await measure(['run', pipeline, '--out', out, '--workers', String(workers)]);
    refuseLosses(out);
    rmSync(log);
    rmSync(out, { recursive: true });
    return { ...usage, megabytes: size / 1e6 };
  }

  /** A small job and a large one, each the least of several, done in turn. */
  async pair(options: Omit<JobOptions, 'bytes'>): Promise<{ small: Job; largest: Job }> {
    const [small, largest]: [Job[], Job[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      small.push(await this.run({ bytes: SMALL_BYTES, ...options }));
      largest.push(await this.run({ bytes: LARGEST_BYTES, ...options }));
    }
    return { small: leastWork(small), largest: leastWork(largest) };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** MB of raw log a CPU second with what a trainer needs as the only table, of logs of both kinds. */
export async function measureTrainedTables(
  conversations: LogOptions['conversations'],
): Promise<{ repeated: number; unrepeated: number }> {
  const jobs = new Jobs(conversations);
  try {
    const rate = async (unrepeated: boolean): Promise<number> =>
      withoutStart(await jobs.pair({ unrepeated, tables: TRAINED_TABLES }));
    return { repeated: await rate(false), unrepeated: await rate(true) };
  } finally {
    jobs.remove();
  }
}

/**
 * The whole job, raw JSON lines to verified Parquet shards, in processes of their own. The log holds the same
 * conversations over and over, as a task's attempts do but more so; since lines seen before cost less, the work is also
 * measured where none repeats.
 */
export async function benchPipeline(): Promise<BenchResult> {
  const jobs = new Jobs(await benchConversations());
  try {
    const { small, largest } = await jobs.pair({});
    const one = await jobs.run({ bytes: LARGE_BYTES });
    const two = await jobs.run({ bytes: LARGE_BYTES, workers: 2 });
    const rate = ({ megabytes, wall }: Job): number => megabytes / wall;
    const perCore = withoutStart({ small, largest });
    const unrepeated = withoutStart(await jobs.pair({ unrepeated: true }));
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
        {
          what: 'raw log a CPU second, start-up included',
          value: largest.megabytes / largest.cpu,
          unit: 'MB/s',
        },
        { what: 'raw log a CPU second, start-up taken off', value: perCore, unit: 'MB/s' },
        { what: 'the same, logs in which no line repeats', value: unrepeated, unit: 'MB/s' },
        { what: `peak memory, ${small.megabytes.toFixed(0)} MB of log`, value: small.rss / 1e6, unit: 'MB' },
        { what: `peak memory, ${one.megabytes.toFixed(0)} MB of log`, value: one.rss / 1e6, unit: 'MB' },
      ],
    };
  } finally {
    jobs.remove();
  }
}
