import type { Detection, FormatUnit, ReadContext, Sniff } from './adapter.js';
import { readPiece } from './pieces.js';

/** Rows of a data set as JSON lines, a JSON list or a single row: the unit to read, where some row is of the kind. */
export function rowUnit(sniff: Sniff, isRow: (value: unknown) => boolean): FormatUnit | null {
  if (sniff.lines.some(isRow)) return 'line';
  if (isRow(sniff.json)) return 'document';
  return Array.isArray(sniff.json) && sniff.json.some(isRow) ? 'document' : null;
}

/** A detection of rows. */
export function detectRows(
  sniff: Sniff,
  isRow: (value: unknown) => boolean,
  verdict: { confidence: Detection['confidence']; reason: string },
): Detection | null {
  const unit = rowUnit(sniff, isRow);
  return unit === null ? null : { ...verdict, unit };
}

/** Reads one row, or each of a list, where a faulty one is refused alone. */
export function readRows<T>(
  input: unknown,
  context: ReadContext,
  read: (row: unknown, path: string) => readonly T[],
): readonly T[] {
  if (!Array.isArray(input)) return read(input, 'row');
  return input.flatMap((row, index) => readPiece(context, `[${index}]`, () => read(row, `[${index}]`)));
}
