import { DUPLICATE_REASONS, FILTER_REASONS } from '../selection/decision.js';
import type { Check } from './check-list.js';
import type { CorpusManifest } from './manifest.js';
import type { ReadRow } from './read-shard.js';
import type { EXECUTIONS_TABLE } from './specs/executions.js';
import type { TRAJECTORIES_TABLE } from './specs/trajectories.js';
import type { TableName } from './table-specs.js';
import type { ReadSftRow, ReadWindowRow } from './verify-rows.js';

export type ReadTrajectoryRow = ReadRow<typeof TRAJECTORIES_TABLE>;
export type ReadExecutionRow = ReadRow<typeof EXECUTIONS_TABLE>;

/** What is remembered of a supervised row until the other tables have been read. */
interface Selected
  extends Pick<
    ReadSftRow,
    | 'anchor_turn'
    | 'anchor_score'
    | 'score_scale'
    | 'n_turns'
    | 'cut_turns'
    | 'off_path_turns'
    | 'flags'
    | 'task_id'
  > {
  readonly place: string;
}

interface OpenRun {
  readonly sft: Selected[];
  readonly trajectories: (Pick<ReadTrajectoryRow, 'decision' | 'n_turns' | 'n_executions' | 'task_id'> & {
    readonly place: string;
  })[];
  readonly scores: { readonly scale: string; readonly score: number }[];
  executions: number;
  windows: number;
}

/** Columns that say the same thing in a row, or in rows of several tables. */
export class ColumnChecks {
  readonly #check: Check;
  readonly #tables: ReadonlySet<TableName>;
  readonly #counts: CorpusManifest['counts'];
  readonly #runs = new Map<string, OpenRun>();
  /** the weight of each stage and source, and the row that gave it */
  readonly #weights = new Map<string, { readonly weight: number; readonly place: string }>();
  readonly #decisions = new Map<string, Set<string>>();
  readonly #decided = new Map<string, number>();
  readonly #duplicates: { readonly of: string; readonly place: string }[] = [];
  readonly #windows = new Map<string, string>();
  readonly #parents: { readonly parent: string; readonly run: string; readonly place: string }[] = [];

  /** @param corpus.tables those that were read whole when `finish` is called */
  constructor(
    check: Check,
    corpus: { readonly tables: ReadonlySet<TableName>; readonly counts: CorpusManifest['counts'] },
  ) {
    this.#check = check;
    this.#tables = corpus.tables;
    this.#counts = corpus.counts;
  }

