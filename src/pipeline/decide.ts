import type { TaskRecord } from '../grading/task-record.js';
import { type CapReason, overCaps, type Place } from '../selection/caps.js';
import type { CorpusQuantile } from '../selection/corpus-scores.js';
import type { DuplicateReason, FilterReason } from '../selection/decision.js';
import { type DuplicateChoice, survivorOf, whyItStands } from '../selection/equal-runs.js';
import { estimatedJaccard } from '../selection/minhash.js';
import { mixWeights } from '../selection/mix.js';
import { nearDuplicateClusters } from '../selection/near-duplicates.js';
import { nearestRankQuantile } from '../selection/quality.js';
import { repeatedReplies } from '../selection/repeated-replies.js';
import type { ScoreScale } from '../trajectory/execution.js';
import { CorpusThresholds } from './corpus-thresholds.js';
import { Tally } from './counts.js';
import { type DecisionRow, type Decisions, goesOn, type TaskDecisions } from './decisions.js';
import type { Plan, PlanInput } from './plan.js';
import { mixOf, type StageOfInput, selectionsOf, stageOf } from './stage.js';
import { decodeSignature, type Survey, type SurveyRow } from './survey.js';
import { asksProspects } from './survey-questions.js';

/** A trajectory of the corpus while it is decided on. */
interface Entry {
  readonly task: number;
  readonly order: number;
  readonly row: SurveyRow;
  readonly occurrence: number;
  readonly stage: StageOfInput;
  /** the raw file */
  readonly path: string;
  decision: Pick<DecisionRow, 'decision' | 'reason' | 'duplicate_of' | 'detail' | 'repeated'> | null;
}

export interface DecidedCorpus {
  readonly decisions: Decisions;
  /** one for each task, in their order */
  readonly tasks: readonly TaskDecisions[];
}

/**
 * The decide pass: over the surveys of all tasks, in plan order, what the whole corpus decides on single trajectories.
 * In this order: equal turns, near duplicates, decontamination, thresholds and quantiles over what is left, caps over
 * what selection keeps of it, mix weights over what the caps leave, and replies that several of these hold.
 */
export function decide(plan: Plan, surveys: Iterable<Survey>): DecidedCorpus {
  const { config } = plan.body;
  const entries = entriesOf(plan, surveys);
  if (config.near_duplicates !== null) markNearDuplicates(entries, config.near_duplicates);
  for (const entry of entries) {
    const out = entry.row.left_out;
    if (isOpen(entry) && out !== undefined) filter(entry, out.reason, out.detail);
  }
  const records = new Map(plan.body.task_records.map((record) => [record.task_id, record]));
  const standing = entries.filter((entry) => isOpen(entry) && entry.row.rejected !== true);
  const scores = scoresByTask(standing);
  const thresholds = corpusThresholds(plan, records, scores);
  const quantiles = corpusQuantiles(plan, records, scores);
  const judge = new CorpusThresholds({ records: plan.body.task_records, thresholds, quantiles });
  const keeps = ({ row, stage }: Entry): boolean => judge.keeps(row, stage.selection);
  const candidates = asksProspects(config) ? standing.filter(keeps) : [];
  markOverCaps(plan, candidates);
  markRepeated(standing.filter(isOpen), keeps);
  const tasks = new Map<number, DecisionRow[]>();
  const counts = new Tally();
  for (const entry of entries) {
    const rows = tasks.get(entry.task) ?? [];
    tasks.set(entry.task, rows);
    if (entry.decision === null) continue;
    counts.add(entry.decision.reason);
    rows.push({
      order: entry.order,
      trajectory_id: entry.row.id,
      occurrence: entry.occurrence,
      ...entry.decision,
    });
  }
  return {
    decisions: {
      plan_id: plan.plan_id,
      counts: counts.toCounts(),
      thresholds,
      quantiles,
      weights: weights(plan, candidates.filter(isOpen)),
    },
    tasks: plan.body.tasks.map((_, task) => ({ plan_id: plan.plan_id, task, rows: tasks.get(task) ?? [] })),
  };
}

const NOWHERE: Pick<PlanInput, 'path' | 'stage' | 'source'> = { path: '', stage: null, source: null };

