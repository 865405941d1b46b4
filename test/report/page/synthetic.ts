import { createHash } from 'node:crypto';
import { taskRecordSchema } from '../../../src/grading/task-record.js';
import type {
  LengthDetail,
  ReportFacts,
  RowDetail,
  TrajectoryDetail,
} from '../../../src/report/page/report-facts.js';
import type { PrefixFact, RunFact, WindowFact } from '../../../src/report/stats/facts.js';
import { tasksByName } from '../../../src/report/stats/facts-builder.js';
import { type CorpusManifest, makeManifest } from '../../../src/tables/manifest.js';
import { PROOF_NAMES } from '../../../src/tables/specs/sft.js';

interface SyntheticOptions {
  readonly trajectories: number;
  readonly tasks?: number;
  readonly executions?: number;
}

/** Numbers from 0 to 1, the same in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const OUTCOMES: readonly [WindowFact['outcome'], number][] = [
  ['error', -1],
  ['no_submission', -0.6],
  ['below_medal', -0.4],
  ['bronze', 1],
  ['silver', 1.2],
  ['gold', 2.2],
];

/** A corpus of that many trajectories, each with its executions and windows; every fifth is filtered. */
export function syntheticFacts({
  trajectories: n,
  tasks = 40,
  executions = 9,
}: SyntheticOptions): ReportFacts {
  const next = generator(n);
  const records = Array.from({ length: tasks }, (_, i) =>
    taskRecordSchema.parse({
      task_id: `task-${i}`,
      aliases: [`alias-${i}`],
      is_lower_better: i % 2 === 1,
      thresholds:
        i % 2 === 1
          ? { gold: 0.2, silver: 0.3, bronze: 0.4, median: 0.5 }
          : { gold: 0.9, silver: 0.8, bronze: 0.7, median: 0.6 },
      sample_submission_score: 0.5,
      domain: `domain ${i % 4}`,
    }),
  );
  const runs: RunFact[] = [];
  const trajectories: TrajectoryDetail[] = [];
  const prefixes: PrefixFact[] = [];
  const rows: RowDetail[] = [];
  const lengths: LengthDetail[] = [];
  for (let i = 0; i < n; i++) {
    const origin = {
      trajectory_id: createHash('sha256').update(String(i)).digest('hex'),
      source_path: `logs/part-${i % 97}.jsonl`,
      task_id: `task-${Math.floor(next() ** 2 * tasks)}`,
      scaffold: `scaffold ${i % 3}`,
      model: `model-${Math.floor(next() * 5)}`,
    };
    const isKept = i % 5 !== 4;
    const own = Array.from({ length: executions }, (_, order) => {
      const score = Number(next().toFixed(5));
      const [outcome, reward] = OUTCOMES[Math.floor(next() * OUTCOMES.length)] ?? ['error', -1];
      const isOk = outcome !== 'error';
      return {
        execution: {
          execution_id: `e${order}`,
          order,
          call_turn: 2 * order + 1,
          feedback_turn: 2 * order + 2,
          kind: 'experiment' as const,
          status: isOk ? ('ok' as const) : ('error' as const),
          seconds: Number((600 * next()).toFixed(1)),
          gradable: isOk,
          score_test: isOk ? score : null,
          score_validation: isOk ? Number((score + 0.02 * next()).toFixed(5)) : null,
          score_self_reported: null,
        },
        window: {
          index: order,
          outcome,
          trend: order === 0 ? null : ((['fell', 'same', 'rose'] as const)[Math.floor(3 * next())] ?? null),
          reward,
          flags: next() < 0.05 ? ['repeat'] : [],
        },
      };
    });
    runs.push({
      ...origin,
      executions: own.map(({ execution }) => execution),
      windows: own.map(({ window }) => window),
    });
    trajectories.push({
      ...origin,
      source_format: i % 2 === 0 ? 'mle-dojo' : 'aide-journal',
      adapter_version: '1',
      flags: i % 7 === 0 ? ['prompts_absent'] : [],
      termination: 'submitted',
      feedback_exposes_test_score: i % 3 === 0,
      decision: isKept ? 'kept' : 'filtered',
      reason: isKept ? null : 'below_threshold',
      detail: isKept ? null : `best ${next().toFixed(3)} is below the median 0.6`,
      duplicate_of: null,
      n_turns: 2 * executions + 1,
    });
    for (const [k, { execution }] of own.entries()) {
      if (isKept && k % 2 === 0) {
        lengths.push({ ...origin, n_tokens: 200 + (execution.order + 1) * 37, n_trained: 100 });
      }
    }
    if (!isKept) continue;
    const n_tokens = Math.round(10 ** (2.5 + 2 * next()));
    const n_trained = Math.max(1, Math.round(n_tokens * next()));
    const anchor = 2 * Math.floor(executions * next()) + 2;
    const { trajectory_id, source_path } = origin;
    prefixes.push({
      trajectory_id,
      source_path,
      anchor_turn: anchor,
      rules: i % 2 === 0 ? ['best'] : ['initial', 'best'],
      cut_turns: 2 * executions - anchor,
      cut_tokens: 50 * (2 * executions - anchor),
      n_tokens,
      n_trained,
    });
    rows.push({
      ...origin,
      n_tokens,
      n_trained,
      split: i % 10 === 0 ? 'validation' : 'train',
      mask_policy: 'sampled',
      proofs: [...PROOF_NAMES],
      ids_differ_because: [],
    });
  }
  return {
    facts: { runs, trajectories, prefixes, rejects: { torn_line: 2 }, tasks: tasksByName(records) },
    trajectories,
    rows,
    lengths,
    policy: [],
    rejects: [1, 2].map((line) => ({
      source: 'logs/torn.jsonl',
      line,
      byte_start: 0,
      byte_end: 1,
      sha256: null,
      stage: 'read',
      code: 'torn_line',
      message: `line ${line} is cut off`,
      format: null,
      trajectory_id: null,
    })),
  };
}

/** A manifest for facts that no files hold. */
export function manifestOf({ facts }: ReportFacts): CorpusManifest {
  return makeManifest({
    plan_id: 'a'.repeat(64),
    tool_version: '0.1.0',
    files: [],
    rejects: { ...facts.rejects },
    counts: {},
  });
}
