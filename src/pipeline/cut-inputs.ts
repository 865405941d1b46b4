import { join } from 'node:path';
import { TrajmillError } from '../errors.js';
import type { FormatAdapter } from '../formats/adapter.js';
import { probeFile } from '../formats/probe.js';
import { fileFault } from '../logs/file-fault.js';
import { type FileScan, scanFile } from '../logs/scan.js';
import { type PipelineConfig, readLimits } from './config.js';
import type { Piece, PlanInput } from './plan.js';
import type { PlannedFile, PlannedInputs } from './plan-inputs.js';

export interface CutInputs {
  readonly inputs: PlanInput[];
  readonly pieces: readonly Piece[];
  /** one warning for all files that cannot be read, or none */
  readonly unread: readonly string[];
}

/**
 * Looks into every input: its size and sum, and where it may be cut. A file that cannot be read is an input all the
 * same, which the run rejects: among very many there is always one, and it must not cost the others.
 *
 * @throws TrajmillError E_IO where not a single file can be read, E_INTERRUPTED when the signal comes
 */
export async function cutInputs(options: {
  found: PlannedInputs;
  target: number;
  config: PipelineConfig;
  /** beside the built-in ones */
  formats: readonly FormatAdapter[];
  signal?: AbortSignal;
}): Promise<CutInputs> {
  const { found } = options;
  const inputs: PlanInput[] = [];
  const pieces: Piece[] = [];
  for (const file of found.files) {
    const input = inputs.length;
    const path = join((file.stdin === true ? found.stdinRoot : null) ?? found.root, file.path);
    const scan = await scanInput(path, file, options);
    if (typeof scan === 'string') {
      inputs.push({ ...file, bytes: 0, sha256: null, unreadable: scan });
      pieces.push({ input, byte_start: 0, byte_end: 0, first_line: 1, whole: true });
      continue;
    }
    const whole = scan.ranges.length === 1;
    inputs.push({ ...file, bytes: scan.bytes, sha256: scan.sha256 });
    for (const range of scan.ranges) pieces.push({ input, ...range, whole });
  }
  const unread = inputs.filter((input) => input.unreadable !== undefined);
  const [first] = unread;
  if (first === undefined) return { inputs, pieces, unread: [] };
  const example = `${JSON.stringify(first.path)}: ${first.unreadable}`;
  if (unread.length === inputs.length) {
    throw new TrajmillError('E_IO', `none of ${inputs.length} input files can be read; ${example}`, {
      place: found.root,
    });
  }
  const said = `${unread.length} of ${inputs.length} files cannot be read and will be rejected; ${example}`;
  return { inputs, pieces, unread: [said] };
}

/** The sum and the cuts of a file, or why it cannot be read. */
async function scanInput(
  path: string,
  { format }: PlannedFile,
  options: {
    target: number;
    config: PipelineConfig;
    formats: readonly FormatAdapter[];
    signal?: AbortSignal;
  },
): Promise<FileScan | string> {
  const { target, config, formats, signal } = options;
  try {
    const { splittable } = await probeFile(path, { format, formats, limits: readLimits(config) });
    return await scanFile(path, {
      rangeBytes: target,
      splittable,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) {
      throw new TrajmillError(
        'E_INTERRUPTED',
        'interrupted before the plan was made; start the same command again (`run` may have --resume)',
        {
          cause: error,
        },
      );
    }
    const fault = fileFault(error);
    if (fault === null) throw error;
    return fault;
  }
}
