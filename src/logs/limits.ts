/** Bounds that keep one hostile or broken file from taking the machine; every one is an option of the pipeline. */
export interface ReadLimits {
  /** bytes of a file that is read as one document, after decompression */
  readonly document_bytes: number;
  /** bytes of one line; longer lines are rejected without being decoded */
  readonly line_bytes: number;
  /** nesting of one JSON value */
  readonly depth: number;
  /** bytes that one compressed file may unfold to */
  readonly unpacked_bytes: number;
  /** members of one archive */
  readonly archive_members: number;
  /** bytes of a row group of Parquet, unpacked */
  readonly row_group_bytes: number;
  /** bytes of a companion file */
  readonly sidecar_bytes: number;
  /** bytes of the head in which the first line must end for a file to be JSON lines */
  readonly head_bytes: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: ReadLimits = {
  document_bytes: 256 * MIB,
  line_bytes: 200 * MIB,
  depth: 1000,
  unpacked_bytes: 4096 * MIB,
  archive_members: 100_000,
  row_group_bytes: 1024 * MIB,
  sidecar_bytes: 64 * MIB,
  head_bytes: 16 * MIB,
};
