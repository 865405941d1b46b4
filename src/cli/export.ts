import { resolve } from 'node:path';
import { buildCommand } from '@stricli/core';
import type { ExportReport } from '../export/export-report.js';
import { formatCounted } from '../report/units.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG, parsePositive } from './flags.js';
import { note, printJson } from './output.js';

interface ExportFlags {
  readonly to: string;
  readonly out: string;
  readonly split?: string;
  readonly pack?: number;
  readonly overlong: 'error' | 'drop';
  readonly eosToken?: number;
  readonly denominator: 'window' | 'tokens';
  readonly offlinePolicy: boolean;
  readonly scoreScale?: 'validation' | 'self_reported';
  readonly json: boolean;
}

/** Ids are 32 bits wide in every table. */
const LAST_TOKEN_ID = 2 ** 31 - 1;

function parseTokenId(input: string): number {
  const value = Number(input);
  if (!Number.isSafeInteger(value) || value < 0 || value > LAST_TOKEN_ID) {
    throw new Error(`expected a token id, a whole number from 0 to ${LAST_TOKEN_ID}`);
  }
  return value;
}

const text = (brief: string, placeholder: string) =>
  ({ kind: 'parsed', parse: String, brief, placeholder }) as const;

/** Writes what one trainer reads out of a committed corpus. */
export const exportCommand = buildCommand<ExportFlags, [string], CliContext>({
  docs: {
    brief: 'Write a corpus as one trainer reads it',
    fullDescription: describeCommand(
      'Each split gets a folder of its own, and a README says what was written and what the trainer does otherwise than\n' +
        'the loss masks of the rows. SFT tokens: trl, axolotl, skyrl, areal, olmo-core, megatron-bridge, llama-factory,\n' +
        'verl-tokens. SFT messages: trl-messages, verl, ms-swift, slime, prime-rl, nemo-rl, tinker,\n' +
        'llama-factory-sharegpt. Windows with rewards: slime-samples, areal-rl, prime-rl-samples, rllm, verl-rl; and\n' +
        'expanded, every window with its context in a row of its own, from which `trajmill collapse` leads back.',
      [
        'trajmill export out/demo --to trl --out out/trl',
        'trajmill export out/demo --to megatron-bridge --pack 32768 --out out/packed',
        'trajmill export out/demo --to slime-samples --offline-policy --out out/slime',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR' }],
    },
    flags: {
      to: text('What to write; an unknown name lists them', 'NAME'),
      out: text('Folder to write; it must not hold anything', 'DIR'),
      split: { ...text('Only this split; default: every one', 'NAME'), optional: true },
      pack: {
        kind: 'parsed',
        parse: parsePositive,
        brief: 'Pack rows into sequences of at most so many tokens (trl, megatron-bridge)',
        placeholder: 'LENGTH',
        optional: true,
      },
      overlong: {
        kind: 'enum',
        values: ['error', 'drop'],
        brief: 'What to do with rows longer than a pack',
        default: 'error',
      },
      eosToken: {
        kind: 'parsed',
        parse: parseTokenId,
        brief: 'Token id to put after each row, untrained (olmo-core)',
        placeholder: 'ID',
        optional: true,
      },
      denominator: {
        kind: 'enum',
        values: ['window', 'tokens'],
        brief: 'What the loss of a window is divided by (areal-rl, prime-rl-samples)',
        default: 'window',
      },
      offlinePolicy: {
        kind: 'boolean',
        brief: 'Export windows whose log recorded no log-probabilities',
        withNegated: false,
        default: false,
      },
      scoreScale: {
        kind: 'enum',
        values: ['validation', 'self_reported'],
        brief: 'Export windows paid by scores of this scale',
        optional: true,
      },
      json: JSON_FLAG,
    },
  },
  async func(flags, dir) {
    const { runExport } = await import('../export/run-export.js');
    const { enginesOf } = await import('./prove-rows.js');
    const { to, split = null, scoreScale = null, offlinePolicy, json } = flags;
    const { pack = null, overlong, eosToken = null, denominator } = flags;
    const report = await runExport({
      dir: resolve(this.cwd, dir),
      to,
      out: resolve(this.cwd, flags.out),
      split,
      offlinePolicy,
      scoreScale,
      options: { pack, overlong, eosToken, denominator },
      engines: () => enginesOf(resolve(this.cwd, dir)),
    });
    if (json) printJson(this, report);
    else this.process.stdout.write(formatReport(report));
    if (report.tokens_not_counted !== undefined) {
      note(this, `differences were counted in turns, not in tokens: ${report.tokens_not_counted}`);
    }
    note(
      this,
      `${formatCounted(report.files.length, 'file')} in ${flags.out}; its README.md says what the trainer must be told`,
    );
  },
});

function formatReport({ title, splits, notes }: ExportReport): string {
  const lines = [title];
  for (const { split, rows, tokens, trained, counts, differences } of splits) {
    const share = trained > 0 ? `, ${trained} trained` : '';
    lines.push('', `${split}: ${rows} rows, ${tokens} tokens${share}`);
    const entries = Object.entries(counts).filter(([, value]) => value !== 0);
    for (const [name, value] of entries) lines.push(`  ${name.replaceAll('_', ' ')}: ${value}`);
    for (const sentence of differences) lines.push(`  ${sentence}`);
  }
  lines.push('', ...notes.map((each) => `- ${each}`));
  return `${lines.join('\n')}\n`;
}
