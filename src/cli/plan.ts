import { relative } from 'node:path';
import { buildCommand } from '@stricli/core';
import { formatBytes, formatCounted } from '../report/units.js';
import type { CliContext } from './context.js';
import {
  DOWNLOAD_FLAG,
  describeCommand,
  INPUT_FLAG,
  JSON_FLAG,
  OUT_FLAG,
  PIPELINE_ARGUMENT,
} from './flags.js';
import { note, printJson } from './output.js';

interface PlanFlags {
  readonly input?: readonly string[];
  readonly out?: string;
  readonly allowDownload: boolean;
  readonly json: boolean;
}

/** Freezes the plan of a run without doing any of it. */
export const planCommand = buildCommand<PlanFlags, [string], CliContext>({
  docs: {
    brief: 'Freeze what a run will do, and do nothing yet',
    fullDescription: describeCommand(
      'Lists the inputs with their sums, cuts them into tasks and writes plan.json into the run folder. The same\n' +
        'pipeline and inputs always give the same plan; a folder that holds another plan is refused.',
      [
        'trajmill plan pipelines/demo.yaml',
        "trajmill plan pipelines/mle-sft.yaml --input 'logs/**/*.jsonl' --out /shared/runs/sft",
      ],
    ),
  },
  parameters: {
    positional: PIPELINE_ARGUMENT,
    flags: { input: INPUT_FLAG, out: OUT_FLAG, allowDownload: DOWNLOAD_FLAG, json: JSON_FLAG },
  },
  async func({ input, out, allowDownload, json }, pipeline) {
    const { planRun } = await import('../pipeline/plan-run.js');
    const { plan, outDir, warnings } = await planRun({
      pipeline,
      cwd: this.cwd,
      signal: this.signal,
      allowDownload,
      ...(this.process.stdin === undefined ? {} : { stdin: this.process.stdin }),
      ...(input === undefined ? {} : { input }),
      ...(out === undefined ? {} : { out }),
    });
    for (const warning of warnings) note(this, `warning: ${warning}`);
    const { inputs, tasks } = plan.body;
    const bytes = inputs.reduce((sum, file) => sum + file.bytes, 0);
    const shown = relative(this.cwd, outDir) || '.';
    if (json) {
      printJson(this, {
        plan_id: plan.plan_id,
        out_dir: outDir,
        files: inputs.length,
        bytes,
        tasks: tasks.length,
      });
      return;
    }
    const { stdout } = this.process;
    stdout.write(`plan ${plan.plan_id.slice(0, 16)} in ${shown}\n`);
    stdout.write(
      `${formatCounted(inputs.length, 'file')}, ${formatBytes(bytes)}, ${formatCounted(tasks.length, 'task')}\n`,
    );
  },
});
