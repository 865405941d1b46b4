import { STATS_SECTIONS } from '../../report/stats/corpus-stats.js';
import type { CorpusFacts, RunFact, WindowFact } from '../../report/stats/facts.js';
import type { Figure } from '../../report/stats/figure.js';
import { countBy, UNKNOWN } from '../../report/stats/groups.js';
import type { Origin, ReportData } from './data.js';
import type { PageFacts } from './facts.js';

export type Outcome = WindowFact['outcome'];

/** Outcomes from worst to best; a run is known by the best of its windows. */
export const OUTCOME_ORDER: readonly Outcome[] = [
  'infrastructure',
  'ungraded',
  'error',
  'no_submission',
  'below_medal',
  'bronze',
  'silver',
  'gold',
];

/** What the reader asks for; null is everything. `outcome` is `best:<outcome>` or `any:<outcome>`. */
export interface Filters {
  readonly task: string | null;
  readonly model: string | null;
  readonly scaffold: string | null;
  readonly outcome: string | null;
}

export const NO_FILTERS: Filters = { task: null, model: null, scaffold: null, outcome: null };

/** The part of the corpus that the filters let through, with its figures. */
export interface View extends PageFacts {
  readonly facts: CorpusFacts;
  readonly isFiltered: boolean;
  /** rejected records of the part */
  readonly rejected: number;
  /** of a section of `trajmill stats`, computed when first asked for */
  figuresOf(section: string): readonly Figure[];
}

/** The best outcome of the windows of a run; `none` where it has no windows. */
export function bestOutcome(windows: readonly Pick<WindowFact, 'outcome'>[]): Outcome | 'none' {
  const best = Math.max(-1, ...windows.map(({ outcome }) => OUTCOME_ORDER.indexOf(outcome)));
  return OUTCOME_ORDER[best] ?? 'none';
}

type Place = Pick<Origin, 'trajectory_id' | 'source_path'>;
const keyOf = ({ trajectory_id, source_path }: Place): string => `${trajectory_id}\n${source_path}`;

/** Makes views of a corpus. Without a filter the figures are those of `trajmill stats`, of all trajectories. */
export function viewMaker(data: ReportData, all: PageFacts): (filters: Filters) => View {
  const outcomes = new Map(all.runs.map((run) => [keyOf(run), outcomeNames(run)]));
  return (filters) => {
    const isFiltered = Object.values(filters).some((value) => value !== null);
    const accepts = (row: Pick<Origin, 'task_id' | 'scaffold' | 'model'>): boolean =>
      matches(filters.task, row.task_id) &&
      matches(filters.model, row.model) &&
      matches(filters.scaffold, row.scaffold);
    const passes = (row: Origin): boolean =>
      accepts(row) && (filters.outcome === null || (outcomes.get(keyOf(row)) ?? NONE).has(filters.outcome));
    const own = <T extends Origin>(rows: readonly T[]): readonly T[] =>
      isFiltered ? rows.filter(passes) : rows;
    // a record that was refused has no windows
    const rejects = isFiltered
      ? all.rejects.filter((row) => accepts(row) && (filters.outcome === null || NONE.has(filters.outcome)))
      : all.rejects;
    const counts = isFiltered ? Object.fromEntries(countBy(rejects, ({ code }) => code)) : data.rejects;
    const parts = {
      runs: own(all.runs),
      trajectories: own(all.trajectories),
      prefixes: own(all.prefixes),
      tasks: all.tasks,
    };
    const facts: CorpusFacts = { ...parts, rejects: counts };
    return {
      ...parts,
      facts,
      rows: own(all.rows),
      lengths: own(all.lengths),
      rejects,
      rejected: isFiltered ? rejects.length : data.rejected,
      isFiltered,
      figuresOf: figureReader(facts, data.policy, isFiltered ? null : (data.sample?.figures ?? null)),
    };
  };
}

const NONE: ReadonlySet<string> = new Set(['best:none']);

function outcomeNames({ windows }: RunFact): ReadonlySet<string> {
  return new Set([`best:${bestOutcome(windows)}`, ...windows.map(({ outcome }) => `any:${outcome}`)]);
}

const matches = (wanted: string | null, value: string | null): boolean =>
  wanted === null || (value ?? UNKNOWN) === wanted;

/** The section whose figures come with the page. */
export const POLICY = 'policy';

function figureReader(
  facts: CorpusFacts,
  policy: readonly Figure[],
  known: readonly Figure[] | null,
): (section: string) => readonly Figure[] {
  const cache = new Map<string, readonly Figure[]>([[POLICY, policy]]);
  return (name) => {
    const found = cache.get(name);
    if (found !== undefined) return found;
    const spec = STATS_SECTIONS.find((section) => section.name === name);
    const figures = known?.filter(({ section }) => section === name) ?? spec?.figures(facts) ?? [];
    cache.set(name, figures);
    return figures;
  };
}
