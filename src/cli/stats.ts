import { join, relative, resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import { TrajmillError } from '../errors.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { note, printJson } from './output.js';
import { paintFor } from './style.js';

interface StatsFlags {
  readonly json: boolean;
  readonly write: boolean;
  readonly all: boolean;
  readonly old?: string;
  readonly qMin?: number;
  readonly qMax?: number;
}

function parseRatio(input: string): number {
  const value = Number(input);
  if (!(value > 0 && Number.isFinite(value))) throw new Error('expected a ratio above 0');
  return value;
}

/** Old log-probabilities come with the band that a trainer would keep, and the band with them. */
function auditAsked({ old, qMin, qMax }: StatsFlags): { path: string; q_min: number; q_max: number } | null {
  if (old === undefined && qMin === undefined && qMax === undefined) return null;
  if (old === undefined || qMin === undefined || qMax === undefined) {
    throw new TrajmillError('E_USAGE', '--old, --q-min and --q-max must be given together');
  }
  if (qMin > qMax) throw new TrajmillError('E_USAGE', `--q-min ${qMin} is above --q-max ${qMax}`);
  return { path: old, q_min: qMin, q_max: qMax };
}

async function oldLogProbs(path: string) {
  const { readOldLogProbs } = await import('../report/policy/old-log-probs.js');
  return readOldLogProbs(path);
}

/** Figures about a committed corpus. */
export const statsCommand = buildCommand<StatsFlags, [string], CliContext>({
  docs: {
    brief: 'Figures about a corpus, each with n and a 95% interval',
    fullDescription: describeCommand(
      'Takes a run folder or its corpus folder and reads its tables. Outcomes, rewards, budgets, times,\n' +
        'gaps, win rates, what was cut and why. Intervals: Wilson for shares, Student for means, order statistics for\n' +
        'medians and other quantiles. Turns are turns of the agent that launched something, seconds those of executions;\n' +
        'n of a win rate is the number of tasks. --write puts stats.parquet and stats.json into DIR/stats. --old takes what a\n' +
        'trainer computed under its own weights, JSON lines {"sequence_id": ..., "log_probs": [...]}, and says how many trained\n' +
        'tokens have a ratio q = exp(old - rollout) outside --q-min to --q-max.',
      [
        'trajmill stats out/demo',
        'trajmill stats out/demo --all | less -R',
        'trajmill stats out/demo --json > stats.json',
        'trajmill stats out/demo --write',
        'trajmill stats out/demo --old old.jsonl --q-min 0.5 --q-max 5',
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
      old: {
        kind: 'parsed',
        parse: String,
        brief: 'Audit of off-policy tokens: log-probabilities of the trainer by sequence',
        placeholder: 'FILE',
        optional: true,
      },
      qMin: {
        kind: 'parsed',
        parse: parseRatio,
        brief: 'Least ratio that is kept',
        placeholder: 'Q',
        optional: true,
      },
      qMax: {
        kind: 'parsed',
        parse: parseRatio,
        brief: 'Greatest ratio that is kept',
        placeholder: 'Q',
        optional: true,
      },
    },
  },
  async func(flags, dir) {
    const { json, write, all } = flags;
    const asked = auditAsked(flags);
    const [{ openCorpus }, { readCorpusFacts }, { corpusStats }, { writeStats }, { formatStats }, policy] =
      await Promise.all([
        import('./corpus-folder.js'),
        import('../report/stats/read-facts.js'),
        import('../report/stats/corpus-stats.js'),
        import('../report/stats/stats-table.js'),
        import('./stats-print.js'),
        import('../report/policy/policy-figures.js'),
      ]);
    const { corpus, manifest, tasks } = await openCorpus(this, dir);
    const audit =
      asked === null ? null : { old: await oldLogProbs(resolve(this.cwd, asked.path)), band: asked };
    const figures = [
      ...corpusStats(await readCorpusFacts(corpus, tasks)),
      ...(await policy.readPolicyFigures(corpus, audit)),
    ];
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
