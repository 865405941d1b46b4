import { parseJson } from '../logs/json.js';
import { splitLines } from '../logs/lines.js';

export interface LineSample {
  /** parsed objects and arrays */
  readonly records: readonly unknown[];
  readonly failed: number;
  readonly total: number;
  /** the first line is a record of its own */
  readonly leads: boolean;
}

/** The first lines of a head, parsed; a line that the head cuts off is left out. */
export async function sampleLines(
  bytes: Buffer,
  options: { whole: boolean; max: number },
): Promise<LineSample> {
  const records: unknown[] = [];
  let failed = 0;
  let total = 0;
  let leads = false;
  for await (const line of splitLines([bytes], { maxLineBytes: bytes.length })) {
    if (total === options.max) break;
    if (line.bytes === null || (!line.terminated && !options.whole)) break;
    total++;
    const record = recordOf(line.bytes);
    if (record === null) failed++;
    else {
      records.push(record);
      leads ||= total === 1;
    }
  }
  return { records, failed, total, leads };
}

/** Whether a sample is one of JSON lines, of which some are broken. */
export function mostParse(sample: LineSample): boolean {
  // Of two lines the second may be torn.
  const enough = sample.leads
    ? sample.records.length >= sample.failed
    : sample.records.length > sample.failed;
  return enough && sample.total > 1;
}

/** How many lines are looked at for records among other text, and how rare these may be. */
export const STRAY_LINES = 2000;
const STRAY_SHARE = 1 / 20;
const STRAY_RECORDS = 32;

/** The first records that stand in lines of their own among other text, where they are not rarer than a quotation. */
export async function strayRecords(bytes: Buffer, options: { whole: boolean }): Promise<readonly unknown[]> {
  const { records, total } = await sampleLines(bytes, { ...options, max: STRAY_LINES });
  return records.length >= total * STRAY_SHARE ? records.slice(0, STRAY_RECORDS) : [];
}

/** The object or list that a line holds, or null. */
function recordOf(bytes: Buffer): object | null {
  try {
    const { value } = parseJson(bytes);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
