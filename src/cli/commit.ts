import { resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG, REPORT_FLAG, RUN_DIR_ARGUMENT } from './flags.js';
import { printSummary } from './output.js';

/** Makes the corpus out of a run whose tasks are all done. */
export const commitCommand = buildCommand<
  { readonly report: boolean; readonly json: boolean },
  [string],
  CliContext
>({
  docs: {
    brief: 'Make the corpus of a run whose tasks are all done',
    fullDescription: describeCommand(
      'Puts the finished parts under their final names, in task order, and writes the manifest last: what it does\n' +
        'not name does not exist. Refused while tasks are owed; committing twice gives the same corpus.',
      ['trajmill commit out/demo', 'trajmill commit /shared/runs/sft --json > summary.json'],
    ),
  },
  parameters: { positional: RUN_DIR_ARGUMENT, flags: { report: REPORT_FLAG, json: JSON_FLAG } },
  async func({ report, json }, dir) {
    const [{ commitRun }, { reportCommitted }] = await Promise.all([
      import('../pipeline/commit-run.js'),
      import('./report-source.js'),
    ]);
    const outDir = resolve(this.cwd, dir);
    const summary = await commitRun({ outDir });
    if (report) await reportCommitted(this, outDir);
    printSummary(this, summary, json);
  },
});
