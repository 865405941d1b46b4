import { statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { TrajmillError } from '../errors.js';
import type { FirstLooks } from '../formats/first-looks.js';
import { type ReadResult, readTrajectories } from '../formats/reader.js';
import { rejectResult } from '../formats/record.js';
import { type FolderListing, isJudgedLog, reportNames } from '../formats/report-places.js';
import { isPartFolder, partNames } from '../formats/siblings.js';
import { RejectError } from '../logs/reject.js';
import type { Trajectory } from '../trajectory/trajectory.js';
import { planFormats } from './adapter-modules.js';
import { readLimits } from './config.js';
import type { Location, Piece, Plan, PlanInput } from './plan.js';
import { promptRebuilder } from './rebuild-prompts.js';

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** File names by folder, of everything that an adapter may join: inputs and the companions beside them. */
export function siblingNames(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  const beside = plan.body.inputs.filter((input) => input.stdin !== true);
  const paths = [...beside.map((input) => input.path), ...plan.body.companions];
  for (const path of paths) {
    const folder = folderOf(path);
    const list = names.get(folder) ?? [];
    list.push(path.slice(folder === '' ? 0 : folder.length + 1));
    names.set(folder, list);
  }
  const parts = new Map<string, string[]>();
  for (const [folder, files] of names) {
    if (!isPartFolder(folder, files)) continue;
    const parent = folderOf(folder);
    parts.set(parent, [...(parts.get(parent) ?? []), folder]);
  }
  const listing = listingOf(names);
  const reports = [...names.keys()].map((folder) => [folder, reportNames(folder, listing)] as const);
  const runs = new Map<string, Set<string>>();
  for (const [folder, list] of reports) {
    if (list.length === 0) continue;
    const logs = listing.files(folder).filter((file) => isJudgedLog(folder, file));
    for (const name of list) {
      const place = folderOf(posix.normalize(posix.join(folder, name)));
      const seen = runs.get(place) ?? new Set<string>();
      for (const log of logs) seen.add(posix.join(posix.relative(place, folder), log));
      runs.set(place, seen);
    }
  }
  for (const [folder, list] of reports) names.get(folder)?.push(...list);
  for (const [place, logs] of runs) names.get(place)?.push(...logs);
  for (const [folder, list] of names) {
    list.push(...partNames(folder, parts.get(folderOf(folder)) ?? []));
    list.sort((a, b) => (a < b ? -1 : 1));
  }
  return names;
}

/** The folders of the plan's files. */
function listingOf(names: ReadonlyMap<string, readonly string[]>): FolderListing {
  const files = new Map([...names].map(([folder, list]) => [folder, [...list]]));
  const folders = new Map<string, string[]>();
  for (const folder of names.keys()) {
    if (folder === '' || folder === '..') continue;
    const parent = folderOf(folder);
    folders.set(parent, [...(folders.get(parent) ?? []), posix.basename(folder)]);
  }
  return { files: (folder) => files.get(folder) ?? [], folders: (folder) => folders.get(folder) ?? [] };
}

/** Reads the pieces of a task in order. A file that is not what the plan saw ends the run with E_INPUT_CHANGED. */
export async function* readTask(options: {
  plan: Plan;
  location: Location;
  task: number;
  siblings: ReadonlyMap<string, readonly string[]>;
  looks?: FirstLooks;
}): AsyncGenerator<{ result: ReadResult; piece: Piece; input: PlanInput }> {
  const { plan, location, looks } = options;
  const { config } = plan.body;
  const formats = await planFormats(plan, location);
  const rebuild = promptRebuilder(plan.body);
  for (const piece of plan.body.tasks[options.task] ?? []) {
    const input = plan.body.inputs[piece.input];
    if (input === undefined)
      throw new TrajmillError('E_PLAN_MISMATCH', `no input ${piece.input} in the plan`);
    if (input.unreadable !== undefined) {
      yield { result: unreadResult(input, input.unreadable), piece, input };
      continue;
    }
    const root = (input.stdin === true ? location.stdin : null) ?? location.input_root;
    assertUnchanged(root, input);
    const results = readTrajectories({
      root,
      path: input.path,
      range: piece.whole ? null : piece,
      format: input.format,
      formats,
      ...(input.columns === undefined ? {} : { columns: input.columns }),
      ...(looks === undefined ? {} : { looks }),
      siblings: (input.stdin === true ? undefined : options.siblings.get(folderOf(input.path))) ?? [],
      limits: readLimits(config),
      experiments: config.experiments.tools,
      experimentPatterns: config.experiments.command_patterns.map((pattern) => new RegExp(pattern)),
    });
    for await (const result of results) {
      yield { result: rebuild === null ? result : rebuilt(result, rebuild), piece, input };
    }
  }
}

/** A trajectory with rebuilt prompts; a reject where the template refuses it. */
function rebuilt(result: ReadResult, rebuild: (trajectory: Trajectory) => Trajectory): ReadResult {
  if (result.kind !== 'trajectory') return result;
  try {
    return { ...result, trajectory: rebuild(result.trajectory) };
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    const { source } = result.trajectory;
    return rejectResult(error, { place: source, stage: 'render', format: source.format });
  }
}

/** A file that could not be read when it was planned counts as one reject, also where it can be read by now. */
function unreadResult({ path }: PlanInput, because: string): ReadResult {
  const place = { path, line: null, byte_start: 0, byte_end: 0, sha256: null };
  return rejectResult(new RejectError('unreadable_file', because), { place, stage: 'read' });
}

function assertUnchanged(root: string, input: PlanInput): void {
  const stats = statSync(join(root, input.path), { throwIfNoEntry: false });
  if (stats?.isFile() === true && stats.size === input.bytes) return;
  throw new TrajmillError(
    'E_INPUT_CHANGED',
    `has ${stats?.size ?? 'no'} bytes, ${input.bytes} when it was planned; plan again into a new folder`,
    { place: input.path },
  );
}
