import { DEFAULT_LIMITS, type ReadLimits } from '../logs/limits.js';
import { RejectError } from '../logs/reject.js';
import type { FormatAdapter } from './adapter.js';
import { judge } from './judge.js';
import { knownFormats } from './known-formats.js';
import type { SiblingFolder } from './siblings.js';
import { recordSiblings } from './siblings.js';
import { sniffFile } from './sniff.js';

/**
 * Whether a file may be cut into byte ranges: it is uncompressed JSON lines and its adapter reads single rows. The
 * answer follows from the head of the file (of a document, from the whole), never from its name.
 */
export async function probeFile(
  absolute: string,
  options: { format?: string; formats?: readonly FormatAdapter[]; limits?: Partial<ReadLimits> } = {},
): Promise<{ splittable: boolean }> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const alone: SiblingFolder = { names: [], readBytes: () => null };
  const formats = knownFormats(options.formats);
  const only = formats.find(({ name }) => name === options.format) ?? null;
  try {
    const siblings = recordSiblings(alone, absolute);
    const sniffed = await sniffFile({ absolute, path: absolute, siblings, limits });
    const { file, sniff, stray, whole } = sniffed;
    if (file.compression !== null || whole !== null) return { splittable: false };
    if (sniff.lines.length === 0 && stray.length === 0) return { splittable: false };
    const verdict = judge(sniffed, { formats, only });
    return { splittable: !(verdict instanceof RejectError) && verdict.unit === 'line' };
  } catch (error) {
    // A file that cannot be read is one task of its own, whose reader reports it.
    if (error instanceof RejectError) return { splittable: false };
    throw error;
  }
}
