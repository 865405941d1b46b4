import { relative, resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import { writeFileAtomic } from '../pipeline/atomic-file.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG, parsePositive } from './flags.js';
import { note, printJson } from './output.js';
import { paintFor } from './style.js';

interface DiffFlags {
  readonly json: boolean;
  readonly html?: string;
  readonly limit: number;
}

/** What two corpora of the same logs train differently. */
export const diffCommand = buildCommand<DiffFlags, [string, string, string?], CliContext>({
  docs: {
    brief: 'Show rows and marks that differ between two corpora of the same logs',
    fullDescription: describeCommand(
      'For two runs over the same logs, such as with two mask policies, templates or selections: rows that only one has,\n' +
        'and in the others the texts that only one has or that only one trains, turn by turn. ID is a trajectory of\n' +
        'either, as in `trajmill explain`; without one all that differ are told, up to --limit. `trajmill compare` counts\n' +
        'instead. Differences are no error.',
      [
        'trajmill diff out/sampled out/trl',
        'trajmill diff out/sampled out/trl 648eab1c --html diff.html',
        'trajmill diff out/sampled out/trl --json > diff.json',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR_A' },
        { brief: 'The other one', parse: String, placeholder: 'DIR_B' },
        { brief: 'Trajectory, or the beginning of its id', parse: String, placeholder: 'ID', optional: true },
      ],
    },
    flags: {
      json: JSON_FLAG,
      html: {
        kind: 'parsed',
        parse: String,
        brief: 'Write a page with both sides beside each other',
        placeholder: 'FILE',
        optional: true,
      },
      limit: {
        kind: 'parsed',
        parse: parsePositive,
        brief: 'Trajectories to tell in full',
        placeholder: 'N',
        default: '100',
      },
    },
  },
  async func({ json, html, limit }, first, second, name) {
    const [{ openCorpus }, { trajectoryNamed }, { diffCorpora }, { buildDiffPage }, { formatDiff }] =
      await Promise.all([
        import('./corpus-folder.js'),
        import('./corpus-match.js'),
        import('../report/diff/diff-corpora.js'),
        import('../report/diff/diff-page.js'),
        import('./diff-print.js'),
      ]);
    const a = { name: first, of: await openCorpus(this, first) };
    const b = { name: second, of: await openCorpus(this, second) };
    const id =
      name === undefined
        ? null
        : await trajectoryNamed(this, { corpus: a.of, other: b.of, name, place: first, json });
    const data = await diffCorpora({ a, b, id, limit });
    const { stdout, env } = this.process;
    if (html !== undefined) {
      const path = resolve(this.cwd, html);
      writeFileAtomic(path, buildDiffPage(data));
      note(this, `wrote ${relative(this.cwd, path)}`);
    }
    if (json) printJson(this, data);
    else stdout.write(formatDiff(data, paintFor(stdout, env)));
  },
});
