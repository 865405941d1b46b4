import { readFileSync } from 'node:fs';
import type { FormatAdapter, RawTrajectory, ReadContext } from '../../src/formats/adapter.js';
import type { Turn } from '../../src/trajectory/turn.js';
import { sharedFile } from '../shared.js';
import { readDocument, readOne, tally } from './adapter-context.js';

// biome-ignore lint/suspicious/noExplicitAny: real logs are untyped
export function realLines(folder: string, name: string): any[] {
  const text = readFileSync(sharedFile(`logs/${folder}/${name}`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}

/** Lines that go through detection of the adapter alone. */
export function detectLines(adapter: FormatAdapter, lines: readonly unknown[]) {
  return adapter.detect({
    path: 'log.jsonl',
    head: '',
    json: undefined,
    lines,
    siblings: { names: [], readText: () => null },
  });
}

export function runOf(
  adapter: FormatAdapter,
  input: unknown,
  rest: Partial<ReadContext> = {},
): RawTrajectory {
  return readOne(adapter, input, rest);
}

export function runsOf(adapter: FormatAdapter, input: unknown, rest: Partial<ReadContext> = {}) {
  return readDocument(adapter, input, rest);
}

/** A context for a log at a path, with files beside it. */
export function placed(path: string, files: Readonly<Record<string, string>> = {}): Partial<ReadContext> {
  return {
    place: { path, line: null, byte_start: 0, byte_end: 0, sha256: '' },
    siblings: { names: Object.keys(files).sort(), readText: (name) => files[name] ?? null },
  };
}

export interface Counts {
  readonly turns: Readonly<Record<string, number>>;
  /** calls that the model made */
  readonly calls: number;
}

export function countsOf(runs: readonly RawTrajectory[]): Counts {
  const turns = runs.flatMap((run) => run.turns);
  return { turns: tally(turns.map((turn) => turn.role)), calls: callsOf(turns).length };
}

export function callsOf(turns: readonly Turn[]): { name: string; arguments: string }[] {
  return turns.flatMap((turn) =>
    turn.spans.flatMap((span) =>
      span.call === null || span.origin !== 'model'
        ? []
        : [{ name: span.call.name, arguments: span.call.arguments }],
    ),
  );
}

/** Turns as `role: kind text | kind text`, model kinds in capitals: short enough to compare by eye. */
export function outline(turns: readonly Turn[]): string[] {
  return turns.map((turn) => {
    const spans = turn.spans.map(({ origin, kind, text }) => {
      return `${origin === 'model' ? kind.toUpperCase() : kind} ${text}`;
    });
    return `${turn.role}: ${spans.join(' | ')}`;
  });
}

/** The texts of assistant turns, of whatever origin: what must hold every word that a log gives to its model. */
export function repliesText(runs: readonly RawTrajectory[]): string {
  return runs
    .flatMap((run) => run.turns)
    .filter((turn) => turn.role === 'assistant')
    .flatMap((turn) => turn.spans.map((span) => span.text))
    .join('\n');
}

/** How often a text stands in another. */
export function occurrences(text: string, part: string): number {
  return part === '' ? 0 : text.split(part).length - 1;
}