  sft(row: ReadSftRow, place: string): void {
    this.#check.look(place, sftColumnsProblem(row) ?? this.#weightProblem(row, place));
    const { anchor_turn, anchor_score, score_scale, n_turns, cut_turns, off_path_turns, flags, task_id } =
      row;
    this.#runOf(row).sft.push({
      anchor_turn,
      anchor_score,
      score_scale,
      n_turns,
      cut_turns,
      off_path_turns,
      flags,
      task_id,
      place,
    });
  }

  window(row: ReadWindowRow, place: string): void {
    this.#runOf(row).windows++;
    this.#windows.set(row.window_id, keyOf(row));
    if (row.parent_window === null) return;
    this.#parents.push({ parent: row.parent_window, run: keyOf(row), place });
  }

  execution(row: ReadExecutionRow): void {
    const run = this.#runOf(row);
    run.executions++;
    for (const [scale, score] of [
      ['test', row.score_test],
      ['validation', row.score_validation],
      ['self_reported', row.score_self_reported],
    ] as const) {
      if (score !== null) run.scores.push({ scale, score });
    }
  }

  trajectory(row: ReadTrajectoryRow, place: string): void {
    this.#check.look(place, decisionProblem(row));
    const { decision, n_turns, n_executions, task_id } = row;
    this.#runOf(row).trajectories.push({ decision, n_turns, n_executions, task_id, place });
    const own = this.#decisions.get(row.trajectory_id) ?? new Set();
    this.#decisions.set(row.trajectory_id, own.add(decision));
    this.#decided.set(decision, (this.#decided.get(decision) ?? 0) + 1);
    if (row.duplicate_of !== null) this.#duplicates.push({ of: row.duplicate_of, place });
  }

  /** What can be said only when every table was read. */
  finish(): void {
    for (const { parent, run, place } of this.#tables.has('windows') ? this.#parents : []) {
      const of = this.#windows.get(parent);
      const problem =
        of === run ? null : `parent_window ${parent} is ${of === undefined ? 'not there' : 'of another run'}`;
      this.#check.look(place, problem);
    }
    for (const run of this.#runs.values()) {
      for (const row of run.sft) this.#check.look(row.place, this.#prefixProblem(row, run));
      for (const row of run.trajectories) this.#check.look(row.place, this.#runProblem(row, run));
    }
    for (const { of, place } of this.#tables.has('trajectories') ? this.#duplicates : []) {
      const decisions = this.#decisions.get(of);
      const stands = [...(decisions ?? [])].some((decision) => decision !== 'duplicate');
      this.#check.look(place, stands ? null : `duplicate_of ${of}, of which no row stands`);
    }
    if (this.#tables.has('trajectories')) this.#checkCounts();
  }

  #runOf(row: RunKey): OpenRun {
    const key = keyOf(row);
    const run = this.#runs.get(key) ?? { sft: [], trajectories: [], scores: [], executions: 0, windows: 0 };
    this.#runs.set(key, run);
    return run;
  }

  #weightProblem({ stage, source, weight }: ReadSftRow, place: string): string | null {
    const key = JSON.stringify([stage, source]);
    const first = this.#weights.get(key);
    if (first === undefined) this.#weights.set(key, { weight, place });
    if (first === undefined || first.weight === weight) return null;
    return `weight is ${weight}, in ${first.place} of the same stage and source ${first.weight}`;
  }

  /** A supervised row against its run: turns, the score of its anchor, the decision. */
  #prefixProblem(row: Selected, run: OpenRun): string | null {
    if (this.#tables.has('trajectories')) {
      const kept = run.trajectories.filter(({ decision }) => decision === 'kept');
      if (kept.length === 0) return 'its trajectory is not kept in table trajectories';
      // equal runs of one file differ in nothing that is compared here
      const [{ n_turns: turns, task_id: task } = { n_turns: 0, task_id: null }] = kept;
      if (row.n_turns > turns) return `n_turns is ${row.n_turns}, its trajectory has ${turns} turns`;
      if (row.anchor_turn + row.cut_turns >= turns) {
        return `${row.cut_turns} turns are cut behind anchor_turn ${row.anchor_turn}, its trajectory has ${turns}`;
      }
      const { n_turns: shown, cut_turns: cut, off_path_turns: off } = row;
      if (shown + cut + off > turns) {
        return `n_turns ${shown}, cut_turns ${cut} and off_path_turns ${off} are more than the ${turns} turns of its trajectory`;
      }
      if (row.task_id !== task) return `task_id is ${row.task_id}, that of its trajectory ${task}`;
    }
    const linked = !row.flags.some((flag) => UNLINKED.includes(flag));
    if (!this.#tables.has('executions') || run.executions === 0 || !linked) return null;
    if (row.anchor_score === null || row.score_scale === null) return null;
    const found = run.scores.some(
      ({ scale, score }) => scale === row.score_scale && score === row.anchor_score,
    );
    return found ? null : `anchor_score ${row.anchor_score} is no ${row.score_scale} score of its executions`;
  }

  /** A trajectory against what the other tables hold of it. */
  #runProblem({ decision, n_executions: n }: OpenRun['trajectories'][number], run: OpenRun): string | null {
    const { sft, executions, windows, trajectories } = run;
    // several equal runs of one file share their rows
    if (trajectories.length > 1) return null;
    const filled = sft.length + windows + executions;
    if (decision === 'duplicate' || decision === 'rejected') {
      return filled === 0 ? null : `decision is ${decision}, but other tables hold ${filled} rows of it`;
    }
    if (decision === 'filtered' && sft.length > 0)
      return `is filtered, but table sft holds ${sft.length} rows`;
    const lists = ['sft', 'windows'].every((name) => this.#tables.has(name as TableName));
    if (decision === 'kept' && lists && sft.length + windows === 0) return 'is kept, but gave no row';
    const counted = this.#tables.has('executions') && (executions > 0 || decision === 'kept');
    return counted && executions !== n ? `n_executions is ${n}, table executions has ${executions}` : null;
  }

  #checkCounts(): void {
    for (const [name, decision] of COUNTED) {
      const said = this.#counts[name];
      if (typeof said !== 'number') continue;
      const found = this.#decided.get(decision) ?? 0;
      // a record that is no trajectory is rejected without a row
      const agrees = decision === 'rejected' ? found <= said : found === said;
      this.#check.look(
        'manifest.json',
        agrees ? null : `counts ${said} ${name}, table trajectories has ${found} ${decision}`,
      );
    }
  }
}

