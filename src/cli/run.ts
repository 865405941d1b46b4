import { relative } from 'node:path';
import { buildCommand } from '@stricli/core';
import { TrajmillError } from '../errors.js';
import type { CliContext } from './context.js';
import {
  DOWNLOAD_FLAG,
  describeCommand,
  INPUT_FLAG,
  JSON_FLAG,
  OUT_FLAG,
  PIPELINE_ARGUMENT,
  parsePositive,
  REPORT_FLAG,
} from './flags.js';
import { note, printJson, printSummary } from './output.js';
import { createProgress } from './progress.js';
import { parseShard, type Shard, shardFromEnv } from './shard.js';

interface RunFlags {
  readonly input?: readonly string[];
  readonly out?: string;
  readonly workers?: number;
  readonly shard?: Shard;
  readonly resume: boolean;
  readonly report: boolean;
  readonly allowDownload: boolean;
  readonly json: boolean;
}

/** Plan, run and commit in one go, or one rank's share of a run. */
export const runCommand = buildCommand<RunFlags, [string], CliContext>({
  docs: {
    brief: 'Turn logs into a corpus: plan, run, commit',
    fullDescription: describeCommand(
      'Reads the logs that a pipeline file names and writes a corpus of Parquet tables into a run folder.\n' +
        'With --shard this process does its share of the tasks only (i is 0-based), and commits if no other share\n' +
        'is owed. The share also comes from TRAJMILL_SHARD_INDEX and _COUNT, SLURM_ARRAY_TASK_ID, SLURM_PROCID,\n' +
        'JOB_COMPLETION_INDEX (with JOB_COMPLETIONS) or AWS_BATCH_JOB_ARRAY_INDEX, asked in this order.\n' +
        'Exit codes: 0 done, 1 unexpected (retry), 2 usage or configuration, 65 too much rejected, 74 reading or\n' +
        'writing failed, 75 interrupted (retry with --resume).',
      [
        'trajmill run pipelines/demo.yaml',
        "trajmill run pipelines/mle-sft.yaml --input 'logs/**/*' --out runs/sft --workers 8",
        'trajmill run pipelines/mle-sft.yaml --out runs/sft --resume',
        'trajmill run pipelines/mle-sft.yaml --out /shared/runs/sft --shard 3/16',
        'trajmill run pipelines/demo.yaml --json > summary.json',
        'zcat chats.jsonl.gz | trajmill run pipelines/demo.yaml --input - --out runs/chats',
      ],
    ),
  },
  parameters: {
    positional: PIPELINE_ARGUMENT,
    flags: {
      input: INPUT_FLAG,
      out: OUT_FLAG,
      workers: {
        kind: 'parsed',
        parse: parsePositive,
        brief: 'Worker threads; default: one a core',
        placeholder: 'N',
        optional: true,
      },
      shard: {
        kind: 'parsed',
        parse: parseShard,
        brief: 'Do share i of n, i from 0',
        placeholder: 'i/n',
        optional: true,
      },
      resume: {
        kind: 'boolean',
        brief: 'Keep what is finished and do only what is owed',
        withNegated: false,
        default: false,
      },
      report: REPORT_FLAG,
      allowDownload: DOWNLOAD_FLAG,
      json: JSON_FLAG,
    },
  },
  async func(flags, pipeline) {
    const [{ planRun }, { executeRun }, { commitRun }, { reportCommitted }] = await Promise.all([
      import('../pipeline/plan-run.js'),
      import('../pipeline/execute-run.js'),
      import('../pipeline/commit-run.js'),
      import('./report-source.js'),
    ]);
    const started = performance.now();
    const { input, out, workers, resume, report, json } = flags;
    const shard = flags.shard ?? shardFromEnv(this.process.env);
    const { outDir, warnings } = await planRun({
      pipeline,
      cwd: this.cwd,
      signal: this.signal,
      allowDownload: flags.allowDownload,
      reuseStdin: resume || shard !== null,
      ...(this.process.stdin === undefined ? {} : { stdin: this.process.stdin }),
      ...(input === undefined ? {} : { input }),
      ...(out === undefined ? {} : { out }),
    });
    for (const warning of warnings) note(this, `warning: ${warning}`);
    assertGoing(this.signal);

    const progress = createProgress({ stream: this.process.stderr, json });
    let owed: number;
    try {
      const result = await executeRun({
        outDir,
        resume,
        signal: this.signal,
        onProgress: (state) => progress.update(state),
        ...(workers === undefined ? {} : { workers }),
        ...(shard === null ? {} : { shard }),
      });
      owed = result.owed;
    } finally {
      progress.done();
    }
    const shown = relative(this.cwd, outDir) || '.';
    if (shard !== null && owed > 0) {
      note(
        this,
        `share ${shard.index}/${shard.count} is done; other shares owe ${owed} tasks. When they are done: trajmill commit ${shown}`,
      );
      if (json) printJson(this, { out_dir: outDir, shard, owed, committed: false });
      return;
    }
    const summary = await commitRun({ outDir });
    if (report) await reportCommitted(this, outDir);
    printSummary(this, { ...summary, seconds: (performance.now() - started) / 1000 }, json);
  },
});

function assertGoing(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new TrajmillError('E_INTERRUPTED', 'interrupted; go on with the same command and --resume');
  }
}
