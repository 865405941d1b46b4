import { posix } from 'node:path';
import { gradedLog, isGradeName } from './mlebench-grade.js';
import { gradePlaces } from './mlebench-runs.js';
import { isReportName, runName } from './swebench-outcome.js';

/** What lies in folders, by path; one that is not there holds nothing. */
export interface FolderListing {
  files(folder: string): readonly string[];
  folders(folder: string): readonly string[];
}

/**
 * Where harnesses put their reports, seen from the folder of a run, the nearest first: SWE-bench's own
 * (evaluation_results, reports), sb-cli, the submissions to its leaderboard (logs and results beside trajs), and
 * MLE-bench (grades of a run group, above its runs).
 */
const PLACES: readonly { readonly place: string; readonly only: (file: string) => boolean }[] = [
  ...['evaluation_results', 'reports', 'results'].map((place) => ({ place, only: isJson })),
  { place: '..', only: isNamedReport },
  ...['../evaluation_results', '../reports', '../results', '../sb-cli-reports'].map((place) => ({
    place,
    only: isJson,
  })),
  { place: '../..', only: isNamedReport },
];
/**
 * By the folder of a log, what belongs to it elsewhere: the halves of a run of MLE-Dojo, what was said and what the
 * environment recorded, lie in folders side by side; the state of an OpenHands conversation lies above its events.
 */
const HALVES: Readonly<Record<string, string>> = {
  agent_history: '../env_history/history.json',
  env_history: '../agent_history/trajectory.json',
  events: '../base_state.json',
};

/** A folder of folders, one an instance, each with a report. */
const LOGS = '../logs';

function isJson(file: string): boolean {
  return file.endsWith('.json') && runName(file) === null;
}

/** SWE-bench names the report of a run `<model>.<run id>.json`. */
const RUN_REPORT = /^[^/]+\.[^/.]+\.json$/;

function isNamedReport(file: string): boolean {
  return isJson(file) && (isReportName(file) || isGradeName(file) || RUN_REPORT.test(file));
}

/** Whether a folder with these files holds runs that reports are joined to. */
export function isJudged(files: readonly string[]): boolean {
  return files.some((file) => runName(file) !== null || gradedLog([file]) !== null);
}

/** Whether a file in a folder may be a run that reports around the folder are joined to. */
export function isJudgedLog(folder: string, file: string): boolean {
  return isJudged([file]) || (gradePlaces(folder).length > 0 && LOG_NAME.test(file) && !isGradeName(file));
}

/** Endings of logs that agents leave in a run of MLE-bench. */
const LOG_NAME = /\.(?:jsonl?|log|traj)$/;

/**
 * Names, relative to a folder of runs, of the reports in the usual places around it, the nearest first, and of the
 * other half of a run.
 */
export function reportNames(folder: string, listing: FolderListing): string[] {
  const at = (place: string): string => {
    const path = posix.normalize(posix.join(folder === '' ? '.' : folder, place));
    return path === '.' ? '' : path;
  };
  const own = posix.basename(folder);
  const half = Object.hasOwn(HALVES, own) ? HALVES[own] : undefined;
  const isThere = half !== undefined && listing.files(at(posix.dirname(half))).includes(posix.basename(half));
  const halves = isThere ? [half] : [];
  const graded = gradePlaces(folder).flatMap((place) =>
    listing.files(at(place)).flatMap((file) => (isGradeName(file) ? [`${place}/${file}`] : [])),
  );
  if (!isJudged(listing.files(folder))) return [...halves, ...graded];
  const placed = PLACES.flatMap(({ place, only }) =>
    listing.files(at(place)).flatMap((file) => (only(file) ? [`${place}/${file}`] : [])),
  );
  const logged = listing
    .folders(at(LOGS))
    .flatMap((instance) =>
      listing.files(at(`${LOGS}/${instance}`)).includes('report.json')
        ? [`${LOGS}/${instance}/report.json`]
        : [],
    );
  return [...new Set([...halves, ...logged, ...placed, ...graded])];
}
