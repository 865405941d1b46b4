import { medalOf } from '../grading/medals.js';
import type { TaskRecord } from '../grading/task-record.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { turnsOffPath } from './anchor-path.js';
import { selectBest } from './best-submission.js';
import type { CorpusScores } from './corpus-scores.js';
import {
  type RuleOutcome,
  SELECTION_RULES,
  type SelectedPrefix,
  type SelectionDecision,
  type SelectionRule,
} from './decision.js';
import type { SelectionFlag } from './flags.js';
import { selectInitial } from './initial-solution.js';
import type { SelectionOptions } from './options.js';
import { requireCorpus } from './quality.js';
import type { Kept, NotKept, Rule, RuleInput } from './rule.js';
import { isSearch } from './search-tree.js';
import { selectWhole } from './whole.js';

const RULES: Record<SelectionRule, Rule> = {
  whole: selectWhole,
  initial: selectInitial,
  best: selectBest,
};

/**
 * The prefixes that the chosen rules keep of a run, and what each rule decided, with its numbers. Rules that keep
 * the same turns yield one prefix that names them all. `task` null means that no score can be judged. Throws E_CONFIG
 * where the quality threshold is a quantile and `corpus` is null.
 */
export function selectPrefixes(
  trajectory: Trajectory,
  task: TaskRecord | null,
  options: SelectionOptions,
  corpus: CorpusScores | null = null,
): SelectionDecision {
  requireCorpus(options.quality, corpus);
  const input: RuleInput = { trajectory, task, options, corpus };
  const prefixes = new Map<string, SelectedPrefix>();
  const outcomes: RuleOutcome[] = [];
  for (const rule of SELECTION_RULES) {
    if (!options.rules.includes(rule)) continue;
    const result = RULES[rule](input);
    outcomes.push(outcomeOf(rule, result));
    if ('reason' in result) continue;
    const prefix = prefixOf(rule, result, input);
    const turns = [prefix.last_turn, ...prefix.off_path].join(' ');
    const same = prefixes.get(turns);
    prefixes.set(turns, same === undefined ? prefix : merged(same, prefix));
  }
  return { prefixes: [...prefixes.values()], outcomes };
}

function outcomeOf(rule: SelectionRule, result: Kept | NotKept): RuleOutcome {
  if ('reason' in result) {
    const { reason, detail, score = null } = result;
    return { rule, anchor_turn: null, anchor_execution: null, score, reason, detail };
  }
  const { anchor, score, detail } = result;
  const execution = anchor.execution?.execution_id ?? null;
  return { rule, anchor_turn: anchor.turn, anchor_execution: execution, score, reason: 'kept', detail };
}

function prefixOf(rule: SelectionRule, kept: Kept, { trajectory, task, options }: RuleInput): SelectedPrefix {
  const { anchor, score } = kept;
  const scale = score === null ? null : options.score_scale;
  const flags = new Set<SelectionFlag>([...kept.flags, ...anchor.flags]);
  if (scale !== null && scale !== 'test' && typeof options.quality === 'string') {
    flags.add('thresholds_of_test_scale');
  }
  // a whole run has no anchor that a path could lead to
  const traced = options.prefixes === 'lineage' && rule !== 'whole' && isSearch(trajectory);
  const off = traced && anchor.execution !== null ? turnsOffPath(trajectory, anchor.turn) : null;
  if (traced && off === null) flags.add('lineage_unknown');
  return {
    rules: [rule],
    last_turn: anchor.last_turn,
    kind: off === null ? 'chronological' : 'lineage',
    off_path: off ?? [],
    anchor_execution: anchor.execution?.execution_id ?? null,
    anchor_turn: anchor.turn,
    anchor_score: score,
    score_scale: scale,
    medal: task === null || scale !== 'test' ? null : medalOf(score, task),
    threshold_source: kept.threshold_source,
    flags: [...flags],
  };
}

/** One prefix for two rules: the anchor of a scored rule says more than that of a whole run. */
function merged(a: SelectedPrefix, b: SelectedPrefix): SelectedPrefix {
  const anchored = a.anchor_score === null ? b : a;
  return { ...anchored, rules: [...a.rules, ...b.rules], flags: [...new Set([...a.flags, ...b.flags])] };
}
