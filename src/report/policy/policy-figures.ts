import { TrajmillError } from '../../errors.js';
import { auditOffPolicy, type OffPolicyAudit } from '../../rewards/off-policy-audit.js';
import type { CorrectionBand } from '../../rewards/policy-correction.js';
import { readManifest } from '../../tables/manifest.js';
import type { Figure } from '../stats/figure.js';
import { groupBy, UNKNOWN } from '../stats/groups.js';
import { tableRows } from '../table-rows.js';
import type { OldLogProbs } from './old-log-probs.js';

export const POLICY_SECTION = { name: 'policy', title: 'The policy that sampled the tokens' } as const;

/** What the trainer's policy is compared with. */
export interface PolicyAudit {
  readonly old: OldLogProbs;
  readonly band: CorrectionBand;
}

interface SequenceFact {
  readonly keys: readonly string[];
  readonly trained: number;
  /** trained tokens with a log-probability of the rollout */
  readonly sampled: number;
  /** null where nothing is compared */
  readonly audit: OffPolicyAudit | null;
}

const COLUMNS = [
  'sequence_id',
  'task_id',
  'model',
  'weight_version',
  'loss_mask',
  'rollout_log_probs',
] as const;

/**
 * How far the trained tokens of table `rl` are known to the policy that sampled them, and, given the log-probabilities that
 * a trainer computed (`audit`), how far they are from its own policy. Tokens are no independent observations, so there
 * are no intervals. Throws TrajmillError E_USAGE for log-probabilities of sequences that the corpus does not have, or
 * not as long as their ids.
 */
export async function readPolicyFigures(dir: string, audit: PolicyAudit | null): Promise<Figure[]> {
  const { corpus, manifest } = await readManifest(dir);
  const facts: SequenceFact[] = [];
  const owed = new Set(audit?.old.keys());
  for await (const row of tableRows({ corpus, manifest, table: 'rl', columns: COLUMNS })) {
    const { sequence_id: id, loss_mask: mask, rollout_log_probs: rollout } = row;
    owed.delete(id);
    const old = audit?.old.get(id);
    const known = { loss_mask: mask, rollout: rollout ?? new Array<null>(mask.length).fill(null) };
    let trained = 0;
    let sampled = 0;
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] !== 1) continue;
      trained += 1;
      if (known.rollout[i] != null) sampled += 1;
    }
    facts.push({
      keys: [
        'all',
        `task:${row.task_id ?? UNKNOWN}`,
        `model:${row.model ?? UNKNOWN}`,
        `weights:${row.weight_version ?? UNKNOWN}`,
      ],
      trained,
      sampled,
      audit: audit === null || old === undefined ? null : compared({ ...known, old }, audit.band, id),
    });
  }
  const [stranger] = owed;
  if (stranger !== undefined) {
    throw new TrajmillError('E_USAGE', `the corpus has no sequence ${stranger}`, { place: dir });
  }
  return policyFigures(facts);
}

function compared(
  row: Parameters<typeof auditOffPolicy>[0] extends Iterable<infer Row> ? Row : never,
  band: CorrectionBand,
  id: string,
): OffPolicyAudit {
  if (row.old.length !== row.loss_mask.length) {
    throw new TrajmillError(
      'E_USAGE',
      `${row.old.length} log-probabilities for the ${row.loss_mask.length} ids of sequence ${id}`,
    );
  }
  return auditOffPolicy([row], band);
}

function policyFigures(facts: readonly SequenceFact[]): Figure[] {
  const pairs = facts.flatMap((fact) => fact.keys.map((key) => ({ key, fact })));
  return [...groupBy(pairs, ({ key }) => key)].flatMap(([key, own]) =>
    figuresOf(
      key,
      own.map(({ fact }) => fact),
    ),
  );
}

function figuresOf(key: string, facts: readonly SequenceFact[]): Figure[] {
  const figure = (name: string, value: number | null, n: number): Figure => ({
    section: POLICY_SECTION.name,
    key,
    figure: name,
    value: n === 0 ? null : value,
    low: null,
    high: null,
    n,
    interval: 'none',
  });
  const trained = sumOf(facts, (fact) => fact.trained);
  const known = figure(
    'share of trained tokens with log-probabilities',
    sumOf(facts, (fact) => fact.sampled) / trained,
    trained,
  );
  const audits = facts.flatMap(({ audit }) => (audit === null ? [] : [audit]));
  if (audits.length === 0) return [known];
  const n = sumOf(audits, (audit) => audit.known);
  const mean = (of: (audit: OffPolicyAudit) => number | null): number =>
    sumOf(audits, (audit) => (of(audit) ?? 0) * audit.known) / n;
  const below = sumOf(audits, (audit) => audit.below);
  const above = sumOf(audits, (audit) => audit.above);
  const ends = (of: (audit: OffPolicyAudit) => number | null): number[] =>
    audits.flatMap((audit) => of(audit) ?? []);
  return [
    known,
    figure('share off policy', (below + above) / n, n),
    figure('share below q_min', below / n, n),
    figure('share above q_max', above / n, n),
    figure(
      'mean q',
      mean(({ mean_q }) => mean_q),
      n,
    ),
    figure(
      'least q',
      ends(({ min_q }) => min_q).reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
      n,
    ),
    figure(
      'greatest q',
      ends(({ max_q }) => max_q).reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
      n,
    ),
    figure(
      'KL(rollout || old), nats a token',
      mean(({ kl }) => kl),
      n,
    ),
  ];
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
