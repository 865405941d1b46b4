import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { note, printJson } from './output.js';
import { paintFor } from './style.js';

interface RescoreFlags {
  readonly rewards: string;
  readonly out?: string;
  readonly json: boolean;
}

/** Rewards and selection of a corpus under other rules, without encoding again. */
export const rescoreCommand = buildCommand<RescoreFlags, [string], CliContext>({
  docs: {
    brief: 'Other rewards and selection for a corpus that is there',
    fullDescription: describeCommand(
      'Recomputes rewards and selection from the stored outcomes and scores and prints what would change. The file\n' +
        '(YAML) holds any of: thresholds (test thresholds by task id), windows (score_scale, thresholds, timeouts, base,\n' +
        'trend) and selection (quality, degradation, score_scale, invalidated_anchors, complete), as a pipeline file has\n' +
        'them; what it leaves out stays as in the plan. The corpus is not changed. What the tables do not tell for sure\n' +
        'is counted as not reproducible and not guessed.',
      [
        'trajmill rescore out/demo --rewards best-so-far.yaml',
        'trajmill rescore out/demo --rewards strict.yaml --out rewards.parquet',
        'trajmill rescore out/demo --rewards strict.yaml --json > difference.json',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Run folder', parse: String, placeholder: 'DIR' }],
    },
    flags: {
      rewards: { kind: 'parsed', parse: String, brief: 'The other rules (YAML)', placeholder: 'FILE' },
      out: {
        kind: 'parsed',
        parse: String,
        brief: 'Write the rewards of all windows as a Parquet table',
        placeholder: 'FILE',
        optional: true,
      },
      json: JSON_FLAG,
    },
  },
  async func({ rewards, out, json }, dir) {
    const [{ openCorpus, requireRun }, { requireFile }, options, { readStoredRuns }, rescoring, printing] =
      await Promise.all([
        import('./corpus-folder.js'),
        import('./input-files.js'),
        import('../report/rescore/options.js'),
        import('../report/rescore/read-runs.js'),
        import('../report/rescore/rescore.js'),
        import('./rescore-print.js'),
      ]);
    const asked = options.parseRescoreOptions(readFileSync(requireFile(rewards, this.cwd), 'utf8'), rewards);
    const opened = await openCorpus(this, dir);
    const { config } = requireRun(opened).plan.body;
    const tasks = options.rescoredTasks(opened.tasks, asked, rewards);
    const runs = await readStoredRuns(opened.corpus, opened.manifest);
    const scores = rescoring.storedScores(runs, opened.tasks, opened.scores);
    const selectionOf = (stage: string | null) =>
      config.stages.find(({ name }) => name === stage)?.selection ?? config.selection;
    const result = rescoring.rescore(
      runs,
      { tasks: opened.tasks, windows: config.windows, selectionOf, scores },
      {
        tasks,
        windows: options.rescoredWindowOptions(config.windows, asked, rewards),
        selectionOf: (stage) => options.rescoredSelection(selectionOf(stage), asked, rewards),
        scores,
      },
    );
    if (out !== undefined) {
      const { writeRewards } = await import('../report/rescore/rewards-table.js');
      const path = resolve(this.cwd, out);
      await writeRewards(path, result.windows, { plan_id: opened.manifest.plan_id });
      note(this, `wrote ${relative(this.cwd, path)}`);
    }
    const difference = printing.differenceOf(result);
    const { stdout, env } = this.process;
    if (json) printJson(this, difference);
    else stdout.write(printing.formatDifference(difference, paintFor(stdout, env)));
  },
});
