import { join, relative, resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import type { CliContext } from './context.js';
import { describeCommand } from './flags.js';
import { note } from './output.js';

/** A committed corpus as one page of charts. */
export const reportCommand = buildCommand<{ readonly out?: string }, [string], CliContext>({
  docs: {
    brief: 'Write a page of charts about a corpus',
    fullDescription: describeCommand(
      'Takes a run folder or its corpus folder and writes report.html into it: every figure of `trajmill stats` in\n' +
        'pictures, with filters by task, model, scaffold and outcome. The page needs no network and no other file. It\n' +
        'holds names, ids, reject messages and sources, and no other text of a log.',
      ['trajmill report out/demo', 'trajmill report out/demo --out demo.html'],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR' }],
    },
    flags: {
      out: {
        kind: 'parsed',
        parse: String,
        brief: 'Where the page goes; default: DIR/report.html',
        placeholder: 'FILE',
        optional: true,
      },
    },
  },
  async func({ out }, dir) {
    const [{ openCorpus }, { REPORT_NAME, writeReport }, { reportSource }] = await Promise.all([
      import('./corpus-folder.js'),
      import('../report/page/write-report.js'),
      import('./report-source.js'),
    ]);
    const source = reportSource(await openCorpus(this, dir));
    const path = out === undefined ? join(resolve(this.cwd, dir), REPORT_NAME) : resolve(this.cwd, out);
    await writeReport(source, path);
    note(this, `wrote ${relative(this.cwd, path)}`);
  },
});
