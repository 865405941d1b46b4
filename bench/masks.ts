import { loadRenderer } from '../src/chat/load-renderer.js';
import { openaiMessages } from '../src/formats/openai-messages.js';
import { createRowEncoder } from '../src/tokens/encode-row.js';
import { loadEncoder } from '../src/tokens/load-encoder.js';
import { maskSchema } from '../src/tokens/mask-options.js';
import { planRows } from '../src/tokens/stretches.js';
import type { Trajectory } from '../src/trajectory/trajectory.js';
import { fastest } from './clock.js';
import { conversation } from './conversations.js';
import type { BenchResult } from './figures.js';
import { benchTexts } from './texts.js';

const TURNS_IN_ALL = 2048;

function readRun(pieces: readonly string[], run: number, turns: number): Trajectory {
  const source = {
    path: 'bench.jsonl',
    line: 1,
    byte_start: 0,
    byte_end: 0,
    sha256: '',
    format: 'openai-messages',
    adapter_version: '1',
    sidecars: [],
  };
  const result = openaiMessages.read(
    { messages: conversation(pieces, { run, turns }) },
    {
      place: { path: 'bench.jsonl', line: 1, byte_start: 0, byte_end: 0, sha256: '' },
      siblings: { names: [], readText: () => null },
      flags: [],
      experiments: { experiment: [], scoring: [] },
      experiment_patterns: [],
      refuse: (error) => {
        throw error;
      },
    },
  );
  if ('sidecar_of' in result || result[0] === undefined)
    throw new Error('the benchmark conversation was not read');
  return { ...result[0], trajectory_id: `run-${run}`, source };
}

/** Rendering, encoding, mask and proofs of the same number of turns, as many short runs and as few long ones. */
export async function benchMasks(): Promise<BenchResult> {
  const { pieces } = benchTexts(2_000_000);
  const encoder = loadEncoder({ tokenizer: 'qwen3' });
  const renderer = loadRenderer({ template: 'qwen3' });
  const rows = createRowEncoder({ encoder, renderer, mask: maskSchema.parse({}) });

  const rate = async (turns: number): Promise<number> => {
    const runs = Array.from({ length: TURNS_IN_ALL / turns }, (_, run) => readRun(pieces, run, turns));
    let tokens = 0;
    const seconds = await fastest(5, () => {
      tokens = 0;
      for (const trajectory of runs) {
        const lastTurn = trajectory.turns.length - 1;
        for (const plan of planRows({ trajectory, lastTurn, strategy: 'split', renderer })) {
          tokens += rows.encode({ trajectory, plan }).input_ids.length;
        }
      }
    });
    return tokens / seconds;
  };
  const short = await rate(8);
  const long = await rate(512);
  return {
    figures: { cost_per_token_512_vs_8_turns: short / long },
    rows: [
      { what: 'render, encode, mask and prove, 8 turns', value: short / 1e6, unit: 'M tokens/s' },
      { what: 'render, encode, mask and prove, 512 turns', value: long / 1e6, unit: 'M tokens/s' },
    ],
  };
}
