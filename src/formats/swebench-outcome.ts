import { posix } from 'node:path';
import { parseJsonText } from '../logs/json.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { asArray, asBoolean, asString, hasKeys, isObject, type JsonObject } from './shape.js';

/** What reports say, by instance; under null where a report names none. */
export type Verdicts = ReadonlyMap<string | null, Verdict>;

export interface Verdict {
  readonly resolved: boolean;
  readonly flags: readonly string[];
}

/** Lists of ids in reports of a whole run, as SWE-bench and SWE-smith name them. */
const RUN_LISTS = [
  { resolved: 'resolved_ids', unresolved: 'unresolved_ids' },
  { resolved: 'ids_resolved', unresolved: 'ids_unresolved' },
] as const;

/**
 * The verdicts of a report: of one instance (flat), keyed by instance, or of a run as lists of ids; null where the
 * document is none of them. `resolved` counts also where the report says that the patch did not apply.
 */
export function reportVerdicts(document: unknown): Verdicts | null {
  if (!isObject(document)) return null;
  if (hasKeys(document, 'resolved', 'tests_status')) {
    const verdict = verdictOf(document);
    return verdict === null ? null : new Map([[asString(document['instance_id']), verdict]]);
  }
  for (const names of RUN_LISTS) {
    if (!Array.isArray(document[names.resolved]) || !Array.isArray(document[names.unresolved])) continue;
    const verdicts = new Map<string | null, Verdict>();
    for (const id of asArray(document[names.unresolved]))
      verdicts.set(asString(id), { resolved: false, flags: [] });
    for (const id of asArray(document[names.resolved]))
      verdicts.set(asString(id), { resolved: true, flags: [] });
    return verdicts;
  }
  const leaderboard = leaderboardVerdicts(document);
  if (leaderboard !== null) return leaderboard;
  const entries = Object.entries(document);
  if (entries.length === 0 || !entries.every(([, value]) => hasKeys(value, 'resolved', 'tests_status')))
    return null;
  const verdicts = new Map<string | null, Verdict>();
  for (const [id, value] of entries) {
    const verdict = isObject(value) ? verdictOf(value) : null;
    if (verdict !== null) verdicts.set(id, verdict);
  }
  return verdicts;
}

function verdictOf(report: JsonObject): Verdict | null {
  const resolved = asBoolean(report['resolved']);
  if (resolved === null) return null;
  const contradicts = resolved && report['patch_successfully_applied'] === false;
  return { resolved, flags: contradicts ? ['resolved_although_patch_not_applied'] : [] };
}

/** Lists of ids in the results of SWE-bench's leaderboard, which names what is not resolved by why. */
const LEADERBOARD_LISTS = ['no_generation', 'no_logs', 'applied', 'test_errored', 'test_timeout'] as const;

function leaderboardVerdicts(document: JsonObject): Verdicts | null {
  const resolved = document['resolved'];
  if (!Array.isArray(resolved) || !LEADERBOARD_LISTS.some((key) => Array.isArray(document[key]))) return null;
  const verdicts = new Map<string | null, Verdict>();
  for (const key of LEADERBOARD_LISTS) {
    for (const id of asArray(document[key])) verdicts.set(asString(id), { resolved: false, flags: [] });
  }
  for (const id of resolved) verdicts.set(asString(id), { resolved: true, flags: [] });
  return verdicts;
}

const REPORT_NAME = /^(?:[\w.-]*[_.-])?(?:report|results)\.json$/i;
const RUN_NAME = /(?:\.traj\.json|\.traj)$/;

/** The name of a run's log without its ending, null where it is none. */
export function runName(file: string): string | null {
  return RUN_NAME.test(file) ? file.replace(RUN_NAME, '') : null;
}

/** Whether a file's name is that of a report. */
export function isReportName(name: string): boolean {
  return REPORT_NAME.test(name);
}

/** Where a report lies, seen from its run; the nearest place with a verdict counts. */
function placeOf(name: string): string {
  return posix.dirname(name);
}

/**
 * The run with the verdict of a report beside it, or in a usual place around it: one that names its instance, or one of
 * a single instance that shares its name, bears it as the name of its folder, or lies in the run's folder alone with it.
 */
export function joinResolved(run: RawTrajectory, context: ReadContext): RawTrajectory {
  const own = context.place.path.slice(context.place.path.lastIndexOf('/') + 1);
  const base = runName(own);
  const runs = context.siblings.names.filter((name) => !name.includes('/') && runName(name) !== null);
  const found = new Map<string, Verdict>();
  let place: string | null = null;
  for (const name of byPlace(context.siblings.names)) {
    if (placeOf(name) !== place && found.size > 0) break;
    place = placeOf(name);
    const here = place === '.';
    if (here && !REPORT_NAME.test(name)) continue;
    if (!name.endsWith('.json') || runName(name) !== null) continue;
    const instance = posix.basename(place);
    if (place.startsWith(INSTANCE_LOGS) && instance !== base && instance !== run.task_id) continue;
    const named = base !== null && (posix.basename(name).startsWith(base) || instance === base);
    // A report that bears the name of another run is that run's.
    if (!named && runs.some((other) => name.startsWith(runName(other) ?? '\0'))) continue;
    const verdicts = readVerdicts(context.siblings.readText(name, 'swebench_report'));
    const alone = named || (here && runs.length === 0) ? verdicts?.get(null) : undefined;
    const verdict = (run.task_id === null ? undefined : verdicts?.get(run.task_id)) ?? alone;
    if (verdict !== undefined) found.set(name, verdict);
  }
  const [first, ...others] = found.values();
  if (first === undefined) return run;
  if (others.some((other) => other.resolved !== first.resolved)) {
    return { ...run, flags: [...run.flags, 'reports_contradict'] };
  }
  return { ...run, resolved: first.resolved, flags: [...run.flags, ...first.flags] };
}

/** Folder of folders, one an instance, with a report each: only one's own is read. */
const INSTANCE_LOGS = '../logs/';

/** Reports in the folder itself, then below it, then above it; of those above the one of a single instance goes first. */
function byPlace(names: readonly string[]): string[] {
  const rank = (name: string): number => {
    const parts = name.split('/');
    if (parts.length === 1) return 0;
    return 100 * (1 + parts.filter((part) => part === '..').length) - parts.length;
  };
  return [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

function readVerdicts(text: string | null): Verdicts | null {
  if (text === null) return null;
  try {
    return reportVerdicts(parseJsonText(text).value);
  } catch {
    return null;
  }
}
