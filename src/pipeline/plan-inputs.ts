import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { TrajmillError } from '../errors.js';
import { reportNames } from '../formats/report-places.js';
import { diskListing } from '../formats/siblings.js';
import { discover, type InputFile, inputRoot } from '../logs/discover.js';
import { type PipelineConfig, type PipelineInput, stageFaults } from './config.js';
import type { PlanInput } from './plan.js';
import { runFolder } from './run-folder.js';
import { STDIN_PATH, type StdinSpool } from './stdin-spool.js';

/** The inputs of a plan by their patterns: files, and the one that standard input takes, if any. */
export interface InputEntries {
  readonly files: readonly PipelineInput[];
  readonly stdin: PipelineInput | null;
  /** relative patterns start here */
  readonly cwd: string;
}

/** What a file is planned as, before its content is looked at. */
export type PlannedFile = InputFile & Pick<PlanInput, 'format' | 'stage' | 'source' | 'columns' | 'stdin'>;

export interface PlannedInputs {
  /** absolute */
  readonly root: string;
  /** absolute folder of the file that stands for standard input */
  readonly stdinRoot: string | null;
  /** in order of their paths' code units */
  readonly files: readonly PlannedFile[];
  readonly warnings: readonly string[];
}

/** The inputs that the command line names, else those of the pipeline file. */
export function inputEntries(options: {
  readonly input?: readonly string[];
  readonly pipeline: string;
  readonly cwd: string;
  readonly config: PipelineConfig;
  readonly home: string;
}): InputEntries {
  const { input = [], config, home } = options;
  const all = input.length > 0 ? flagInputs(input, config) : config.inputs;
  if (all.length === 0) {
    throw new TrajmillError('E_NO_INPUT', 'no inputs: name them in the pipeline file or with --input GLOB', {
      place: options.pipeline,
    });
  }
  const files: PipelineInput[] = [];
  let stdin: PipelineInput | null = null;
  for (const entry of all) {
    const globs = entry.globs.filter((glob) => glob !== STDIN_PATH);
    if (globs.length < entry.globs.length) stdin ??= entry;
    if (globs.length > 0) files.push({ ...entry, globs });
  }
  return { files, stdin, cwd: input.length > 0 ? options.cwd : home };
}

/** Inputs of the command line: patterns, in a pipeline with stages as `stage=pattern`. */
function flagInputs(patterns: readonly string[], config: PipelineConfig): PipelineInput[] {
  const ignore = config.inputs.flatMap((entry) => entry.ignore);
  const names = config.stages.map(({ name }) => name);
  const inputs = patterns.map((pattern): PipelineInput => {
    const stage = names.find((name) => pattern.startsWith(`${name}=`)) ?? null;
    const glob = stage === null ? pattern : pattern.slice(stage.length + 1);
    return { globs: [glob], ignore, format: 'auto', columns: null, stage, source: null };
  });
  const fault = stageFaults({ ...config, inputs })[0];
  if (fault === undefined) return inputs;
  const hint = names.length > 0 ? `; write --input STAGE=GLOB` : '';
  throw new TrajmillError('E_CONFIG', `--input: ${fault[1]}${hint}`);
}

/**
 * Every file of the entries, once, with what the first entry that names it says.
 *
 * @throws TrajmillError E_NO_INPUT where there is none
 */
export async function findInputs(options: {
  entries: InputEntries;
  outDir: string;
  spool: StdinSpool | null;
}): Promise<PlannedInputs> {
  const { entries, outDir, spool } = options;
  const { root, files, warnings } = await findFiles(entries, outDir);
  if (entries.stdin === null || spool === null) return { root, stdinRoot: null, files, warnings };
  if (files.some(({ path }) => path === STDIN_PATH)) {
    throw new TrajmillError('E_USAGE', 'a file of this name and standard input cannot both be inputs', {
      place: join(root, STDIN_PATH),
    });
  }
  const { size: bytes } = statSync(join(spool.root, STDIN_PATH));
  const stdin: PlannedFile = { path: STDIN_PATH, bytes, stdin: true, ...saidBy(entries.stdin) };
  return { root, stdinRoot: spool.root, files: inOrder([...files, stdin]), warnings };
}

async function findFiles(
  { files: entries, cwd }: InputEntries,
  outDir: string,
): Promise<Omit<PlannedInputs, 'stdinRoot'>> {
  if (entries.length === 0) return { root: cwd, files: [], warnings: [] };
  // one root for all entries, so that paths in the plan do not depend on which entry found a file
  const root = inputRoot(
    entries.flatMap((entry) => entry.globs),
    cwd,
  );
  const taken = new Map<string, PlannedFile>();
  const warnings: string[] = [];
  let empty = 0;
  for (const entry of entries) {
    try {
      const found = await discover({ globs: entry.globs, ignore: entry.ignore, root, cwd });
      warnings.push(...found.warnings);
      for (const file of found.files) {
        // a run never reads what it writes, also where its folder lies among the logs
        if (join(root, file.path).startsWith(`${outDir}${sep}`)) {
          refuseForeign(outDir, relative(outDir, join(root, file.path)));
          continue;
        }
        if (!taken.has(file.path)) taken.set(file.path, { ...file, ...saidBy(entry) });
      }
    } catch (error) {
      const isEmpty = error instanceof TrajmillError && error.code === 'E_NO_INPUT';
      if (!isEmpty || ++empty === entries.length) throw error;
      warnings.push(error.message);
    }
  }
  return { root, files: inOrder([...taken.values()]), warnings };
}

/** Of standard input, while it is read or afterwards. */
const STDIN_FOLDER = /^stdin[./\\]/;

/** A folder that never was a run's holds logs, which would be left out in silence. */
function refuseForeign(outDir: string, path: string): void {
  if (existsSync(runFolder(outDir).plan) || STDIN_FOLDER.test(path)) return;
  throw new TrajmillError(
    'E_USAGE',
    `the run folder holds the input ${path}; give the run a folder of its own with --out`,
    { place: outDir },
  );
}

function saidBy({ format, stage, source, columns }: PipelineInput): Omit<PlannedFile, 'path' | 'bytes'> {
  return { format, stage, source, ...(columns === null ? {} : { columns }) };
}

function inOrder(files: PlannedFile[]): PlannedFile[] {
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Files in the inputs' folders that no glob named, and reports in the usual places around them: an adapter may join
 * them, as the sidecars of an input.
 */
export function findCompanions(root: string, files: readonly PlannedFile[]): string[] {
  const beside = files.filter((file) => file.stdin !== true);
  const named = new Set(beside.map((file) => file.path));
  const folders = new Set(beside.map((file) => dirname(file.path)));
  const companions: string[] = [];
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile() && !entry.name.startsWith('.') && !named.has(path)) companions.push(path);
    }
  }
  const listing = diskListing(root);
  const listed = new Set([...named, ...companions]);
  for (const folder of folders) {
    for (const name of reportNames(folder, listing)) {
      const path = posix.join(folder, name);
      if (listed.has(path)) continue;
      listed.add(path);
      companions.push(path);
    }
  }
  return companions.sort((a, b) => (a < b ? -1 : 1));
}
