import type { EncoderShare } from '../tokens/share-encoder.js';

/** What the main thread asks of a worker: paths and numbers only, never log text. */
export type TaskMessage =
  | {
      readonly pass: 'survey';
      readonly task: number;
      /** build the task at once, on the presumption that no other task has a say in it */
      readonly presume: boolean;
    }
  | { readonly pass: 'build'; readonly task: number };

/** What a worker thread is started with. */
export interface WorkerSetup {
  readonly dir: string;
  /** the tokenizer, whose tables all workers share */
  readonly encoder: EncoderShare;
}

/** What workers report while they go: differences since the last report. */
export interface WorkerProgress {
  readonly bytes: number;
  readonly trajectories: number;
  readonly rejected: number;
  readonly tokens: number;
}

/** State of a run, for people and for logs. Bytes are raw input that was built. */
export interface Progress {
  readonly pass: 'survey' | 'build';
  readonly tasksDone: number;
  readonly tasksTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly trajectories: number;
  readonly rejected: number;
  readonly tokens: number;
  /** milliseconds since the epoch */
  readonly startedAt: number;
}
