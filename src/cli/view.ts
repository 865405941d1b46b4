import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import { TrajmillError } from '../errors.js';
import { writeFileAtomic } from '../pipeline/atomic-file.js';
import type { CliContext } from './context.js';
import { describeCommand } from './flags.js';
import { note } from './output.js';

interface ViewFlags {
  readonly out?: string;
  readonly all: boolean;
}

/** Writes pages of trajectories. */
export const viewCommand = buildCommand<ViewFlags, [string, string?], CliContext>({
  docs: {
    brief: 'Write a trajectory as a page: turns, marks of trained text, windows, scores',
    fullDescription: describeCommand(
      'ID is a trajectory_id or the beginning of one, or the path of a source. The page is one file that loads nothing:\n' +
        'trained text is marked as the tokens and the mask of the chosen row say, windows, anchor, cut tail and scores\n' +
        'stand beside it. Words come from the source log where it still lies as it lay, else from the tables; the page says\n' +
        'which. Default: DIR/view/<trajectory_id>.html.',
      [
        'trajmill view out/demo 648eab1c',
        'trajmill view out/demo 648eab1c --out run.html',
        'trajmill view out/demo --all',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR' },
        { brief: 'Trajectory, or the beginning of its id', parse: String, placeholder: 'ID', optional: true },
      ],
    },
    flags: {
      out: {
        kind: 'parsed',
        parse: String,
        brief: 'Write the page there',
        placeholder: 'FILE',
        optional: true,
      },
      all: {
        kind: 'boolean',
        brief: 'Write a page of every trajectory that was kept or has rows',
        withNegated: false,
        default: false,
      },
    },
  },
  async func({ out, all }, dir, name) {
    if (all === (name !== undefined)) {
      throw new TrajmillError('E_USAGE', 'give the ID of one trajectory, or --all for every one with rows');
    }
    if (all && out !== undefined) throw new TrajmillError('E_USAGE', '--out names the page of one ID');
    const [{ openCorpus }, { trajectoryNamed }, viewing, { shownIds }, { withPageLinks }, { REPORT_NAME }] =
      await Promise.all([
        import('./corpus-folder.js'),
        import('./corpus-match.js'),
        import('../report/view/view-page.js'),
        import('../report/view/shown-ids.js'),
        import('../report/html/page-links.js'),
        import('../report/page/write-report.js'),
      ]);
    const corpus = await openCorpus(this, dir);
    const home = resolve(this.cwd, dir);
    const folder = join(home, 'view');
    const hasReport = existsSync(join(home, REPORT_NAME));
    const write = (path: string, page: string): void => {
      const links = hasReport && dirname(path) === folder ? ([[`../${REPORT_NAME}`, 'Report']] as const) : [];
      writeFileAtomic(path, links.length === 0 ? page : withPageLinks(page, links));
      this.process.stdout.write(`${relative(this.cwd, path)}\n`);
    };
    if (name === undefined) {
      const view = await viewing.openView(corpus);
      for (const id of await shownIds(view)) {
        write(join(folder, `${id}.html`), await viewing.buildViewPage(view, id));
      }
      if (hasReport) note(this, `trajmill report ${dir} writes the report anew, with links to these pages`);
      return;
    }
    const id = await trajectoryNamed(this, { corpus, name, place: dir, json: false });
    const path = out === undefined ? join(folder, `${id}.html`) : resolve(this.cwd, out);
    const view = await viewing.openView(corpus);
    write(path, await viewing.buildViewPage(view, id));
  },
});
