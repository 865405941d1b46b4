import { existsSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { downloadMissing } from '../chat/hub-download.js';
import { cachedHubFile, isHubName } from '../chat/hub-model.js';
import { loadRenderer } from '../chat/load-renderer.js';
import { TrajmillError } from '../errors.js';
import type { FormatAdapter } from '../formats/adapter.js';
import { declaredAdapter } from '../formats/declared-format.js';
import { knownFormats } from '../formats/known-formats.js';
import { FORMATS } from '../formats/registry.js';
import { createSecretMasker } from '../logs/secrets.js';
import { loadEncoder } from '../tokens/load-encoder.js';
import { TOOL_VERSION } from '../version.js';
import { type AdapterModule, loadAdapterModule } from './adapter-modules.js';
import { writeFileAtomic } from './atomic-file.js';
import { canonicalJson } from './canonical-json.js';
import { type PipelineConfig, templateDate } from './config.js';
import { readPipeline } from './config-file.js';
import { cutInputs } from './cut-inputs.js';
import { faultPoint } from './fault.js';
import { type Location, type Plan, type PlanBody, readPlan, sealPlan } from './plan.js';
import { planDecontamination } from './plan-decontamination.js';
import { planDifference } from './plan-difference.js';
import { findCompanions, findInputs, inputEntries, type PlannedInputs } from './plan-inputs.js';
import { planPrompts, promptNames } from './plan-prompts.js';
import { planTasks } from './plan-tasks.js';
import { type RunFolder, runFolder } from './run-folder.js';
import { type StdinSpool, spoolStdin } from './stdin-spool.js';
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
  /** what the input `-` stands for; default: that of the process */
  readonly stdin?: Readable;
  /** whether standard input that the run folder holds already stands for `-`: of a resumed run, or of a share */
  readonly reuseStdin?: boolean;
  /** fetch a tokenizer or template `owner/model` that is not in the local Hugging Face cache */
  readonly allowDownload?: boolean;
  /** ends the reading of standard input and of inputs, and downloads */
  readonly signal?: AbortSignal;
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

  const adapterPaths = config.adapters.map((path) => resolve(home, path));
  const modules = await Promise.all(adapterPaths.map(loadAdapterModule));
  const formats = [...modules.flatMap(({ adapters }) => adapters), ...config.formats.map(declaredAdapter)];
  assertFormats(config, knownFormats(formats), options.pipeline);
  if (options.allowDownload === true) await fetchModels(config, home, options.signal);
  const folder = runFolder(outDir);
  const entries = inputEntries({ ...options, config, home });
  const spool = entries.stdin === null ? null : await spoolOf(folder, options);
  try {
    const found = await findInputs({ entries, outDir, spool });
    const { plan, location, warnings } = await makePlan({
      config,
      home,
      folder,
      found,
      formats,
      modules,
      adapterPaths,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const existing = assertSamePlan(folder, plan);
    spool?.keep();
    writeFileAtomic(folder.location, `${canonicalJson(location)}\n`);
    if (existing === null) writeFileAtomic(folder.plan, `${canonicalJson(plan)}\n`);
    faultPoint('after-plan');
    return { plan, outDir, warnings };
  } catch (error) {
    spool?.discard();
    throw error;
  }
}

function spoolOf(folder: RunFolder, options: PlanRunOptions): Promise<StdinSpool> {
  const { stdin: input = process.stdin, reuseStdin: reuse = false, signal = null } = options;
  return spoolStdin(folder, { input, reuse, signal });
}

async function makePlan(given: {
  config: PipelineConfig;
  home: string;
  folder: RunFolder;
  found: PlannedInputs;
  formats: readonly FormatAdapter[];
  modules: readonly AdapterModule[];
  adapterPaths: string[];
  signal?: AbortSignal;
}): Promise<{ plan: Plan; location: Location; warnings: string[] }> {
  const { config, home, folder, found, formats, modules } = given;
  const { root, files } = found;
  const warnings = [...found.warnings];
  const decontamination = planDecontamination(config.decontamination, home);
  const location: Location = {
    input_root: root,
    stdin: files.some((file) => file.stdin === true) ? folder.stdin : null,
    adapters: given.adapterPaths,
    tokenizer: resolveName('tokenizer', config.tokenizer, home),
    template: resolveName('template', config.template, home),
    texts: decontamination.texts,
  };
  const encoder = loadEncoder({
    tokenizer: location.tokenizer,
    onWarning: (warning) => warnings.push(warning),
  });
  const renderer = loadRenderer({ template: location.template, date: templateDate(config) });

  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const target = config.shard_bytes ?? taskBytes(total);
  const { inputs, pieces, unread } = await cutInputs({
    found,
    target,
    config,
    formats,
    ...(given.signal === undefined ? {} : { signal: given.signal }),
  });
  warnings.push(...unread);
  const { inputs: _inputs, out: _out, ...frozen } = config;
  const masker = createSecretMasker({ enabled: config.secrets === 'mask' });
  const plan = sealPlan({
    schema_version: PLAN_VERSION,
    tool_version: TOOL_VERSION,
    config: withoutPaths(frozen),
    tokenizer_sha256: encoder.sha256,
    template_sha256: renderer.sha256,
    adapters: Object.fromEntries(
      [...FORMATS, ...modules.flatMap(({ adapters }) => adapters)].map(({ name, version }) => [
        name,
        version,
      ]),
    ),
    ...(modules.length === 0
      ? {}
      : { adapter_modules: modules.map(({ name, sha256 }) => ({ name, sha256 })) }),
    ...(config.prompts === null ? {} : { prompts: planPrompts(config.prompts, { home, masker }) }),
    ...planTasks(config.tasks, home),
    decontamination: decontamination.frozen,
    inputs,
    companions: findCompanions(root, files),
    tasks: groupPieces(pieces, target),
  });
  return { plan, location, warnings };
}

/** What the names stand for is frozen by content or hash; the paths themselves may differ between machines. */
function withoutPaths(config: PlanBody['config']): PlanBody['config'] {
  const { tasks, decontamination, prompts } = config;
  const names = (paths: readonly string[]): string[] => paths.map((path) => basename(path));
  const thresholds = Object.entries(tasks.thresholds).map(([task, mapping]) => [
    task,
    'leaderboard' in mapping ? { leaderboard: basename(mapping.leaderboard) } : mapping,
  ]);
  return {
    ...config,
    tokenizer: basename(config.tokenizer),
    template: basename(config.template),
    adapters: names(config.adapters),
    prompts: prompts === null ? null : promptNames(prompts),
    tasks: { ...tasks, files: names(tasks.files), thresholds: Object.fromEntries(thresholds) },
    decontamination:
      decontamination === 'none'
        ? decontamination
        : { ...decontamination, files: names(decontamination.files), texts: names(decontamination.texts) },
  };
}

/** Formats that a pipeline names must exist: a misspelt one would silently change nothing. */
function assertFormats(config: PipelineConfig, formats: readonly FormatAdapter[], place: string): void {
  const known = new Set(formats.map((format) => format.name));
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

const NOT_FOUND = { tokenizer: 'E_TOKENIZER', template: 'E_TEMPLATE' } as const;

/**
 * Built-in names and models in the local cache stay; anything else that looks like a path is taken from the pipeline's folder.
 * Throws TrajmillError for what looks like a model and is neither there nor in the cache.
 */
function resolveName(key: keyof typeof NOT_FOUND, name: string, home: string): string {
  const looksLikePath = name.includes('/') || extname(name) !== '';
  if (!looksLikePath || isCachedModel(name, home)) return name;
  const path = resolve(home, name);
  if (isHubName(name) && !existsSync(path)) {
    throw new TrajmillError(
      NOT_FOUND[key],
      `${key}: '${name}' is neither in ${home} nor a model in the local Hugging Face cache: ` +
        'give a path, or let it be downloaded with --allow-download',
    );
  }
  return path;
}

function isCachedModel(name: string, home: string): boolean {
  return !existsSync(resolve(home, name)) && cachedHubFile(name, 'tokenizer.json') !== null;
}

/** Fetches models that the pipeline names and neither its folder nor the local cache holds. */
async function fetchModels({ tokenizer, template }: PipelineConfig, home: string, signal?: AbortSignal) {
  const names = [tokenizer, template].filter((name) => !existsSync(resolve(home, name)));
  return downloadMissing(names, signal);
}

/** The plan that the folder holds already, or null. One that holds another is refused. */
function assertSamePlan(folder: RunFolder, plan: Plan): Plan | null {
  const existing = readPlan(folder);
  if (existing !== null && existing.plan_id !== plan.plan_id) {
    throw new TrajmillError(
      'E_PLAN_MISMATCH',
      `holds plan ${existing.plan_id.slice(0, 12)}, this one is ${plan.plan_id.slice(0, 12)}: ` +
        `${planDifference(existing.body, plan.body)}. Name another folder with --out or remove it`,
      { place: folder.dir },
    );
  }
  return existing;
}
