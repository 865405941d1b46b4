import { buildCommand } from '@stricli/core';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { printJson } from './output.js';
import { paintFor } from './style.js';

/** Two corpora side by side. */
export const compareCommand = buildCommand<{ readonly json: boolean }, [string, string], CliContext>({
  docs: {
    brief: 'Set two corpora side by side',
    fullDescription: describeCommand(
      'Counts by decision and reason, tokens and trained share, outcomes and rewards; trajectories that only one has or\n' +
        'that are decided otherwise; rows whose ids, masks or anchors differ; and where the plans differ. Rows are matched\n' +
        'by row_id, sequence_id and window_id. Differences are no error.',
      ['trajmill compare out/a out/b', 'trajmill compare out/a out/b --json > difference.json'],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR_A' },
        { brief: 'The other one', parse: String, placeholder: 'DIR_B' },
      ],
    },
    flags: { json: JSON_FLAG },
  },
  async func({ json }, first, second) {
    const [{ openCorpus }, { readDigest }, { compareCorpora }, { comparableConfig }, { formatComparison }] =
      await Promise.all([
        import('./corpus-folder.js'),
        import('../report/compare/digest.js'),
        import('../report/compare/compare.js'),
        import('../pipeline/comparable-plan.js'),
        import('./compare-print.js'),
      ]);
    const read = async (dir: string) => {
      const { corpus, manifest, run } = await openCorpus(this, dir);
      const config = run === null ? null : comparableConfig(run.plan.body);
      return { digest: await readDigest(corpus, manifest), config };
    };
    const comparison = compareCorpora(await read(first), await read(second));
    const { stdout, env } = this.process;
    if (json) printJson(this, comparison);
    else stdout.write(formatComparison(comparison, { a: first, b: second, paint: paintFor(stdout, env) }));
  },
});
