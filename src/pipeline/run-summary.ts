/** A count by name: rules, reasons, codes, flags. Names that never occurred are absent. */
export type Counts = Readonly<Record<string, number>>;

/** A file of the result. */
export interface SummaryFile {
  /** relative to the run folder, forward slashes */
  readonly path: string;
  readonly rows: number | null;
  readonly bytes: number;
}

/**
 * What a run did, in numbers. The unit at the top level is the trajectory: read = kept + filtered + rejected +
 * duplicates; a file that yields none counts once, as rejected, or under `sidecars` as the companion of a
 * trajectory. Everything but `seconds` is a function of plan and inputs alone, so the same for any worker count.
 */
export interface RunSummary {
  readonly read: number;
  readonly kept: number;
  readonly filtered: number;
  readonly rejected: number;
  readonly duplicates: number;

  /** companion files that were joined to a trajectory; not part of `read` */
  readonly sidecars: number;
  /** trajectories that yielded an sft row, by selection rule; one trajectory may count under several */
  readonly kept_by_rule: Counts;
  readonly filtered_by_reason: Counts;
  readonly duplicates_by_reason: Counts;
  readonly rejected_by_code: Counts;
  /** trajectories read, by source format */
  readonly by_format: Counts;
  /** trajectories read, by task id; `unknown` where none was found */
  readonly by_task: Counts;

  /** rows per table */
  readonly rows: Counts;
  readonly splits: Counts;
  /** sft rows by strategy for templates that are not prefix-preserving */
  readonly strategies: Counts;
  /** tokens of the sft rows */
  readonly tokens: number;
  readonly trained_tokens: number;
  readonly straddled_tokens: number;
  /** replies that are not trained since another log of the corpus holds them */
  readonly repeated_replies: number;
  /** turns and tokens after the anchors, removed by selection */
  readonly turns_cut: number;
  readonly tokens_cut: number;
  /** turns and tokens before the anchors that lie off their path in a search tree, removed by selection */
  readonly turns_off_path: number;
  readonly tokens_off_path: number;
  /** sft rows whose ids differ from the template's own rendering, by reason */
  readonly ids_differ_because: Counts;
  /** sft rows that were too long, by what became of them; windows under `windows_context_cut` and `windows_dropped` */
  readonly over_long: Counts;
  /** mask proofs that held over all rows, by proof */
  readonly proofs: Counts;

  /** lists and texts that the corpus was decontaminated against; empty where the pipeline names none */
  readonly decontamination: readonly string[];

  readonly windows_by_outcome: Counts;
  /** windows by reward as a decimal string ("-0.6", "1.2"); null rewards are absent */
  readonly reward_histogram: Counts;
  readonly windows_by_trend: Counts;

  readonly flags: Counts;
  readonly secrets_by_kind: Counts;

  readonly plan_id: string;
  /** as the user named it */
  readonly out_dir: string;
  readonly files: readonly SummaryFile[];
  /** wall seconds of this invocation; null where not measured. Never written into hashed files. */
  readonly seconds: number | null;
}