/** Entries in plan order; of equal trajectories all but one are marked. */
function entriesOf(plan: Plan, surveys: Iterable<Survey>): Entry[] {
  const { config, inputs } = plan.body;
  const equal = new Map<string, Entry[]>();
  const entries: Entry[] = [];
  for (const survey of surveys) {
    survey.rows.forEach((row, order) => {
      const own = equal.get(row.id) ?? [];
      const input = inputs[row.input] ?? NOWHERE;
      const entry: Entry = {
        task: survey.task,
        order,
        row,
        occurrence: own.length,
        stage: stageOf(config, input),
        path: input.path,
        decision: null,
      };
      entries.push(entry);
      own.push(entry);
      equal.set(row.id, own);
    });
  }
  for (const group of equal.values()) if (group.length > 1) markEqual(group, config.duplicates);
  return entries;
}

/** Marks all of a group of equal trajectories but the one that stands for them. */
function markEqual(group: readonly Entry[], choice: DuplicateChoice): void {
  const runs = group.map(({ row }) => ({ riches: row.riches ?? null, rejected: row.rejected === true }));
  const chosen = choice === 'drop' ? survivorOf(runs) : 0;
  const [survivor, run] = [group[chosen], runs[chosen]];
  if (survivor === undefined || run === undefined) return;
  for (const [index, entry] of group.entries()) {
    if (index === chosen) continue;
    const why = choice === 'drop' ? whyItStands(run, runs[index] ?? run) : 'first in plan order';
    entry.decision =
      choice === 'keep'
        ? { decision: 'copy', ...duplicateOf('equal_turns', entry.row.id, null) }
        : {
            decision: 'duplicate',
            ...duplicateOf('equal_turns', entry.row.id, `the one of ${survivor.path} stands: ${why}`),
          };
  }
  // what speaks against one of them speaks against the same turns elsewhere
  const contaminated = group.find(({ row }) => row.left_out?.reason === 'decontaminated')?.row.left_out;
  if (choice !== 'keep' && contaminated !== undefined && survivor.row.left_out === undefined) {
    filter(survivor, contaminated.reason, `${contaminated.detail} (an equal trajectory)`);
  }
}

/** Whether nothing speaks against a trajectory so far; a copy is kept like any other. */
function isOpen({ decision }: Entry): boolean {
  return goesOn(decision);
}

function duplicateOf(reason: DuplicateReason, id: string, detail: string | null) {
  return { reason, duplicate_of: id, detail };
}

function filter(entry: Entry, reason: FilterReason | CapReason, detail: string): void {
  entry.decision = { decision: 'filtered', reason, duplicate_of: null, detail };
}

function markNearDuplicates(entries: readonly Entry[], options: { buckets: number; hashes: number }): void {
  // a trajectory that will be rejected must not stand for others
  const compared = entries.filter((entry) => isOpen(entry) && entry.row.rejected !== true);
  const signatures = compared.map(({ row: { signature } }) =>
    signature === undefined ? null : decodeSignature(signature),
  );
  const clusters = nearDuplicateClusters(signatures, options);
  compared.forEach((entry, index) => {
    const first = clusters[index] ?? index;
    const survivor = compared[first];
    if (first === index || survivor === undefined) return;
    const [own, other] = [signatures[index], signatures[first]];
    const similarity = own && other ? estimatedJaccard(own, other) : 0;
    const detail = `estimated similarity ${similarity.toFixed(3)} to the first of its cluster`;
    entry.decision = { decision: 'duplicate', ...duplicateOf('near_duplicate', survivor.row.id, detail) };
  });
}

/**
 * Marks replies that a trajectory before it holds too. Those that selection keeps come first, so that what one of them
 * goes on from is trained although the log that it was begun in may be left out.
 */
function markRepeated(open: readonly Entry[], keeps: (entry: Entry) => boolean): void {
  const replied = open.filter(({ row }) => row.replies !== undefined);
  const kept = new Set(replied.filter(keeps));
  const ranked = [...kept, ...replied.filter((entry) => !kept.has(entry))];
  const found = repeatedReplies(ranked.map(({ row: { id, replies = '' } }) => ({ id, keys: replies })));
  for (const [index, repeats] of found.entries()) {
    const [entry, owner] = [ranked[index], ranked[repeats?.owner ?? -1]];
    if (repeats === null || entry === undefined || owner === undefined) continue;
    const repeated = [...repeats.places];
    const detail = `${repeated.length} of its replies stand in other logs too, the first in ${owner.path}`;
    entry.decision =
      entry.decision === null
        ? { decision: 'repeats', reason: 'repeated_replies', duplicate_of: null, detail, repeated }
        : { ...entry.decision, repeated };
  }
}

