import { resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import type { RunStatus } from '../pipeline/run-status.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG, RUN_DIR_ARGUMENT } from './flags.js';
import { printJson } from './output.js';

/** How many owed tasks are named before the rest is counted. */
const SHOWN_OWED = 20;

/** Says what of a run is done. */
export const statusCommand = buildCommand<{ readonly json: boolean }, [string], CliContext>({
  docs: {
    brief: 'Say what of a run is done and what is owed',
    fullDescription: describeCommand(
      'Reads the markers of a run folder; `trajmill verify` checks the bytes.',
      ['trajmill status out/demo', 'trajmill status /shared/runs/sft --json'],
    ),
  },
  parameters: { positional: RUN_DIR_ARGUMENT, flags: { json: JSON_FLAG } },
  async func({ json }, dir) {
    const { runStatus } = await import('../pipeline/run-status.js');
    const status = await runStatus({ outDir: resolve(this.cwd, dir) });
    if (json) printJson(this, status);
    else this.process.stdout.write(formatStatus(status, dir));
  },
});

function formatStatus(status: RunStatus, dir: string): string {
  const { tasks, surveyed, presumed, decided, completed, owed, committed } = status;
  const lines = [
    `plan       ${status.plan_id.slice(0, 16)}`,
    `surveyed   ${surveyed} of ${tasks} tasks${presumed > 0 ? `, ${presumed} of them built` : ''}${decided ? ', decided' : ''}`,
    `completed  ${completed} of ${tasks} tasks`,
  ];
  if (owed.length > 0) {
    const more = owed.length > SHOWN_OWED ? ` and ${owed.length - SHOWN_OWED} more` : '';
    lines.push(`owed       ${owed.slice(0, SHOWN_OWED).join(', ')}${more}`);
  }
  const next = owed.length > 0 ? 'run the pipeline again with --resume' : `trajmill commit ${dir}`;
  lines.push(`committed  ${committed ? 'yes' : `no; next: ${next}`}`);
  return `${lines.join('\n')}\n`;
}
