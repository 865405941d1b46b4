import { basename, dirname } from 'node:path';
import { buildChoiceParser, buildCommand } from '@stricli/core';
import { MASK_POLICY_NAMES } from '../tokens/mask-policy.js';
import type { CliContext } from './context.js';
import {
  DOWNLOAD_FLAG,
  describeCommand,
  JSON_FLAG,
  parseDate,
  parseFromZero,
  parsePositive,
} from './flags.js';
import { note, printJson } from './output.js';
import { printRow, tokenRuns } from './token-runs.js';

type Policy = (typeof MASK_POLICY_NAMES)[number];

interface TokensFlags {
  readonly format: string;
  readonly policy: Policy;
  readonly tokenizer: string;
  readonly template: string;
  readonly limit: number;
  readonly turn?: number;
  readonly date?: Date;
  readonly allowDownload: boolean;
  readonly json: boolean;
}

/** Shows the loss mask of whole trajectories, token-exact. */
export const tokensCommand = buildCommand<TokensFlags, [string], CliContext>({
  docs: {
    brief: 'Show a log as token rows, with the trained text marked',
    fullDescription: describeCommand(
      'Renders the trajectories of a file whole, encodes and masks them as a run would, and prints the text of the\n' +
        'tokens: trained ones in green, on a stream without colour between « and »; special tokens are underlined. Secrets\n' +
        'are masked.',
      [
        'trajmill tokens run-17/agent_trajectory.json | less -R',
        'trajmill tokens chat.jsonl --policy trl --limit 3',
        'trajmill tokens chat.jsonl --turn 3',
        'trajmill tokens chat.jsonl --json > rows.json',
        'zcat run.jsonl.gz | trajmill tokens -',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Log file; - is standard input', parse: String, placeholder: 'FILE' }],
    },
    flags: {
      format: {
        kind: 'parsed',
        parse: String,
        brief: 'Read the file as this format (see trajmill formats)',
        placeholder: 'NAME',
        default: 'auto',
      },
      policy: {
        kind: 'parsed',
        parse: buildChoiceParser(MASK_POLICY_NAMES),
        brief: `Mask policy: ${MASK_POLICY_NAMES.join(', ')}`,
        placeholder: 'NAME',
        default: 'sampled',
      },
      tokenizer: {
        kind: 'parsed',
        parse: String,
        brief: 'Name of a tokenizer, a tokenizer.json or a folder with one',
        placeholder: 'NAME',
        default: 'qwen3',
      },
      template: {
        kind: 'parsed',
        parse: String,
        brief: 'Name of a chat template or a file with one',
        placeholder: 'NAME',
        default: 'qwen3',
      },
      limit: {
        kind: 'parsed',
        parse: parsePositive,
        brief: 'Trajectories to show',
        placeholder: 'N',
        default: '1',
      },
      turn: {
        kind: 'parsed',
        parse: parseFromZero,
        brief: 'Show only this turn of each trajectory, from 0',
        placeholder: 'K',
        optional: true,
      },
      date: {
        kind: 'parsed',
        parse: parseDate,
        brief: 'Day that a template prints which asks for the date',
        placeholder: 'YYYY-MM-DD',
        optional: true,
      },
      allowDownload: DOWNLOAD_FLAG,
      json: JSON_FLAG,
    },
  },
  async func(flags, file) {
    const [files, stdin, reader, masking, rendering, encoding, options, rows, planning, rejects] =
      await Promise.all([
        import('./input-files.js'),
        import('./stdin-file.js'),
        import('../formats/reader.js'),
        import('../logs/secrets.js'),
        import('../chat/load-renderer.js'),
        import('../tokens/load-encoder.js'),
        import('../tokens/mask-options.js'),
        import('../tokens/encode-row.js'),
        import('../tokens/stretches.js'),
        import('../logs/reject.js'),
      ]);
    const named = file === stdin.STDIN ? null : files.requireLog(file, this.cwd);
    if (flags.allowDownload) {
      const { downloadMissing } = await import('../chat/hub-download.js');
      await downloadMissing([flags.tokenizer, flags.template], this.signal);
    }
    const renderer = rendering.loadRenderer({ template: flags.template, date: flags.date ?? null });
    const encoder = encoding.loadEncoder({ tokenizer: flags.tokenizer, baseDir: this.cwd });
    const mask = options.maskSchema.parse({ policy: flags.policy });
    const rowEncoder = rows.createRowEncoder({ encoder, renderer, mask });
    const masker = masking.createSecretMasker();
    const spooled = named === null ? await stdin.stdinFile(this.process.stdin ?? process.stdin) : null;
    const absolute = named ?? spooled?.absolute ?? '';
    const results = reader.readTrajectories({
      root: dirname(absolute),
      path: basename(absolute),
      range: null,
      format: flags.format,
      siblings: null,
    });
    const shown: unknown[] = [];
    let taken = 0;
    try {
      for await (const result of results) {
        if (result.kind === 'reject') {
          note(this, `rejected: ${result.reject.code}: ${masker.maskText(result.reject.message).text}`);
        }
        if (result.kind !== 'trajectory') continue;
        if (taken++ === flags.limit) break;
        const { trajectory } = masker.maskTrajectory(result.trajectory);
        try {
          const plans = planning.planRows({
            trajectory,
            lastTurn: trajectory.turns.length - 1,
            strategy: 'split',
            renderer,
          });
          for (const plan of plans) {
            const row = rowEncoder.encode({ trajectory, plan });
            const { epoch, stretch } = plan;
            const head = {
              trajectory_id: trajectory.trajectory_id,
              epoch,
              stretch,
              n_tokens: row.input_ids.length,
              n_trained: row.n_trained,
              straddled_tokens: row.straddled_tokens,
              ids_differ_because: row.ids_differ_because,
            };
            const runs = tokenRuns(row, { encoder, turn: flags.turn ?? null });
            if (flags.json) shown.push({ ...head, runs });
            else printRow(this, head, runs);
          }
        } catch (error) {
          if (!(error instanceof rejects.RejectError)) throw error;
          note(this, `rejected: ${error.code}: ${masker.maskText(error.message).text}`);
        }
      }
    } finally {
      spooled?.remove();
    }
    if (flags.json) printJson(this, shown);
  },
});
