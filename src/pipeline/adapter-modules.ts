import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { TrajmillError } from '../errors.js';
import type { FormatAdapter } from '../formats/adapter.js';
import { declaredAdapter } from '../formats/declared-format.js';
import { readNamedFile } from './named-file.js';
import type { Location, Plan } from './plan.js';

/** A module of adapters as it was found. */
export interface AdapterModule {
  readonly name: string;
  /** of the file; what it imports is not covered */
  readonly sha256: string;
  readonly adapters: readonly FormatAdapter[];
}

const isFunction = z.custom<never>((value) => typeof value === 'function', 'must be a function');
const word = z.string().default('not stated');
const tools = z.array(z.string()).default([]);

const adapterSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  unit: z.enum(['document', 'text', 'lines', 'line', 'archive']),
  detect: isFunction,
  read: isFunction,
  sessionOf: isFunction.optional(),
  experiments: z.looseObject({ experiment: tools, scoring: tools }).prefault({}),
  notes: z
    .looseObject({
      title: word,
      recognised_by: word,
      scores: word,
      executions: word,
      reasoning: word,
      token_ids: word,
      logprobs: word,
      loss: z.array(z.string()).default([]),
    })
    .prefault({}),
});

const moduleSchema = z.looseObject({ adapters: z.array(adapterSchema).min(1) });

const loaded = new Map<string, Promise<AdapterModule>>();

/**
 * Imports a module that exports a list `adapters`. Its code runs with the rights of this process.
 *
 * @throws TrajmillError E_CONFIG where it cannot be read, fails, or exports something else
 */
export function loadAdapterModule(path: string): Promise<AdapterModule> {
  const source = readNamedFile(path, { what: 'adapter module', named: path, code: 'E_CONFIG' });
  const sha256 = createHash('sha256').update(source).digest('hex');
  // A module is imported once a process: the sum in its address makes a changed one another.
  const url = `${pathToFileURL(path).href}?sha256=${sha256}`;
  const known = loaded.get(url);
  if (known !== undefined) return known;
  const fresh = importModule(url, { path, sha256 });
  loaded.set(url, fresh);
  return fresh;
}

async function importModule(url: string, at: { path: string; sha256: string }): Promise<AdapterModule> {
  const { path, sha256 } = at;
  let exported: unknown;
  try {
    exported = { ...((await import(url)) as object) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new TrajmillError('E_CONFIG', `the adapter module fails: ${reason}`, { place: path, cause });
  }
  const result = moduleSchema.safeParse(exported);
  if (!result.success) {
    const [issue] = result.error.issues;
    const where = issue?.path.join('.') ?? '';
    throw new TrajmillError(
      'E_CONFIG',
      `an adapter module exports a list \`adapters\`: ${where}: ${issue?.message}`,
      {
        place: path,
      },
    );
  }
  const originals = (exported as { adapters: readonly FormatAdapter[] }).adapters;
  const adapters = result.data.adapters.map(({ experiments, notes }, index): FormatAdapter => {
    const original = originals[index];
    if (original === undefined) throw new RangeError(`no adapter ${index}`);
    const { name, version, unit } = original;
    return {
      name,
      version,
      unit,
      notes,
      experiments,
      detect: (sniff) => original.detect(sniff),
      sessionOf: (record) => original.sessionOf?.(record) ?? null,
      read: (input, context) => original.read(input, context),
    };
  });
  return { name: basename(path), sha256, adapters };
}

/**
 * The formats of a plan beside the built-in ones: those of its modules, which must be the files that were planned, and
 * those that it declares.
 *
 * @throws TrajmillError E_PLAN_MISMATCH for a module that changed
 */
export async function planFormats(plan: Plan, location: Location): Promise<FormatAdapter[]> {
  const modules = await Promise.all(location.adapters.map(loadAdapterModule));
  plan.body.adapter_modules?.forEach(({ name, sha256 }, index) => {
    if (modules[index]?.sha256 === sha256) return;
    throw new TrajmillError(
      'E_PLAN_MISMATCH',
      'the adapter module is not the one that was planned; plan again into a new folder',
      { place: location.adapters[index] ?? name },
    );
  });
  return [...modules.flatMap(({ adapters }) => adapters), ...plan.body.config.formats.map(declaredAdapter)];
}
