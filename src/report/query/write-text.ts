import type { Writable } from 'node:stream';

/** Writes a text; resolved when the stream takes more, or will never take more. */
export function writeText(stream: Writable, text: string): Promise<void> {
  if (stream.write(text) || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const go = (): void => {
      stream.off('drain', go);
      stream.off('close', go);
      resolve();
    };
    stream.on('drain', go);
    stream.on('close', go);
  });
}
