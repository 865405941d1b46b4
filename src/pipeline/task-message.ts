import type { EncoderShare } from '../tokens/share-encoder.js';

/** What the main thread asks of a worker: paths and numbers only, never log text. */
export interface TaskMessage {
  readonly pass: 'survey' | 'build';
  readonly task: number;
}

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

/** State of a run, for people and for logs. Bytes are raw input of the build pass. */
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
