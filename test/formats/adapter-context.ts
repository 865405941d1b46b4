import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext } from '../../src/formats/adapter.js';
import { turnContent } from '../../src/trajectory/build.js';
import { trajectorySchema } from '../../src/trajectory/trajectory.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { sharedFile } from '../shared.js';

const NO_SIBLINGS = { names: [], readText: () => null };

/** A context as the reader gives it, for a file that stands alone. */
export function contextFor(adapter: FormatAdapter, rest: Partial<ReadContext> = {}): ReadContext {
  return {
    place: { path: 'log.json', line: null, byte_start: 0, byte_end: 0, sha256: '' },
    siblings: NO_SIBLINGS,
    flags: [],
    experiments: adapter.experiments,
    experiment_patterns: [],
    refuse: (error) => {
      throw error;
    },
    ...rest,
  };
}

export function detectDocument(adapter: FormatAdapter, json: unknown): Detection | null {
  return adapter.detect({ path: 'log.json', head: '', json, lines: [], siblings: NO_SIBLINGS });
}

/** What the adapter yields, each checked against the schema of a trajectory. */
export function readDocument(
  adapter: FormatAdapter,
  json: unknown,
  rest: Partial<ReadContext> = {},
): readonly RawTrajectory[] {
  const outcome = adapter.read(json, contextFor(adapter, rest));
  if ('sidecar_of' in outcome) throw new Error(`a sidecar of ${outcome.sidecar_of}`);
  const source = {
    path: 'log.json',
    line: null,
    byte_start: 0,
    byte_end: 0,
    sha256: '',
    format: adapter.name,
    adapter_version: adapter.version,
    sidecars: [],
  };
  for (const raw of outcome) trajectorySchema.parse({ ...raw, trajectory_id: '', source });
  return outcome;
}

export function readOne(
  adapter: FormatAdapter,
  json: unknown,
  rest: Partial<ReadContext> = {},
): RawTrajectory {
  const [trajectory, ...others] = readDocument(adapter, json, rest);
  if (trajectory === undefined || others.length > 0) throw new Error(`${others.length + 1} trajectories`);
  return trajectory;
}

/** Turns counted by role. */
export function rolesOf(turns: readonly Turn[]): Record<string, number> {
  return tally(turns.map((turn) => turn.role));
}

/** Spans counted as `origin kind`, of one role or all. */
export function spansOf(turns: readonly Turn[], role?: Turn['role']): Record<string, number> {
  const chosen = turns.filter((turn) => role === undefined || turn.role === role);
  return tally(chosen.flatMap((turn) => turn.spans.map((span) => `${span.origin} ${span.kind}`)));
}

export function tally(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** Names of the real logs in a folder. */
export function realLogs(folder: string): string[] {
  return readdirSync(sharedFile(join('logs', folder))).filter((name) => !name.endsWith('.source.txt'));
}

// biome-ignore lint/suspicious/noExplicitAny: real logs are untyped
export function realLog(folder: string, name: string): any {
  return JSON.parse(readFileSync(sharedFile(join('logs', folder, name)), 'utf8'));
}

/** Content of a message as a string: parts of text joined. */
export function plainContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part === 'string' ? part : (part.text ?? '[image]'))).join('');
}

export function contentsOf(turns: readonly Turn[]): string[] {
  return turns.map(turnContent);
}
