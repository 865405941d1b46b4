import { type ConfigDifference, configDifferences } from '../../pipeline/config-difference.js';
import type { Counts } from '../../pipeline/run-summary.js';
import type { CorpusDigest, RowDigest } from './digest.js';

/** A number of both corpora. */
export interface Pair {
  readonly a: number;
  readonly b: number;
}

/** A count by name of both corpora. */
export interface NamedPair extends Pair {
  readonly name: string;
}

/** How the rows of one table differ, by their key. */
export interface RowsDifference {
  readonly same: number;
  readonly only_a: readonly string[];
  readonly only_b: readonly string[];
  /** keys of rows that both have and whose ids, mask or anchor differ */
  readonly ids: readonly string[];
  readonly mask: readonly string[];
  readonly anchor: readonly string[];
}

export interface Comparison {
  readonly same_plan: boolean;
  readonly tool_versions: { readonly a: string; readonly b: string };
  readonly decisions: readonly NamedPair[];
  readonly reasons: readonly NamedPair[];
  readonly tokens: Pair;
  readonly trained: Pair;
  readonly outcomes: readonly NamedPair[];
  /** windows by reward as a decimal string; `none` pays nothing */
  readonly rewards: readonly NamedPair[];
  readonly trajectories: {
    readonly both: number;
    readonly only_a: readonly string[];
    readonly only_b: readonly string[];
    readonly decided_otherwise: readonly {
      readonly trajectory_id: string;
      readonly a: string;
      readonly b: string;
    }[];
  };
  readonly sft: RowsDifference;
  readonly rl: RowsDifference;
  /** windows that both have and that pay otherwise */
  readonly windows_paid_otherwise: number;
  /** null where one of the plans is not at hand */
  readonly config: readonly ConfigDifference[] | null;
}

export interface ComparedCorpus {
  readonly digest: CorpusDigest;
  /** what of a plan decides the corpus; null where it is not at hand */
  readonly config: unknown;
}

/** Two corpora side by side. Pure; lists are in code-unit order. */
export function compareCorpora(a: ComparedCorpus, b: ComparedCorpus): Comparison {
  const [left, right] = [a.digest, b.digest];
  const ofWindows = (field: 'outcome' | 'reward'): readonly NamedPair[] =>
    paired(windowCounts(left, field), windowCounts(right, field));
  return {
    same_plan: left.plan_id === right.plan_id,
    tool_versions: { a: left.tool_version, b: right.tool_version },
    decisions: paired(left.decisions, right.decisions),
    reasons: paired(left.reasons, right.reasons),
    tokens: { a: left.tokens, b: right.tokens },
    trained: { a: left.trained, b: right.trained },
    outcomes: ofWindows('outcome'),
    rewards: ofWindows('reward'),
    trajectories: trajectoriesDifference(left, right),
    sft: rowsDifference(left.sft, right.sft),
    rl: rowsDifference(left.rl, right.rl),
    windows_paid_otherwise: [...left.windows].filter(([id, { reward }]) => {
      const other = right.windows.get(id);
      return other !== undefined && other.reward !== reward;
    }).length,
    config: a.config === null || b.config === null ? null : configDifferences(a.config, b.config),
  };
}

function windowCounts({ windows }: CorpusDigest, field: 'outcome' | 'reward'): Counts {
  const counts: Record<string, number> = {};
  for (const window of windows.values()) {
    const name = String(window[field] ?? 'none');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Every name that one of them has; rewards in the order of their value. */
function paired(a: Counts, b: Counts): readonly NamedPair[] {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(byValueThenName);
  return names.map((name) => ({ name, a: a[name] ?? 0, b: b[name] ?? 0 }));
}

function byValueThenName(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  return a < b ? -1 : 1;
}

function trajectoriesDifference(a: CorpusDigest, b: CorpusDigest): Comparison['trajectories'] {
  const { both, only_a, only_b } = keysOf(a.trajectories, b.trajectories);
  const decided = both.map((trajectory_id) => ({
    trajectory_id,
    a: a.trajectories.get(trajectory_id) ?? '',
    b: b.trajectories.get(trajectory_id) ?? '',
  }));
  return {
    both: both.length,
    only_a,
    only_b,
    decided_otherwise: decided.filter((each) => each.a !== each.b),
  };
}

function rowsDifference(
  a: ReadonlyMap<string, RowDigest>,
  b: ReadonlyMap<string, RowDigest>,
): RowsDifference {
  const { both, only_a, only_b } = keysOf(a, b);
  const differ = (field: keyof RowDigest): string[] =>
    both.filter((key) => a.get(key)?.[field] !== b.get(key)?.[field]);
  const [ids, mask, anchor] = [differ('ids'), differ('mask'), differ('anchor')];
  const changed = new Set([...ids, ...mask, ...anchor]);
  return { same: both.length - changed.size, only_a, only_b, ids, mask, anchor };
}

function keysOf(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>) {
  return {
    both: [...a.keys()].filter((key) => b.has(key)).sort(),
    only_a: [...a.keys()].filter((key) => !b.has(key)).sort(),
    only_b: [...b.keys()].filter((key) => !a.has(key)).sort(),
  };
}
