import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { RejectError } from '../../src/logs/reject.js';
import { createRowEncoder, type RowEncoder, type RowRequest } from '../../src/tokens/encode-row.js';
import type { Encoder, TokenSink } from '../../src/tokens/encoder.js';
import { maskSchema } from '../../src/tokens/mask-options.js';
import { openSharedEncoder, shareEncoder } from '../../src/tokens/share-encoder.js';
import { planRows } from '../../src/tokens/stretches.js';
import { readAll, trajectoriesOf } from '../formats/read-all.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { encoder, renderer } from './rows.js';

const LOGS = [
  'adp_sample_raw/nebius_SWE-agent-trajectories_sample_raw.json',
  'claude_code_session_jsonl/v2.0.42_thinking.jsonl',
  'codex_rollout_jsonl/agent-sessions_codex_small.jsonl',
  'mini_swe_agent_traj/sqlfluff-2419_deepseek-reasoner.traj.json',
  'openhands_sdk_events/goal_events.jsonl',
  'pi_session_jsonl/large-session.jsonl',
  'swe_agent_traj/marshmallow-1867_function_calling_replace_from_source.traj',
  'swe_agent_traj/pydicom-1458_gpt4_test.traj',
  'tau_bench_results/gpt-4o-airline_tasks0-3_4trials.json',
];

const share = shareEncoder(encoder);

/** An encoder without a trail that remembers nothing from before its last `renew`. */
function forgetfulEncoder(): Encoder & { renew(): void } {
  let inner = openSharedEncoder(share);
  return {
    engine: 'bpe',
    sha256: inner.sha256,
    byteLengths: inner.byteLengths,
    specials: inner.specials,
    addedTokens: inner.addedTokens,
    normalize: (text) => inner.normalize(text),
    isNormal: (text) => inner.isNormal(text),
    tokenBytes: (id) => inner.tokenBytes(id),
    encode(text, into, special) {
      const sink: TokenSink = { ids: into.ids, length: into.length };
      const count = inner.encode(text, sink, special);
      into.ids = sink.ids;
      into.length = sink.length;
      return count;
    },
    renew() {
      inner = openSharedEncoder(share);
    },
  };
}

/** Large columns are compared by their length and digest, which is soon done. */
function digestOf(column: Int32Array | Uint8Array | string): string {
  return `${column.length} ${createHash('sha256').update(column).digest('hex')}`;
}

/** Everything of a row, or why there is none. */
function outcome(rows: RowEncoder, request: RowRequest): object {
  try {
    const row = rows.encode(request);
    return {
      ...row,
      segments: digestOf(JSON.stringify(row.segments)),
      input_ids: digestOf(row.input_ids),
      loss_mask: digestOf(row.loss_mask),
      segment_of_token: digestOf(row.segment_of_token),
    };
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    return { code: error.code, message: error.message };
  }
}

describeWithShared('rows of real logs', () => {
  const requests: RowRequest[] = [];

  beforeAll(async () => {
    for (const path of LOGS) {
      const trajectories = trajectoriesOf(await readAll({ root: sharedFile('logs'), path }));
      for (const trajectory of trajectories.slice(0, 16)) {
        const lastTurn = trajectory.turns.length - 1;
        const strategy = 'split';
        const plans = planRows({ trajectory, lastTurn, strategy, renderer });
        for (const plan of plans.slice(0, 4)) requests.push({ trajectory, plan });
      }
    }
  });

  it.each([{}, { policy: 'trl', boundary: 'sampled' }])(
    'are the same whether their lines were seen before or not (%j)',
    (options) => {
      const mask = maskSchema.parse(options);
      const knowing = createRowEncoder({ encoder: openSharedEncoder(share), renderer, mask });
      const forgetful = forgetfulEncoder();
      const unknowing = createRowEncoder({ encoder: forgetful, renderer, mask });
      const rows = requests.map((request) => {
        forgetful.renew();
        return outcome(unknowing, request);
      });
      expect(rows.filter((row) => 'proofs' in row).length).toBeGreaterThan(30);
      expect(requests.map((request) => outcome(knowing, request))).toEqual(rows);
      expect([...requests].reverse().map((request) => outcome(knowing, request))).toEqual(
        [...rows].reverse(),
      );
    },
  );

  it('are the same where everything is forgotten within one of them', () => {
    const mask = maskSchema.parse({});
    const full = openSharedEncoder(share);
    // nearly as many different lines as are remembered
    const lines = Array.from({ length: 131_000 }, (_, n) => `line ${n} is there\n`).join('');
    full.encode(lines, { ids: new Int32Array(16), length: 0 }, 'plain');
    const knowing = createRowEncoder({ encoder: full, renderer, mask });
    const unknowing = createRowEncoder({ encoder: forgetfulEncoder(), renderer, mask });
    for (const request of requests.slice(0, 8))
      expect(outcome(knowing, request)).toEqual(outcome(unknowing, request));
  });
});
