import { readdirSync } from 'node:fs';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import { loadRenderer } from '../chat/load-renderer.js';
import { TrajmillError } from '../errors.js';
import { declaredAdapter } from '../formats/declared-format.js';
import { probeFile } from '../formats/probe.js';
import { FORMATS } from '../formats/registry.js';
import { discover, type InputFile } from '../logs/discover.js';
import { scanFile } from '../logs/scan.js';
import { loadEncoder } from '../tokens/load-encoder.js';
import { TOOL_VERSION } from '../version.js';
import { writeFileAtomic } from './atomic-file.js';
import { canonicalJson } from './canonical-json.js';
import { type PipelineConfig, type PipelineInput, readLimits, stageFaults, templateDate } from './config.js';
import { readPipeline } from './config-file.js';
import { faultPoint } from './fault.js';
import {
  type Location,
  type Piece,
  type Plan,
  type PlanBody,
  type PlanInput,
  readPlan,
  sealPlan,
} from './plan.js';
import { planDecontamination } from './plan-decontamination.js';
import { planTasks } from './plan-tasks.js';
import { type RunFolder, runFolder } from './run-folder.js';
import { groupPieces, taskBytes } from './task-pieces.js';

const PLAN_VERSION = 1;

export interface PlanRunOptions {
  /** path of the pipeline file */
  readonly pipeline: string;
  /** globs that replace the pipeline's inputs, relative to `cwd` */
  readonly input?: readonly string[];
  /** run folder, relative to `cwd` */
  readonly out?: string;
  readonly cwd: string;
}

/**
 * Freezes the plan of a run into its folder. A folder that holds the same plan is left as it is; one that holds
 * another is refused with E_PLAN_MISMATCH.
 */
export async function planRun(
  options: PlanRunOptions,
): Promise<{ plan: Plan; outDir: string; warnings: string[] }> {
  const pipelinePath = resolve(options.cwd, options.pipeline);
  const config = readPipeline(pipelinePath);
  const home = dirname(pipelinePath);
  const outDir = runDir(options, config, home);

  assertFormats(config, options.pipeline);
  const { root, files, warnings } = await findInputs(options, config, home, outDir);
  const decontamination = planDecontamination(config.decontamination, home);
  const location: Location = {
    input_root: root,
    tokenizer: resolveName(config.tokenizer, home),
    template: resolveName(config.template, home),
    texts: decontamination.texts,
  };
  const encoder = loadEncoder({
    tokenizer: location.tokenizer,
    onWarning: (warning) => warnings.push(warning),
  });
  const renderer = loadRenderer({ template: location.template, date: templateDate(config) });

  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const target = config.shard_bytes ?? taskBytes(total);
  const { inputs, pieces } = await cutInputs({ root, files, target, config });
  const { inputs: _inputs, out: _out, ...frozen } = config;
  const plan = sealPlan({
    schema_version: PLAN_VERSION,
    tool_version: TOOL_VERSION,
    config: withoutPaths(frozen),
    tokenizer_sha256: encoder.sha256,
    template_sha256: renderer.sha256,
    adapters: Object.fromEntries(FORMATS.map((adapter) => [adapter.name, adapter.version])),
    ...planTasks(config.tasks, home),
    decontamination: decontamination.frozen,
    inputs,
    companions: findCompanions(root, files),
    tasks: groupPieces(pieces, target),
  });
  freeze(runFolder(outDir), plan, location);
  return { plan, outDir, warnings };
}

/** What the names stand for is frozen by content or hash; the paths themselves may differ between machines. */
function withoutPaths(config: PlanBody['config']): PlanBody['config'] {
  const { tasks, decontamination } = config;
  const names = (paths: readonly string[]): string[] => paths.map((path) => basename(path));
  const thresholds = Object.entries(tasks.thresholds).map(([task, mapping]) => [
    task,
    'leaderboard' in mapping ? { leaderboard: basename(mapping.leaderboard) } : mapping,
  ]);
  return {
    ...config,
    tokenizer: basename(config.tokenizer),
    template: basename(config.template),
    tasks: { ...tasks, files: names(tasks.files), thresholds: Object.fromEntries(thresholds) },
    decontamination:
      decontamination === 'none'
        ? decontamination
        : { ...decontamination, files: names(decontamination.files), texts: names(decontamination.texts) },
  };
}

/** Formats that a pipeline names must exist: a misspelt one would silently change nothing. */
function assertFormats(config: PipelineConfig, place: string): void {
  const known = new Set([...FORMATS, ...config.formats].map((format) => format.name));
  const named = [
    ...Object.keys(config.experiments.tools).map((name) => ['experiments.tools', name] as const),
    ...config.inputs.flatMap(({ format }) => (format === 'auto' ? [] : [['inputs', format] as const])),
  ];
  for (const [key, name] of named) {
    if (known.has(name)) continue;
    const all = [...known].sort().join(', ');
    throw new TrajmillError('E_CONFIG', `${key}: unknown format '${name}'; the formats are ${all}`, {
      place,
    });
  }
}

