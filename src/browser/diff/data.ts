// What the page of a difference carries. Made by src/report/diff, read by the script of the page: plain JSON.

/** What a mask says of a text. */
export type DiffMark = 'trained' | 'masked';

/** A text of a turn on both sides. Where `a` and `b` are equal it is the same; null where a side does not have it. */
export interface DiffSegment {
  /** part of the rendering: reasoning, tool_call, header, stop, separator, ... */
  readonly part: string;
  readonly a: DiffMark | null;
  readonly b: DiffMark | null;
  /** whole where the sides differ */
  readonly text: string;
  /** of a long text that is the same: what was left out behind `text`, and what comes then */
  readonly left_out: number;
  readonly tail: string;
}

export interface DiffTurn {
  readonly number: number;
  readonly role: string;
  /** all segments, so that those that differ stand in their place */
  readonly segments: readonly DiffSegment[];
}

export interface DiffRowHead {
  readonly id: string;
  readonly label: string;
  readonly n_tokens: number;
  readonly n_trained: number;
  readonly anchor: number | null;
}

export interface DiffRow {
  readonly table: 'sft' | 'rl';
  readonly a: DiffRowHead | null;
  readonly b: DiffRowHead | null;
  /** turns of which some text or mark differs */
  readonly turns: readonly DiffTurn[];
  /** turns that both rows hold and that are the same */
  readonly same_turns: number;
  /** turns that only one of them holds */
  readonly only_a: readonly number[];
  readonly only_b: readonly number[];
}

export interface DiffTrajectory {
  readonly trajectory_id: string;
  readonly task: string | null;
  readonly a: string;
  readonly b: string;
  /** why a side's rows could not be decoded; null where both were */
  readonly unmarked: string | null;
  readonly rows: readonly DiffRow[];
  readonly same_rows: number;
}

export interface DiffSetting {
  readonly path: string;
  readonly a: string;
  readonly b: string;
}

export interface DiffData {
  readonly a: string;
  readonly b: string;
  /** settings of the plans that differ; null where one is not at hand */
  readonly settings: readonly DiffSetting[] | null;
  readonly trajectories: readonly DiffTrajectory[];
  /** trajectories that differ and are not among them */
  readonly left_out: number;
  /** trajectories that differ in nothing */
  readonly same: number;
}
