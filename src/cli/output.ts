import type { RunSummary } from '../pipeline/run-summary.js';
import { formatSummary } from '../report/summary.js';
import { jsonText, messageText } from '../report/terminal-text.js';
import type { CliContext } from './context.js';
import { hasColor } from './style.js';

export function printJson(context: CliContext, value: unknown): void {
  context.process.stdout.write(`${jsonText(value)}\n`);
}

/** A note for people: on stderr, so that stdout holds results only. It may quote a log. */
export function note(context: CliContext, text: string): void {
  context.process.stderr.write(`${messageText(text)}\n`);
}

/** The end of a run: text on stdout; with --json the JSON there and the text on stderr. */
export function printSummary(context: CliContext, summary: RunSummary, json: boolean): void {
  const { stdout, stderr, env } = context.process;
  const stream = json ? stderr : stdout;
  stream.write(formatSummary(summary, { color: hasColor(stream, env) }));
  if (json) printJson(context, summary);
}
