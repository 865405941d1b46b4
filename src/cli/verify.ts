import { resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import { TrajmillError } from '../errors.js';
import { nameText } from '../report/terminal-text.js';
import type { VerifyReport } from '../tables/verify.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { note, printJson } from './output.js';
import { type Paint, paintFor } from './style.js';
import { oneLine } from './table.js';

const SHOWN_FAILURES = 5;

/** Checks a corpus on disk against its manifest. */
export const verifyCommand = buildCommand<{ readonly json: boolean }, [string], CliContext>({
  docs: {
    brief: 'Check a corpus: sums, schemas, rows, masks, rewards',
    fullDescription: describeCommand(
      'Takes a run folder or its corpus folder. Every shard is read and compared with the manifest, every row with\n' +
        'the statements of its table. Where the plan is at hand, masks are proved anew from the stored messages, and\n' +
        'plan, summary, rejects, croissant and the head of the card are compared with the manifest too.\n' +
        'Exit code 65 when a check fails, 2 when there is no committed corpus.',
      ['trajmill verify out/demo', 'trajmill verify out/demo/corpus --json > report.json'],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR' }],
    },
    flags: { json: JSON_FLAG },
  },
  async func({ json }, dir) {
    const [{ verifyCorpus }, { proverOf }, { besideCorpus }] = await Promise.all([
      import('../tables/verify.js'),
      import('./prove-rows.js'),
      import('../pipeline/beside-corpus.js'),
    ]);
    const corpus = resolve(this.cwd, dir);
    const prover = proverOf(corpus);
    const terminal = this.process.stderr.isTTY === true;
    const report = await verifyCorpus(corpus, {
      ...('prove' in prover ? { prove: prover.prove } : {}),
      beside: besideCorpus,
      onFile: (path, index, of) => {
        if (terminal) this.process.stderr.write(`\r\u001b[2K${index + 1}/${of}  ${nameText(path)}`);
      },
    });
    if (terminal) this.process.stderr.write('\r\u001b[2K');
    if (report.unread.length > 0) {
      note(
        this,
        `not compared with other tables, since a shard of them is damaged: ${report.unread.join(', ')}`,
      );
    }
    if ('unable' in prover) note(this, `masks are not proved anew: ${prover.unable}`);
    if (json) printJson(this, report);
    else this.process.stdout.write(formatReport(report, paintFor(this.process.stdout, this.process.env)));
    const failed = report.checks.filter((check) => !check.ok).map((check) => check.name);
    if (failed.length > 0)
      throw new TrajmillError('E_VERIFY', `failed: ${failed.join(', ')}`, { place: dir });
    if (json) note(this, `${dir}: all checks hold`);
  },
});

function formatReport(report: VerifyReport, paint: Paint): string {
  const lines: string[] = [];
  for (const { name, statement, ok, checked, failed, failures } of report.checks) {
    const verdict = ok ? paint('green', 'ok  ') : paint('red', 'FAIL');
    const count = ok ? `${checked} checked` : `${failed} of ${checked} failed`;
    lines.push(`${verdict}  ${name.padEnd(8)}  ${statement} (${count})`);
    for (const { place, message } of failures.slice(0, SHOWN_FAILURES)) {
      lines.push(`        ${oneLine(`${place}: ${message}`, 200)}`);
    }
    if (failed > SHOWN_FAILURES) lines.push(`        and ${failed - SHOWN_FAILURES} more`);
  }
  return `${lines.join('\n')}\n`;
}
