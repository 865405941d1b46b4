import { join, relative, resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { note, printJson } from './output.js';
import { paintFor } from './style.js';

interface StatsFlags {
  readonly json: boolean;
  readonly write: boolean;
  readonly all: boolean;
}

/** Figures about a committed corpus. */
export const statsCommand = buildCommand<StatsFlags, [string], CliContext>({
  docs: {
    brief: 'Figures about a corpus, each with n and a 95% interval',
    fullDescription: describeCommand(
      'Takes a run folder or its corpus folder and reads the tables, not the tokens. Outcomes, rewards, budgets, times,\n' +
        'gaps, win rates, what was cut and why. Intervals: Wilson for shares, Student for means, order statistics for\n' +
        'medians and other quantiles. Turns are turns of the agent that launched something, seconds those of executions;\n' +
        'n of a win rate is the number of tasks. --write puts stats.parquet and stats.json into DIR/stats.',
      [
        'trajmill stats out/demo',
        'trajmill stats out/demo --all | less -R',
        'trajmill stats out/demo --json > stats.json',
        'trajmill stats out/demo --write',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR' }],
    },
    flags: {
      json: JSON_FLAG,
      write: {
        kind: 'boolean',
        brief: 'Write DIR/stats/stats.parquet and stats.json',
        withNegated: false,
        default: false,
      },
      all: {
        kind: 'boolean',
        brief: 'Print every figure, also of small groups and zero shares',
        withNegated: false,
        default: false,
      },
    },
  },
  async func({ json, write, all }, dir) {
    const [{ openCorpus }, { readCorpusFacts }, { corpusStats }, { writeStats }, { formatStats }] =
      await Promise.all([
        import('./corpus-folder.js'),
        import('../report/stats/read-facts.js'),
        import('../report/stats/corpus-stats.js'),
        import('../report/stats/stats-table.js'),
        import('./stats-print.js'),
      ]);
    const { corpus, manifest, tasks } = await openCorpus(this, dir);
    const figures = corpusStats(await readCorpusFacts(corpus, tasks));
    const { plan_id, tool_version } = manifest;
    const document = { plan_id, tool_version, figures };
    if (write) {
      const written = await writeStats(join(resolve(this.cwd, dir), 'stats'), document);
      for (const path of written) note(this, `wrote ${relative(this.cwd, path)}`);
    }
    const { stdout, env } = this.process;
    if (json) printJson(this, document);
    else stdout.write(formatStats(figures, { paint: paintFor(stdout, env), all }));
  },
});
