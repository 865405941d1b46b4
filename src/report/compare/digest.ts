import { createHash } from 'node:crypto';
import { Tally } from '../../pipeline/counts.js';
import type { Counts } from '../../pipeline/run-summary.js';
import type { CorpusManifest } from '../../tables/manifest.js';
import type { RlRow, SftRow, TrajectoryRow, WindowRow } from '../../tables/table-specs.js';
import { tableRows } from '../table-rows.js';

/** What is kept of a token row for a comparison. */
export interface RowDigest {
  /** short hashes of the ids and of the mask */
  readonly ids: string;
  readonly mask: string;
  /** turn of the anchor of an sft row; null for sequences */
  readonly anchor: number | null;
}

export interface WindowDigest {
  readonly outcome: string;
  readonly reward: number | null;
}

/** What is compared of a corpus. */
export interface CorpusDigest {
  readonly plan_id: string;
  readonly tool_version: string;
  readonly decisions: Counts;
  /** filter reasons, duplicate reasons and reject codes */
  readonly reasons: Counts;
  /** decision and reason by trajectory_id: of equal ones that which went through */
  readonly trajectories: ReadonlyMap<string, string>;
  readonly tokens: number;
  readonly trained: number;
  readonly sft: ReadonlyMap<string, RowDigest>;
  readonly rl: ReadonlyMap<string, RowDigest>;
  readonly windows: ReadonlyMap<string, WindowDigest>;
}

type TrajectoryInput = Pick<TrajectoryRow, 'trajectory_id' | 'decision' | 'reason'>;
type SftInput = Pick<SftRow, 'row_id' | 'anchor_turn' | 'input_ids' | 'loss_mask'>;
type RlInput = Pick<RlRow, 'sequence_id' | 'input_ids' | 'loss_mask'>;
type WindowInput = Pick<WindowRow, 'window_id' | 'outcome' | 'reward'>;

/** Takes the rows of a corpus one by one; what stays of a row is some hundred bytes. */
export class DigestBuilder {
  readonly #decisions = new Tally();
  readonly #reasons = new Tally();
  readonly #trajectories = new Map<string, string>();
  readonly #sft = new Map<string, RowDigest>();
  readonly #rl = new Map<string, RowDigest>();
  readonly #windows = new Map<string, WindowDigest>();
  #tokens = 0;
  #trained = 0;

  trajectory({ trajectory_id: id, decision, reason }: TrajectoryInput): void {
    this.#decisions.add(decision);
    if (reason !== null) this.#reasons.add(reason);
    const said = reason === null ? decision : `${decision}: ${reason}`;
    // of equal trajectories the one that went through speaks for all
    if (!this.#trajectories.has(id) || decision !== 'duplicate') this.#trajectories.set(id, said);
  }

  sft({ row_id, anchor_turn: anchor, input_ids: ids, loss_mask: mask }: SftInput): void {
    this.#sft.set(row_id, { ids: hashOf(ids), mask: hashOf(mask), anchor });
    this.#tokens += ids.length;
    for (let i = 0; i < mask.length; i++) this.#trained += mask[i] ?? 0;
  }

  rl({ sequence_id, input_ids: ids, loss_mask: mask }: RlInput): void {
    this.#rl.set(sequence_id, { ids: hashOf(ids), mask: hashOf(mask), anchor: null });
  }

  window({ window_id, outcome, reward }: WindowInput): void {
    this.#windows.set(window_id, { outcome, reward });
  }

  /** Rejected records that never became a trajectory stand in the manifest only. */
  build(manifest: Pick<CorpusManifest, 'plan_id' | 'tool_version' | 'rejects'>): CorpusDigest {
    const listed = this.#reasons.toCounts();
    for (const [code, n] of Object.entries(manifest.rejects)) {
      const unread = n - (listed[code] ?? 0);
      this.#reasons.add(code, unread);
      this.#decisions.add('rejected', unread);
    }
    return {
      plan_id: manifest.plan_id,
      tool_version: manifest.tool_version,
      decisions: this.#decisions.toCounts(),
      reasons: this.#reasons.toCounts(),
      trajectories: this.#trajectories,
      tokens: this.#tokens,
      trained: this.#trained,
      sft: this.#sft,
      rl: this.#rl,
      windows: this.#windows,
    };
  }
}

/** Of the numbers as 32-bit integers, so that an ids list and a mask of any element type compare by value. */
function hashOf(values: ArrayLike<number>): string {
  const numbers = Int32Array.from(values);
  return createHash('sha256').update(numbers).digest('base64').slice(0, 22);
}

/** Reads a corpus for a comparison, one row group at a time. */
export async function readDigest(corpus: string, manifest: CorpusManifest): Promise<CorpusDigest> {
  const builder = new DigestBuilder();
  const of = { corpus, manifest };
  const trajectories = {
    ...of,
    table: 'trajectories',
    columns: ['trajectory_id', 'decision', 'reason'],
  } as const;
  for await (const row of tableRows(trajectories)) builder.trajectory(row);
  const sft = { ...of, table: 'sft', columns: ['row_id', 'anchor_turn', 'input_ids', 'loss_mask'] } as const;
  for await (const row of tableRows(sft)) builder.sft(row);
  const rl = { ...of, table: 'rl', columns: ['sequence_id', 'input_ids', 'loss_mask'] } as const;
  for await (const row of tableRows(rl)) builder.rl(row);
  const windows = { ...of, table: 'windows', columns: ['window_id', 'outcome', 'reward'] } as const;
  for await (const row of tableRows(windows)) builder.window(row);
  return builder.build(manifest);
}
