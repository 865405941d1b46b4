import { statSync } from 'node:fs';
import { join } from 'node:path';
import { TrajmillError } from '../errors.js';
import { declaredAdapter } from '../formats/declared-format.js';
import { type ReadResult, readTrajectories } from '../formats/reader.js';
import { isPartFolder, partNames } from '../formats/siblings.js';
import { readLimits } from './config.js';
import type { Location, Piece, Plan, PlanInput } from './plan.js';

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** File names by folder, of everything that an adapter may join: inputs and the companions beside them. */
export function siblingNames(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  const paths = [...plan.body.inputs.map((input) => input.path), ...plan.body.companions];
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
  for (const [folder, list] of names) {
    list.push(...partNames(folder, parts.get(folderOf(folder)) ?? []));
    list.sort((a, b) => (a < b ? -1 : 1));
  }
  return names;
}

/** Reads the pieces of a task in order. A file that is not what the plan saw ends the run with E_INPUT_CHANGED. */
export async function* readTask(options: {
  plan: Plan;
  location: Location;
  task: number;
  siblings: ReadonlyMap<string, readonly string[]>;
}): AsyncGenerator<{ result: ReadResult; piece: Piece; input: PlanInput }> {
  const { plan, location } = options;
  const { config } = plan.body;
  const formats = config.formats.map(declaredAdapter);
  for (const piece of plan.body.tasks[options.task] ?? []) {
    const input = plan.body.inputs[piece.input];
    if (input === undefined)
      throw new TrajmillError('E_PLAN_MISMATCH', `no input ${piece.input} in the plan`);
    assertUnchanged(location.input_root, input);
    const results = readTrajectories({
      root: location.input_root,
      path: input.path,
      range: piece.whole ? null : piece,
      format: input.format,
      formats,
      ...(input.columns === undefined ? {} : { columns: input.columns }),
      siblings: options.siblings.get(folderOf(input.path)) ?? [],
      limits: readLimits(config),
      experiments: config.experiments.tools,
      experimentPatterns: config.experiments.command_patterns.map((pattern) => new RegExp(pattern)),
    });
    for await (const result of results) yield { result, piece, input };
  }
}

function assertUnchanged(root: string, input: PlanInput): void {
  const stats = statSync(join(root, input.path), { throwIfNoEntry: false });
  if (stats?.size === input.bytes) return;
  throw new TrajmillError(
    'E_INPUT_CHANGED',
    `has ${stats?.size ?? 'no'} bytes, ${input.bytes} when it was planned; plan again into a new folder`,
    { place: input.path },
  );
}
