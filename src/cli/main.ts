#!/usr/bin/env node
import { EXIT } from '../errors.js';
import { runCli } from './app.js';

const abort = new AbortController();

// The first signal ends the work in order, so that --resume finds everything finished; the second ends at once.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGUSR1'] as const) {
  process.on(signal, () => {
    if (abort.signal.aborted) process.exit(EXIT.interrupted);
    abort.abort();
    process.stderr.write(`\n${signal}: ending in order; again to end at once\n`);
  });
}

// A reader of results that has seen enough (`| head`) is no fault; without a reader of notes the work goes on.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  process,
  cwd: process.cwd(),
  signal: abort.signal,
});
