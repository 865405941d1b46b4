import { posix } from 'node:path';

/** MLE-bench names the folder of a run `<competition>_<id>`, also with the time and the agent around. */
const RUN_FOLDER = /_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|_[0-9a-f]{8}$/;

/** Whether a folder of this name is that of a run of MLE-bench. */
export function isRunFolder(name: string): boolean {
  return RUN_FOLDER.test(name);
}

/**
 * Places, seen from the folder of a log anywhere inside a run of MLE-bench, where its grade may lie: the run's own
 * folder, then that of its group. None for a folder outside of such a run.
 */
export function gradePlaces(folder: string): string[] {
  const parts = folder.split('/');
  const run = parts.findLastIndex(isRunFolder);
  if (run < 0) return [];
  const up = parts.length - 1 - run;
  const place = (levels: number): string => posix.join(...new Array<string>(levels).fill('..'));
  return up === 0 ? [place(1)] : [place(up), place(up + 1)];
}
