import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { runCli } from '../../src/cli/app.js';
import type { CliStream } from '../../src/cli/context.js';

export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly terminal?: boolean;
  readonly signal?: AbortSignal;
  /** what standard input holds */
  readonly stdin?: string | Buffer;
}

/** A stream that remembers; a terminal of 80 columns with colours where asked. */
export function memoryStream(terminal = false): CliStream & { text(): string } {
  const chunks: string[] = [];
  return {
    write: (text) => chunks.push(text),
    isTTY: terminal,
    columns: 80,
    getColorDepth: () => (terminal ? 8 : 1),
    text: () => chunks.join(''),
  };
}

/** Runs a command line in this process and gives what it printed. */
export async function cli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { cwd = process.cwd(), env = {}, terminal = false } = options;
  const signal = options.signal ?? new AbortController().signal;
  const stdout = memoryStream(terminal);
  const stderr = memoryStream(terminal);
  const stdin = Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]);
  const code = await runCli(argv, { process: { stdin, stdout, stderr, env }, cwd, signal });
  return { code, out: stdout.text(), err: stderr.text() };
}

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trajmill-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
