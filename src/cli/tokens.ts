import { basename, dirname } from 'node:path';
import { buildChoiceParser, buildCommand } from '@stricli/core';
import type { Encoder } from '../tokens/encoder.js';
import { MASK_POLICY_NAMES } from '../tokens/mask-policy.js';
import type { TokenRow } from '../tokens/token-row.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG, parsePositive } from './flags.js';
import { note } from './output.js';
import { hasColor, paintFor } from './style.js';

type Policy = (typeof MASK_POLICY_NAMES)[number];

interface TokensFlags {
  readonly format: string;
  readonly policy: Policy;
  readonly tokenizer: string;
  readonly template: string;
  readonly limit: number;
  readonly json: boolean;
}

/** A run of tokens with one mask value. */
interface MaskRun {
  readonly trained: boolean;
  readonly tokens: number;
  readonly text: string;
}

/** Shows the loss mask of whole trajectories, token-exact. */
export const tokensCommand = buildCommand<TokensFlags, [string], CliContext>({
  docs: {
    brief: 'Show a log as token rows, with the trained text marked',
    fullDescription: describeCommand(
      'Renders the trajectories of a file whole, encodes and masks them as a run would, and prints the text of the\n' +
        'tokens: trained ones in green, on a stream without colour between « and ». Secrets are masked.',
      [
        'trajmill tokens run-17/agent_trajectory.json | less -R',
        'trajmill tokens chat.jsonl --policy trl --limit 3',
        'trajmill tokens chat.jsonl --json > rows.json',
      ],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Log file', parse: String, placeholder: 'FILE' }],
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
      json: JSON_FLAG,
    },
  },
  async func(flags, file) {
    const [files, reader, masking, rendering, encoding, options, rows, planning, rejects] = await Promise.all(
      [
        import('./input-files.js'),
        import('../formats/reader.js'),
        import('../logs/secrets.js'),
        import('../chat/load-renderer.js'),
        import('../tokens/load-encoder.js'),
        import('../tokens/mask-options.js'),
        import('../tokens/encode-row.js'),
        import('../tokens/stretches.js'),
        import('../logs/reject.js'),
      ],
    );
    const absolute = files.requireFile(file, this.cwd);
    const renderer = rendering.loadRenderer({ template: flags.template });
    const encoder = encoding.loadEncoder({ tokenizer: flags.tokenizer, baseDir: this.cwd });
    const mask = options.maskSchema.parse({ policy: flags.policy });
    const rowEncoder = rows.createRowEncoder({ encoder, renderer, mask });
    const masker = masking.createSecretMasker();
    const results = reader.readTrajectories({
      root: dirname(absolute),
      path: basename(absolute),
      range: null,
      format: flags.format,
      siblings: null,
    });
    const shown: unknown[] = [];
    let taken = 0;
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
          const runs = maskRuns(row, encoder);
          if (flags.json) shown.push({ ...head, runs });
          else printRow(this, head, runs);
        }
      } catch (error) {
        if (!(error instanceof rejects.RejectError)) throw error;
        note(this, `rejected: ${error.code}: ${masker.maskText(error.message).text}`);
      }
    }
    if (flags.json) this.process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  },
});

/** The text of a row, cut where the mask changes; a character cut there shows as a replacement sign. */
function maskRuns({ input_ids: ids, loss_mask: mask }: TokenRow, encoder: Encoder): MaskRun[] {
  const runs: MaskRun[] = [];
  let start = 0;
  for (let end = 1; end <= ids.length; end++) {
    if (end < ids.length && mask[end] === mask[start]) continue;
    const bytes = Array.from(ids.subarray(start, end), (id) => encoder.tokenBytes(id));
    runs.push({
      trained: mask[start] === 1,
      tokens: end - start,
      text: Buffer.concat(bytes).toString('utf8'),
    });
    start = end;
  }
  return runs;
}

function printRow(
  context: CliContext,
  head: { trajectory_id: string; epoch: number; stretch: number; n_tokens: number; n_trained: number },
  runs: readonly MaskRun[],
): void {
  const { stdout, env } = context.process;
  const paint = paintFor(stdout, env);
  const color = hasColor(stdout, env);
  const { trajectory_id: id, epoch, stretch, n_tokens: tokens, n_trained: trained } = head;
  const title = `${id.slice(0, 12)} epoch ${epoch} stretch ${stretch}: ${trained} of ${tokens} tokens trained`;
  stdout.write(`${paint('bold', title)}\n`);
  for (const run of runs) {
    const text = visible(run.text);
    if (color) stdout.write(run.trained ? paint('green', text) : paint('dim', text));
    else stdout.write(run.trained ? `«${text}»` : text);
  }
  stdout.write('\n');
}

/** Control characters of a log must not reach the terminal. */
function visible(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, (character) =>
    character.charCodeAt(0) < 32 ? String.fromCharCode(0x2400 + character.charCodeAt(0)) : '\ufffd',
  );
}
