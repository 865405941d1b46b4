import { readFileSync } from 'node:fs';
import type { RawTrajectory } from '../../src/formats/adapter.js';
import { sharedFile } from '../shared.js';
import { realLogs } from './adapter-context.js';

// biome-ignore lint/suspicious/noExplicitAny: real logs are untyped
export type Untyped = any;

/** Parsed lines of a real log. */
export function realLines(folder: string, name: string): Untyped[] {
  return readFileSync(sharedFile(`logs/${folder}/${name}`), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}

export function realText(folder: string, name: string): string {
  return readFileSync(sharedFile(`logs/${folder}/${name}`), 'utf8');
}

/** Real logs of a folder that end so and hold something. */
export function filledLogs(folder: string, suffix: string): string[] {
  return realLogs(folder).filter((name) => name.endsWith(suffix) && realText(folder, name) !== '');
}

/** Texts of spans that a model wrote, arguments of calls included, sorted. */
export function modelTexts(trajectories: readonly RawTrajectory[]): string[] {
  const spans = trajectories.flatMap((run) => run.turns).flatMap((turn) => turn.spans);
  return spans
    .filter((span) => span.origin === 'model')
    .map((span) => span.text)
    .sort();
}

/** Blocks of an Anthropic assistant message as the texts of their spans; hidden reasoning has none. */
export function blockTexts(content: Untyped): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content];
  return content.flatMap((block: Untyped) => {
    if (block.type === 'text') return block.text === '' ? [] : [block.text];
    if (block.type === 'thinking') return block.thinking === '' ? [] : [block.thinking];
    if (block.type === 'tool_use') return [JSON.stringify(block.input)];
    return [];
  });
}
