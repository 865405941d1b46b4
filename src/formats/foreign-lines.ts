import type { FormatAdapter, Sniff } from './adapter.js';

/** Lines of a session log that another format claims, and its own does not. */
export interface ForeignLines {
  readonly format: string;
  readonly count: number;
  /** index of the first among the records */
  readonly first: number;
}

/**
 * Looks for lines of other session formats in a log, as when files were joined: a reader of sessions passes over records
 * that it does not know, so a second log would be lost without a word. One entry a format, in the order of their first lines.
 */
export function foreignLines(
  records: readonly unknown[],
  { own, formats, sniff }: { own: FormatAdapter; formats: readonly FormatAdapter[]; sniff: Sniff },
): ForeignLines[] {
  const others = formats.filter(({ name, unit }) => unit === 'lines' && name !== own.name);
  const found = new Map<string, ForeignLines>();
  records.forEach((record, index) => {
    const line: Sniff = {
      path: sniff.path,
      head: '',
      json: undefined,
      lines: [record],
      siblings: sniff.siblings,
    };
    const other = others.find((adapter) => claims(adapter, line));
    if (other === undefined || claims(own, line)) return;
    const { count, first } = found.get(other.name) ?? { count: 0, first: index };
    found.set(other.name, { format: other.name, count: count + 1, first });
  });
  return [...found.values()];
}

function claims(adapter: FormatAdapter, line: Sniff): boolean {
  try {
    return adapter.detect(line)?.confidence === 'certain';
  } catch {
    return false;
  }
}
