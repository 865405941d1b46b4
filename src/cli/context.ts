import type { Readable } from 'node:stream';
import type { CommandContext } from '@stricli/core';

/** What the command line needs of a stream; a test gives one that remembers. */
export interface CliStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  getColorDepth?(env?: Readonly<Partial<Record<string, string>>>): number;
}

export interface CliProcess {
  /** default: that of the process */
  readonly stdin?: Readable;
  readonly stdout: CliStream;
  readonly stderr: CliStream;
  readonly env: Readonly<Partial<Record<string, string>>>;
}

/** Everything that a command may touch of the world outside of files: tests inject it. */
export interface CliContext extends CommandContext {
  readonly process: CliProcess;
  /** relative paths of arguments start here */
  readonly cwd: string;
  /** aborted by the first interrupt */
  readonly signal: AbortSignal;
}
