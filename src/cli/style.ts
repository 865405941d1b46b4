import { styleText } from 'node:util';
import type { CliContext, CliStream } from './context.js';

/** Colours a text, or leaves it alone where the stream shows none. */
export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Colours only on a terminal that has them; NO_COLOR (any value but the empty one) switches them off. */
export function hasColor(stream: CliStream, env: CliContext['process']['env']): boolean {
  if ((env['NO_COLOR'] ?? '') !== '' || stream.isTTY !== true) return false;
  return (stream.getColorDepth?.({ ...env }) ?? 1) > 1;
}

export function paintFor(stream: CliStream, env: CliContext['process']['env']): Paint {
  if (!hasColor(stream, env)) return (_format, text) => text;
  return (format, text) => styleText(format, text, { validateStream: false });
}