function runDir(options: PlanRunOptions, config: PipelineConfig, home: string): string {
  if (options.out !== undefined) return resolve(options.cwd, options.out);
  if (config.out !== null) return resolve(home, config.out);
  const name = basename(options.pipeline, extname(options.pipeline));
  return resolve(options.cwd, 'out', name);
}

/** Built-in names stay; anything that looks like a path is taken from the pipeline's folder. */
function resolveName(name: string, home: string): string {
  return name.includes('/') || extname(name) !== '' ? resolve(home, name) : name;
}

async function findInputs(options: PlanRunOptions, config: PipelineConfig, home: string, outDir: string) {
  const fromFlags = options.input !== undefined && options.input.length > 0;
  const cwd = fromFlags ? options.cwd : home;
  const entries = fromFlags ? flagInputs(options.input ?? [], config) : config.inputs;
  if (entries.length === 0) {
    throw new TrajmillError('E_NO_INPUT', 'no inputs: name them in the pipeline file or with --input GLOB', {
      place: options.pipeline,
    });
  }
  // one root for all entries, so that paths in the plan do not depend on which entry found a file
  const all = await discover({ globs: entries.flatMap((entry) => entry.globs), cwd });
  const taken = new Map<string, PlannedFile>();
  for (const entry of entries) {
    const found = await discover({ globs: entry.globs, ignore: entry.ignore, root: all.root, cwd }).catch(
      (error: unknown) => {
        if (error instanceof TrajmillError && error.code === 'E_NO_INPUT' && entries.length > 1) return null;
        throw error;
      },
    );
    const { format, stage, source, columns } = entry;
    for (const file of found?.files ?? []) {
      // a run never reads what it writes, also where its folder lies among the logs
      if (join(all.root, file.path).startsWith(`${outDir}${sep}`)) continue;
      if (!taken.has(file.path))
        taken.set(file.path, { ...file, format, stage, source, ...(columns === null ? {} : { columns }) });
    }
  }
  const files = [...taken.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { root: all.root, files, warnings: [...all.warnings] };
}

type PlannedFile = InputFile & Pick<PlanInput, 'format' | 'stage' | 'source' | 'columns'>;

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

async function cutInputs(options: {
  root: string;
  files: readonly PlannedFile[];
  target: number;
  config: PipelineConfig;
}) {
  const { root, files, target, config } = options;
  const inputs: PlanInput[] = [];
  const pieces: Piece[] = [];
  const formats = config.formats.map(declaredAdapter);
  for (const file of files) {
    const path = join(root, file.path);
    const { splittable } = await probeFile(path, {
      format: file.format,
      formats,
      limits: readLimits(config),
    });
    const scan = await scanFile(path, { rangeBytes: target, splittable });
    const input = inputs.length;
    inputs.push({ ...file, bytes: scan.bytes, sha256: scan.sha256 });
    if (splittable && scan.ranges.length > 0) {
      for (const range of scan.ranges) pieces.push({ input, ...range, whole: scan.ranges.length === 1 });
    } else {
      pieces.push({ input, byte_start: 0, byte_end: scan.bytes, first_line: 1, whole: true });
    }
  }
  return { inputs, pieces };
}

/** Files in the inputs' folders that no glob named: an adapter may join them, as the sidecars of an input. */
function findCompanions(root: string, files: readonly InputFile[]): string[] {
  const named = new Set(files.map((file) => file.path));
  const folders = new Set(files.map((file) => dirname(file.path)));
  const companions: string[] = [];
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile() && !entry.name.startsWith('.') && !named.has(path)) companions.push(path);
    }
  }
  return companions.sort((a, b) => (a < b ? -1 : 1));
}

function freeze(folder: RunFolder, plan: Plan, location: Location): void {
  const existing = readPlan(folder);
  if (existing !== null && existing.plan_id !== plan.plan_id) {
    throw new TrajmillError(
      'E_PLAN_MISMATCH',
      `holds plan ${existing.plan_id.slice(0, 12)}, this one is ${plan.plan_id.slice(0, 12)}; name another folder with --out or remove it`,
      { place: folder.dir },
    );
  }
  writeFileAtomic(folder.location, `${canonicalJson(location)}\n`);
  if (existing === null) writeFileAtomic(folder.plan, `${canonicalJson(plan)}\n`);
  faultPoint('after-plan');
}
