/** Exit codes of the command line; a scheduler may rely on them. */
export const EXIT = {
  ok: 0,
  /** Unexpected fault: a bug or a broken machine; a retry may help. */
  unexpected: 1,
  /** Usage, configuration or plan mismatch: a retry cannot help. */
  usage: 2,
  /** More data was rejected than the pipeline allows. */
  data: 65,
  /** Reading or writing failed. */
  io: 74,
  /** Interrupted: run again with --resume. */
  interrupted: 75,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Codes of faults that end a run; faults of single records are rejects (see logs/reject.ts). */
export const ERROR_EXIT = {
  E_USAGE: EXIT.usage,
  E_CONFIG: EXIT.usage,
  E_PLAN_MISMATCH: EXIT.usage,
  E_NO_INPUT: EXIT.usage,
  E_TEMPLATE: EXIT.usage,
  E_TOKENIZER: EXIT.usage,
  E_TASK_FILE: EXIT.usage,
  E_UNCOMMITTED: EXIT.usage,
  E_VERIFY: EXIT.data,
  E_REJECT_LIMIT: EXIT.data,
  E_IO: EXIT.io,
  E_INPUT_CHANGED: EXIT.io,
  E_INTERRUPTED: EXIT.interrupted,
  E_INTERNAL: EXIT.unexpected,
} as const satisfies Record<string, ExitCode>;

export type ErrorCode = keyof typeof ERROR_EXIT;

/**
 * A fault of the user's configuration or of the machine. The message is one line that names the place
 * (path:line or path@byte), both values where two disagree, and what to do.
 */
export class TrajmillError extends Error {
  readonly code: ErrorCode;
  readonly place: string | null;

  constructor(code: ErrorCode, message: string, options: { place?: string; cause?: unknown } = {}) {
    super(options.place === undefined ? message : `${options.place}: ${message}`, { cause: options.cause });
    this.name = 'TrajmillError';
    this.code = code;
    this.place = options.place ?? null;
  }

  get exitCode(): ExitCode {
    return ERROR_EXIT[this.code];
  }
}
