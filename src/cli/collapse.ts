import { resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import { formatCounted } from '../report/units.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { note, printJson } from './output.js';

interface CollapseFlags {
  readonly out: string;
  readonly json: boolean;
}

/** Gives back the stored form of an export of expanded windows. */
export const collapseCommand = buildCommand<CollapseFlags, [string], CliContext>({
  docs: {
    brief: 'Give back the tables rl and windows of an export of expanded windows',
    fullDescription: describeCommand(
      'Takes what `trajmill export DIR --to expanded` wrote, and writes rl-00000.parquet and windows-00000.parquet for\n' +
        'each split: the rows that were exported, value by value. Exit code 65 where rows are missing or were changed.',
      ['trajmill collapse out/expanded --out out/stored'],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Export of expanded windows', parse: String, placeholder: 'DIR' }],
    },
    flags: {
      out: {
        kind: 'parsed',
        parse: String,
        brief: 'Folder to write; it must not hold anything',
        placeholder: 'DIR',
      },
      json: JSON_FLAG,
    },
  },
  async func({ out, json }, dir) {
    const { collapseExport } = await import('../export/collapse.js');
    const report = await collapseExport({ dir: resolve(this.cwd, dir), out: resolve(this.cwd, out) });
    if (json) printJson(this, report);
    else {
      const lines = report.splits.map(
        ({ split, sequences, windows }) =>
          `${split}: ${formatCounted(sequences, 'sequence')}, ${formatCounted(windows, 'window')}\n`,
      );
      this.process.stdout.write(lines.join(''));
    }
    note(this, `${formatCounted(report.files.length, 'file')} in ${out}`);
  },
});