/** Flags of prefixes whose score no single execution has. */
const UNLINKED: readonly string[] = ['anchor_without_execution', 'several_submissions'];

const COUNTED = [
  ['kept', 'kept'],
  ['filtered', 'filtered'],
  ['duplicates', 'duplicate'],
  ['rejected', 'rejected'],
] as const;

type RunKey = Pick<ReadTrajectoryRow, 'trajectory_id' | 'source_path'>;

const keyOf = ({ trajectory_id, source_path }: RunKey): string => `${trajectory_id}\n${source_path}`;

/** What is wrong between the columns of a supervised row, or null. */
function sftColumnsProblem(row: ReadSftRow): string | null {
  const messages = messageCount(row.messages);
  if (messages !== row.n_turns) return `n_turns is ${row.n_turns}, messages holds ${messages}`;
  if (row.weight < 0) return `weight is ${row.weight}`;
  if (row.anchor_turn < 0 || row.cut_turns < 0) {
    return `anchor_turn is ${row.anchor_turn}, cut_turns ${row.cut_turns}`;
  }
  const { prefix, off_path_turns: off, off_path_tokens: offTokens } = row;
  if (off < 0 || offTokens < 0) return `off_path_turns is ${off}, off_path_tokens ${offTokens}`;
  if (prefix === 'chronological' && off + offTokens > 0) {
    return `${off} turns and ${offTokens} tokens are off the path of a chronological prefix`;
  }
  if (off > row.anchor_turn) return `off_path_turns is ${off} before anchor_turn ${row.anchor_turn}`;
  const { anchor_score: score, score_scale: scale } = row;
  if ((score === null) !== (scale === null)) return `anchor_score is ${score}, score_scale ${scale}`;
  const scored = row.rules.some((rule) => rule !== 'whole');
  if (scored !== (score !== null)) return `anchor_score is ${score} under the rules ${row.rules.join(', ')}`;
  return row.medal !== null && score === null ? `medal is ${row.medal} without anchor_score` : null;
}

function messageCount(json: string): number | null {
  try {
    const messages: unknown = JSON.parse(json);
    return Array.isArray(messages) ? messages.length : null;
  } catch {
    return null;
  }
}

const REASONS: Readonly<Record<string, readonly string[] | null>> = {
  filtered: Object.keys(FILTER_REASONS),
  duplicate: Object.keys(DUPLICATE_REASONS),
  // codes of rejects belong to the stages
  rejected: null,
};

/** What is wrong between decision, reason and scores of a trajectory, or null. */
function decisionProblem(row: ReadTrajectoryRow): string | null {
  const { decision, reason, duplicate_of: other } = row;
  if ((decision === 'duplicate') !== (other !== null)) {
    return `decision is ${decision}, duplicate_of ${other}`;
  }
  if ((decision === 'kept') !== (reason === null)) return `decision is ${decision}, reason ${reason}`;
  const known = REASONS[decision] ?? null;
  if (reason !== null && known !== null && !known.includes(reason)) {
    return `reason ${reason} is none of ${decision}`;
  }
  const { first_score: first, best_score: best, last_score: last } = row;
  if ((first === null) !== (last === null) || (first === null && best !== null)) {
    return `first_score is ${first}, best_score ${best}, last_score ${last}`;
  }
  return first !== null && row.n_submissions === 0 ? `first_score is ${first} without submissions` : null;
}
