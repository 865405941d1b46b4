import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { describeInBrowser, openPage } from '../../browser.js';
import { temporaryFolder, trajmill, writePipeline } from '../../pipeline/child-run.js';
import { markedRows, marksOfPage, referenceTokenizer } from './independent-marks.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

describeInBrowser('rows that were made to fit a limit', () => {
  it.each(['split', 'shorten-observations'])('are marked as their shards say (%s)', async (over) => {
    const run = join(home, over);
    const pipeline = writePipeline(home, (text) => `${text}\nlength: {max_tokens: 1600, over: ${over}}\n`);
    const written = [
      ['run', pipeline, '--out', run, '--workers', '1', '--no-report'],
      ['view', run, '--all'],
    ];
    for (const command of written) {
      const done = await trajmill(command);
      expect(done.code, done.stderr).toBe(0);
    }
    const tokenizer = referenceTokenizer('qwen3');
    const rows = [...(await markedRows(run, 'sft', tokenizer)), ...(await markedRows(run, 'rl', tokenizer))];
    const divided = rows.filter(({ id }) => /\.p\d+$/.test(id));
    expect(divided.length).toBeGreaterThan(0);
    for (const trajectory of new Set(divided.map((row) => row.trajectory))) {
      const opened = await openPage(join(run, 'view', `${trajectory}.html`));
      for (const row of rows.filter((each) => each.trajectory === trajectory)) {
        expect(await marksOfPage(opened.page, row.id), row.id).toBe(row.marked);
      }
      // the log is there: no turn had to be guessed
      expect(await opened.page.getByText('was read off the tokens').count(), trajectory).toBe(0);
      await opened.close();
    }
  });
});
