#!/usr/bin/env node
import { EXIT } from '../errors.js';
import { endsInOrder, runCli } from './app.js';

const argv = process.argv.slice(2);
const abort = new AbortController();

// The first signal ends the work in order, so that --resume finds everything finished; the second ends at once, and so
// does the first where there is nothing to put in order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGUSR1'] as const) {
  process.on(signal, () => {
    if (abort.signal.aborted) process.exit(EXIT.interrupted);
    if (!endsInOrder(argv)) {
      process.stderr.write(`\ntrajmill: interrupted by ${signal}\n`);
      process.exit(EXIT.interrupted);
    }
    abort.abort();
    process.stderr.write(`\n${signal}: ending in order; again to end at once\n`);
  });
}

// A reader of results that has seen enough (`| head`) is no fault; where results cannot be written,
// as on a full disk, the command failed. Notes that nobody can read stop nothing.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  process.stderr.write(`trajmill: standard output cannot be written: ${error.message}\n`);
  process.exit(EXIT.io);
});
process.stderr.on('error', () => undefined);

process.exitCode = await runCli(argv, {
  process,
  cwd: process.cwd(),
  signal: abort.signal,
});
