import { parseJson } from '../logs/json.js';
import type { ReadLimits } from '../logs/limits.js';
import type { Line } from '../logs/lines.js';
import { RejectError } from '../logs/reject.js';
import type { SessionLog } from './session-log.js';

/** Records in order, and flags of the text that they were. */
export type LogRecords = Omit<SessionLog, 'place'>;

/** The value of a line, or why it has none. */
export function parseLine(
  line: Line,
  limits: ReadLimits,
): { value: unknown; flags: readonly string[] } | RejectError {
  if (line.bytes === null) {
    const bytes = line.byte_end - line.byte_start;
    return new RejectError('too_large', `a line of ${bytes} bytes above the limit of ${limits.line_bytes}`);
  }
  try {
    return parseJson(line.bytes, { maxDepth: limits.depth });
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    if (line.terminated || error.code !== 'invalid_json') return error;
    return new RejectError('torn_line', `the last line is cut off: ${error.message}`);
  }
}

/** The records of a session log; what cannot be read leaves a flag. With `lists` a line may hold several of them. */
export async function lineRecords(
  lines: AsyncIterable<Line>,
  { limits, lists }: { limits: ReadLimits; lists: boolean },
): Promise<LogRecords> {
  const records: unknown[] = [];
  const numbers: number[] = [];
  const flags = new Set<string>();
  for await (const line of lines) {
    const parsed = parseLine(line, limits);
    if (parsed instanceof RejectError) {
      flags.add(parsed.code === 'torn_line' ? 'torn_line' : 'unreadable_lines');
      continue;
    }
    const { value } = parsed;
    for (const record of lists && Array.isArray(value) ? value : [value]) {
      records.push(record);
      numbers.push(line.number);
    }
    for (const flag of parsed.flags) flags.add(flag);
  }
  return { records, numbers, flags: [...flags] };
}

/** The items of a JSON list, which stand for lines. */
export function listedRecords(records: readonly unknown[], flags: readonly string[]): LogRecords {
  return { records, numbers: records.map((_, index) => index + 1), flags };
}
