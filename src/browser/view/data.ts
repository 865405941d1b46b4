// What the viewer's page carries. Made by src/report/view, read by the script of the page: plain JSON.

/** A span of a turn as the log or, without it, the stored messages have it. */
export interface ViewSpan {
  readonly kind: string;
  /** written by the model in this run, or by anything else */
  readonly model: boolean;
  readonly text: string;
  /** name of the tool that a call names; null for other spans */
  readonly call: string | null;
}

export interface ViewTurn {
  /** index in the trajectory; where that is not known, the place in its row */
  readonly number: number;
  /** unique on the page: `turn-<number>`, or with the name of the row that alone tells of the turn */
  readonly anchor: string;
  readonly role: string;
  /** tool or speaker */
  readonly name: string | null;
  readonly time: string | null;
  /** what is unusual: cut short, weight 0, flags */
  readonly notes: readonly string[];
  readonly spans: readonly ViewSpan[];
}

/**
 * A piece of a turn as the tokens of a row decode: words of a span, or text that the template writes. Words that equal
 * those of the span are not repeated.
 */
export interface ViewPiece {
  /** part of the rendering: header, reasoning, text, tool_call, stop, ... */
  readonly part: string;
  /** index of the span that it carries or frames; -1 for none */
  readonly span: number;
  /** written by the template */
  readonly glue: boolean;
  /** absent where it is the text of the span */
  readonly text?: string;
}

/** A turn in a row of tokens. */
export interface ViewRowTurn {
  /** position in `turns` */
  readonly turn: number;
  /** position in `renderings` */
  readonly rendering: number;
  /** [start, end, start, end ...] of the trained text, in UTF-16 units of the joined pieces */
  readonly trained: readonly number[];
  /** characters of which only some bytes are trained, by their start in the joined pieces */
  readonly split: readonly number[];
  readonly n_tokens: number;
  readonly n_trained: number;
  /** of an rl row: positions in `windows` of those whose tokens lie here */
  readonly windows: readonly number[];
}

export interface ViewRow {
  /** row_id or sequence_id */
  readonly id: string;
  readonly table: 'sft' | 'rl';
  /** what the row is, in a few words */
  readonly label: string;
  readonly n_tokens: number;
  readonly n_trained: number;
  /** turn where a selected prefix ends; null for sequences */
  readonly anchor: number | null;
  readonly anchor_score: string | null;
  readonly cut_turns: number;
  readonly cut_tokens: number;
  /** label and text, as under `trajmill explain` */
  readonly facts: readonly (readonly [string, string])[];
  readonly turns: readonly ViewRowTurn[];
}

export interface ViewWindow {
  readonly id: string;
  /** positions in `turns`, inclusive */
  readonly first: number;
  readonly last: number;
  readonly execution: string;
  readonly outcome: string;
  readonly score: number | null;
  readonly scale: string | null;
  readonly trend: string | null;
  readonly reward: number | null;
  readonly n_trained: number;
  readonly why: string;
}

/** A point of the score curve. */
export interface ViewScore {
  /** position in `turns` of the feedback, else of the call */
  readonly turn: number;
  readonly execution: string;
  /** status, or how its window ended where there is one */
  readonly outcome: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly invalidated: boolean;
}

export interface ViewThreshold {
  readonly name: string;
  readonly score: number;
}

/** Positions in `turns` that one can jump to. */
export interface ViewJumps {
  readonly errors: readonly number[];
  readonly submissions: readonly number[];
  readonly best: number | null;
}

export interface ViewSource {
  /** where the words come from: the raw log, read again, or what the tables hold */
  readonly from: 'log' | 'tables';
  /** why not from the log */
  readonly because: string | null;
  readonly path: string;
  readonly bytes: string;
  readonly sha256: string;
  /** why no token is marked; null where the tokens could be decoded */
  readonly unmarked: string | null;
}

export interface ViewData {
  readonly trajectory_id: string;
  readonly task: string | null;
  readonly decision: string;
  readonly source: ViewSource;
  /** every input with equal turns; the one that stands for them first */
  readonly inputs: readonly { readonly path: string; readonly decision: string }[];
  readonly facts: readonly (readonly [string, string])[];
  readonly rules: readonly string[];
  readonly flags: readonly (readonly [string, string | null])[];
  readonly turns: readonly ViewTurn[];
  readonly renderings: readonly (readonly ViewPiece[])[];
  readonly rows: readonly ViewRow[];
  readonly windows: readonly ViewWindow[];
  readonly scores: readonly ViewScore[];
  /** thresholds of the test scale */
  readonly thresholds: readonly ViewThreshold[];
  readonly lower_is_better: boolean | null;
  readonly metric: string | null;
  readonly jumps: ViewJumps;
  readonly tool_version: string;
}
