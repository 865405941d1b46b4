import { loadRenderer } from '../../src/chat/load-renderer.js';
import type { Strategy } from '../../src/chat/renderer.js';
import { createRowEncoder } from '../../src/tokens/encode-row.js';
import { loadEncoder } from '../../src/tokens/load-encoder.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { planRows } from '../../src/tokens/stretches.js';
import type { TokenRow } from '../../src/tokens/token-row.js';
import { contentSpan, makeTurn, reasoningSpan, structuredCallSpan } from '../../src/trajectory/build.js';
import type { Span } from '../../src/trajectory/span.js';
import type { Trajectory } from '../../src/trajectory/trajectory.js';
import type { Turn } from '../../src/trajectory/turn.js';

export const encoder = loadEncoder({ tokenizer: 'qwen3' });
export const renderer = loadRenderer({ template: 'qwen3' });

export const system = (text: string): Turn =>
  makeTurn('system', [contentSpan('prompt', 'environment', text)]);
export const user = (text: string): Turn => makeTurn('user', [contentSpan('prompt', 'environment', text)]);
export const tool = (text: string): Turn =>
  makeTurn('tool', [contentSpan('observation', 'environment', text)]);
export const text = (words: string): Span => contentSpan('text', 'model', words);
export const thought = reasoningSpan;
export const call = (args: unknown, name = 'run'): Span =>
  structuredCallSpan({ id: null, name, arguments: args });
export const assistant = (spans: Span[], rest: Partial<Omit<Turn, 'role' | 'spans'>> = {}): Turn =>
  makeTurn('assistant', spans, rest);

/** A trajectory of these turns in one epoch. */
export function trajectoryOf(turns: Turn[], rest: Partial<Trajectory> = {}): Trajectory {
  return {
    trajectory_id: '0',
    source: {
      path: 'x',
      line: null,
      byte_start: 0,
      byte_end: 0,
      sha256: '',
      format: 'test',
      adapter_version: '1',
      sidecars: [],
    },
    session_id: null,
    parent_session: null,
    group: null,
    task_id: null,
    task_claims: null,
    scaffold: null,
    scaffold_version: null,
    model: 'policy',
    policy_version: null,
    tools: null,
    turns,
    executions: [],
    submissions: [],
    epochs: [{ turns: turns.map((_, i) => i), reason: null }],
    termination: 'unknown',
    turn_budget: null,
    seconds_budget: null,
    resolved: null,
    feedback_exposes_test_score: false,
    flags: [],
    ...rest,
  };
}

export interface EncodeOptions {
  readonly mask?: unknown;
  readonly strategy?: Strategy;
}

/** Every row of a trajectory, with arrays of its own. */
export function rowsOf(
  trajectory: Trajectory,
  { mask = {}, strategy = 'split' }: EncodeOptions = {},
): TokenRow[] {
  const rows = createRowEncoder({ encoder, renderer, mask: maskSchema.parse(mask) });
  const lastTurn = trajectory.turns.length - 1;
  return planRows({ trajectory, lastTurn, strategy, renderer }).map((plan) => {
    const row = rows.encode({ trajectory, plan });
    return {
      ...row,
      input_ids: row.input_ids.slice(),
      loss_mask: row.loss_mask.slice(),
      segment_of_token: row.segment_of_token.slice(),
    };
  });
}

/** The only row of a conversation. */
export function rowOf(turns: Turn[], options: EncodeOptions = {}): TokenRow {
  const [row, ...others] = rowsOf(trajectoryOf(turns), options);
  if (row === undefined || others.length > 0) throw new Error('not exactly one row');
  return row;
}

/** The text of each maximal run of trained tokens. */
export function trainedRuns({ input_ids, loss_mask }: TokenRow): string[] {
  const runs: string[] = [];
  let bytes: number[] = [];
  for (let i = 0; i <= input_ids.length; i++) {
    if (loss_mask[i] === 1) {
      bytes.push(...encoder.tokenBytes(input_ids[i] ?? 0));
    } else if (bytes.length > 0) {
      runs.push(Buffer.from(bytes).toString());
      bytes = [];
    }
  }
  return runs;
}

/** Ids of the whole rendering as a tokenizer gives them, special tokens found everywhere. */
export function naiveIds({ segments }: TokenRow): Int32Array {
  const sink = { ids: new Int32Array(16), length: 0 };
  encoder.encode(segments.map((segment) => segment.text).join(''), sink, 'match');
  return sink.ids.slice(0, sink.length);
}
