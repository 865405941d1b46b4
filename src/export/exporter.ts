import type { StoredMessage } from '../chat/messages.js';
import type { StoredSequence } from '../tables/expanded-rows.js';
import type { WindowRow } from '../tables/table-specs.js';
import type { MaskPolicyName } from '../tokens/mask-policy.js';
import type { ExportSink } from './export-sink.js';

/** What a trainer reads: token ids with a mask, chat messages, windows with rewards, or all that is stored of them. */
export const EXPORT_KINDS = ['tokens', 'messages', 'rl', 'stored'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/** A row of table `sft` as token trainers take it. */
export interface TokenSource {
  readonly row_id: string;
  readonly input_ids: Int32Array;
  /** 0 or 1 of token i itself (unshifted), as long as input_ids; the first is 0, since nothing predicts it */
  readonly loss_mask: Int8Array;
}

/** A row of table `sft` as text trainers take it. */
export interface MessageSource {
  readonly row_id: string;
  readonly messages: readonly StoredMessage[];
  /** JSON list, null without tools */
  readonly tools: string | null;
  readonly mask_policy: string;
  /** why the row's ids are not the plain rendering of its messages; empty where they are */
  readonly ids_differ_because: readonly string[];
}

/** A row with its tokens, to count what a trainer will train of it. */
export interface StoredConversation extends MessageSource {
  /** the messages as they are stored */
  readonly json: string;
  readonly input_ids: Int32Array;
  readonly loss_mask: Int8Array;
}

/** A window that is exported: it has a reward and at least one trained token. */
export interface WindowSource {
  readonly window_id: string;
  /** position in the sequence's window_index */
  readonly index: number;
  /** first token of the window, and the token after its last one */
  readonly token_start: number;
  readonly token_end: number;
  readonly n_trained: number;
  readonly reward: number;
  readonly outcome: string;
  /** null where the window has no score */
  readonly score_scale: string | null;
}

/** A row of table `rl` with its exported windows, in the order of their tokens; at least one. */
export interface SequenceSource {
  readonly sequence_id: string;
  readonly trajectory_id: string;
  readonly task_id: string | null;
  readonly input_ids: Int32Array;
  /** trained tokens of the exported windows only */
  readonly loss_mask: Int8Array;
  /** of each token, null where none was recorded; null without policy data */
  readonly rollout_log_probs: readonly (number | null)[] | null;
  readonly weight_version: string | null;
  /** `none` where the log recorded no policy data, so that q of the policy correction cannot be known */
  readonly is_correction: 'recorded' | 'none';
  readonly windows: readonly WindowSource[];
}

export interface ExportOptions {
  /** tokens of a pack; null leaves rows apart */
  readonly pack: number | null;
  /** what becomes of a row that is longer than a pack */
  readonly overlong: 'error' | 'drop';
  /** token that ends a document, where the reader looks for one; null adds nothing */
  readonly eosToken: number | null;
  /** what the loss of a window is divided by, where a trainer takes an advantage per token */
  readonly denominator: 'window' | 'tokens';
}

/** Numbers that an exporter counted, by name, in the order of the report. */
export type ExportCounts = Readonly<Record<string, number>>;

/** Means over all exported windows that some trainers need before the first row. */
export interface WindowTotals {
  readonly windows: number;
  readonly trained: number;
}

export interface ExportContext {
  readonly sink: ExportSink;
  readonly options: ExportOptions;
}

interface ExporterFacts {
  readonly name: string;
  readonly title: string;
  /** in the folder of each split, or beside them where it starts with `../` */
  readonly files: readonly string[];
  /** what the trainer does with the rows that our mask would not, and what it must be told */
  readonly notes: readonly string[];
  /** options of the command that mean something to it */
  readonly takesOptions: readonly (keyof ExportOptions)[];
  /** writes what stands beside the folders of the splits */
  readonly finish?: (root: ExportSink, splits: readonly string[]) => Promise<void>;
}

export interface TokenExporter extends ExporterFacts {
  readonly takes: 'tokens';
  readonly export: (rows: AsyncIterable<TokenSource>, context: ExportContext) => Promise<ExportCounts>;
}

export interface MessageExporter extends ExporterFacts {
  readonly takes: 'messages';
  /** policy of the tokens that the trainer trains around the words */
  readonly trains: MaskPolicyName;
  /** the trainer can leave single assistant messages untrained */
  readonly perMessage: boolean;
  /** conversations that the export leaves out */
  readonly skips?: (messages: readonly StoredMessage[]) => boolean;
  readonly export: (rows: AsyncIterable<MessageSource>, context: ExportContext) => Promise<ExportCounts>;
}

export interface RlExporter extends ExporterFacts {
  readonly takes: 'rl';
  readonly export: (
    rows: AsyncIterable<SequenceSource>,
    context: ExportContext & { readonly totals: WindowTotals },
  ) => Promise<ExportCounts>;
}

/** Takes sequences with all their windows, paid or not. */
export interface StoredExporter extends ExporterFacts {
  readonly takes: 'stored';
  readonly export: (
    sequences: AsyncIterable<StoredSequence>,
    context: ExportContext & { readonly withoutTokens: AsyncIterable<WindowRow> },
  ) => Promise<ExportCounts>;
}

export type Exporter = TokenExporter | MessageExporter | RlExporter | StoredExporter;
