import { buildCommand } from '@stricli/core';
import { jsonText } from '../report/terminal-text.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { paintFor } from './style.js';

interface InspectFlags {
  readonly format: string;
  readonly tasks?: string;
  readonly json: boolean;
}

/** Shows what a run would see in log files. */
export const inspectCommand = buildCommand<InspectFlags, string[], CliContext>({
  docs: {
    brief: 'Show what log files hold: runs, scores, windows, rewards',
    fullDescription: describeCommand(
      'For each file: the format and why, each trajectory with its executions, scores and their scale, windows and\n' +
        'rewards, and the anchor that each selection rule would pick (quality median, drop .05). Secrets are masked.\n' +
        'Exit code 2 for a file that does not exist, 74 for one that cannot be read; a log that is rejected is no\n' +
        'error here.',
      [
        'trajmill inspect run-17/agent_trajectory.json',
        'trajmill inspect logs/*.json --tasks tasks.yaml',
        'trajmill inspect chat.jsonl --format openai-messages --json',
        'zcat run.jsonl.gz | trajmill inspect -',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'Log files; - is standard input', parse: String, placeholder: 'FILE' },
    },
    flags: {
      format: {
        kind: 'parsed',
        parse: String,
        brief: 'Read the files as this format (see trajmill formats)',
        placeholder: 'NAME',
        default: 'auto',
      },
      tasks: {
        kind: 'parsed',
        parse: String,
        brief: 'File of task records, beside the shipped ones',
        placeholder: 'FILE',
        optional: true,
      },
      json: JSON_FLAG,
    },
  },
  async func({ format, tasks, json }, ...files) {
    const [
      { loadTaskIndex, requireLog },
      { inspectFile },
      { formatInspection },
      { createSecretMasker },
      { STDIN, stdinFile },
    ] = await Promise.all([
      import('./input-files.js'),
      import('./inspect-file.js'),
      import('./inspect-print.js'),
      import('../logs/secrets.js'),
      import('./stdin-file.js'),
    ]);
    const index = loadTaskIndex(tasks, this.cwd);
    const paths = files.map((file) => ({
      file,
      absolute: file === STDIN ? null : requireLog(file, this.cwd),
    }));
    const masker = createSecretMasker();
    const { stdout, env } = this.process;
    const paint = paintFor(stdout, env);
    let first = true;
    for (const { file, absolute } of paths) {
      const spooled = absolute === null ? await stdinFile(this.process.stdin ?? process.stdin) : null;
      const path = absolute ?? spooled?.absolute ?? '';
      const inspection = await inspectFile(file, { absolute: path, format, tasks: index, masker }).finally(
        () => spooled?.remove(),
      );
      // one file at a time, so that a long list need not fit into memory
      if (json) stdout.write(`${first ? '[\n' : ',\n'}${jsonText(inspection)}`);
      else stdout.write(`${first ? '' : '\n'}${formatInspection(inspection, paint)}`);
      first = false;
    }
    if (json) stdout.write('\n]\n');
  },
});