type ScoresByTask = ReadonlyMap<string, readonly number[]>;

const scoresKey = (taskId: string, scale: ScoreScale): string => `${scale}\n${taskId}`;

function scoresByTask(entries: readonly Entry[]): ScoresByTask {
  const byTask = new Map<string, number[]>();
  for (const { row } of entries) {
    if (row.task === null) continue;
    for (const [scale, scores] of Object.entries(row.scores ?? {})) {
      const key = scoresKey(row.task, scale as ScoreScale);
      const list = byTask.get(key) ?? [];
      list.push(...scores);
      byTask.set(key, list);
    }
  }
  return byTask;
}

type Records = ReadonlyMap<string, TaskRecord>;

function corpusThresholds(plan: Plan, records: Records, scores: ScoresByTask): Decisions['thresholds'] {
  return plan.body.corpus_thresholds.flatMap(({ task_id, ...tiers }) => {
    const own = scores.get(scoresKey(task_id, 'test')) ?? [];
    const lower = records.get(task_id)?.is_lower_better ?? false;
    const at = (q: number): number | null => nearestRankQuantile(own, q, lower);
    const [gold, silver, bronze, median] = [
      at(tiers.gold),
      at(tiers.silver),
      at(tiers.bronze),
      at(tiers.median),
    ];
    if (gold === null || silver === null || bronze === null || median === null) return [];
    return [{ task_id, gold, silver, bronze, median, n: own.length }];
  });
}

/** The quality quantiles that selections ask for, of every task with scores on their scale, in order of task. */
function corpusQuantiles(plan: Plan, records: Records, scores: ScoresByTask): CorpusQuantile[] {
  const found = new Map<string, CorpusQuantile>();
  for (const { quality, score_scale: scale } of selectionsOf(plan.body.config)) {
    if (quality === null || typeof quality === 'string' || 'score' in quality) continue;
    const q = quality.quantile;
    for (const [task_id, record] of records) {
      const own = scores.get(scoresKey(task_id, scale)) ?? [];
      const score = nearestRankQuantile(own, q, record.is_lower_better);
      if (score !== null)
        found.set(`${task_id}\n${scale}\n${q}`, { task_id, scale, q, score, n: own.length });
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, quantile]) => quantile);
}

function markOverCaps(plan: Plan, candidates: readonly Entry[]): void {
  const { caps, seed } = plan.body.config;
  const ranked = candidates.map((entry) => ({
    trajectory_id: entry.row.id,
    occurrence: entry.occurrence,
    places: placesOf(entry, caps),
  }));
  for (const [index, place] of overCaps(ranked, { survive: caps.survive, seed })) {
    const entry = candidates[index];
    if (entry !== undefined) filter(entry, place.reason, `${place.limit} others of ${shown(place)} stay`);
  }
}

function placesOf(
  { row, stage, path }: Entry,
  caps: { task: number | null; source: number | null; stage: number | null },
): Place[] {
  const { entry, name } = stage;
  const places: { reason: CapReason; key: string | null; limit: number | null }[] = [
    { reason: 'cap_task', key: row.task, limit: caps.task },
    {
      reason: 'cap_task',
      key: row.task === null ? null : `${row.task} in stage ${name}`,
      limit: entry?.max_per_task ?? null,
    },
    { reason: 'cap_source', key: stage.source ?? path, limit: caps.source },
    { reason: 'cap_stage', key: name ?? '', limit: entry?.max_trajectories ?? caps.stage },
  ];
  return places.flatMap(({ reason, key, limit }) =>
    key === null || limit === null ? [] : [{ reason, key, limit }],
  );
}

function shown({ reason, key }: Place): string {
  return `${reason.slice('cap_'.length)} ${key}`.trim();
}

function weights(plan: Plan, kept: readonly Entry[]): Decisions['weights'] {
  const { config, inputs } = plan.body;
  const mix = mixOf(config);
  if (mix.as === 'multiplier' && Object.keys({ ...mix.stages, ...mix.sources }).length === 0) return [];
  const cells = new Map<string, { stage: string | null; source: string | null; n: number }>();
  const cellOf = ({ name, source }: StageOfInput) => {
    const key = JSON.stringify([name, source]);
    const cell = cells.get(key) ?? { stage: name, source, n: 0 };
    cells.set(key, cell);
    return cell;
  };
  for (const input of inputs) cellOf(stageOf(config, input));
  for (const { stage } of kept) cellOf(stage).n++;
  return mixWeights([...cells.values()], mix);
}
