import type { WrittenFile } from './export-sink.js';
import type { ExportCounts } from './exporter.js';

export interface SplitReport {
  readonly split: string;
  /** rows that the exporter was given: rows of `sft`, or sequences of `rl` */
  readonly rows: number;
  readonly tokens: number;
  readonly trained: number;
  readonly counts: ExportCounts;
  /** what the trainer trains otherwise than the rows' mask, where it renders text itself */
  readonly differences: readonly string[];
}

export interface ExportReport {
  readonly exporter: string;
  readonly title: string;
  readonly plan_id: string;
  readonly out: string;
  readonly splits: readonly SplitReport[];
  readonly files: readonly WrittenFile[];
  readonly notes: readonly string[];
  /** why an export of messages counted what differs in turns alone */
  readonly tokens_not_counted?: string;
}
