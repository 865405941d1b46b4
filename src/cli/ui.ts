import { buildCommand } from '@stricli/core';
import type { CliContext } from './context.js';
import { describeCommand, parsePositive } from './flags.js';
import { note } from './output.js';
import { parseMemory } from './query-flags.js';

interface UiFlags {
  readonly port: number;
  readonly timeout: number;
  readonly memory: number;
  readonly threads: number;
}

function parsePort(input: string): number {
  const port = Number(input);
  if (input.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error('expected a port, or 0 for a free one');
  }
  return port;
}

/** Report, viewer and query page of a corpus, for the browser of this machine. */
export const uiCommand = buildCommand<UiFlags, [string], CliContext>({
  docs: {
    brief: 'Serve report, viewer and a query page to the browser of this machine',
    fullDescription: describeCommand(
      'Takes a run folder or its corpus folder, serves it on the loopback and prints the address, with a token:\n' +
        'only who knows it is answered, and no other host can ask. Nothing is written. Ctrl-C ends it.',
      ['trajmill ui out/demo', 'trajmill ui out/demo --port 8080'],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Run folder or corpus folder', parse: String, placeholder: 'DIR' }],
    },
    flags: {
      port: {
        kind: 'parsed',
        parse: parsePort,
        brief: 'Port; 0 takes a free one',
        placeholder: 'N',
        default: '0',
      },
      timeout: {
        kind: 'parsed',
        parse: parsePositive,
        brief: 'Seconds until a query is stopped',
        placeholder: 'N',
        default: '30',
      },
      memory: {
        kind: 'parsed',
        parse: parseMemory,
        brief: 'Memory that each query may take, in MB or GB',
        placeholder: 'SIZE',
        default: '2GB',
      },
      threads: {
        kind: 'parsed',
        parse: parsePositive,
        brief: 'Threads of each query',
        placeholder: 'N',
        default: '2',
      },
    },
  },
  async func({ port, timeout: seconds, memory, threads }, dir) {
    const [{ openCorpus }, { queryCorpusOf }, { serveCorpus }, { corpusPages }] = await Promise.all([
      import('./corpus-folder.js'),
      import('./query-source.js'),
      import('../report/serve/server.js'),
      import('./ui-pages.js'),
    ]);
    const corpus = await openCorpus(this, dir);
    const server = await serveCorpus({
      pages: corpusPages(corpus),
      source: queryCorpusOf(corpus),
      limits: { seconds, memory, threads, rows: 1000 },
      port,
    });
    this.process.stdout.write(`${server.url}\n`);
    note(this, `serving ${corpus.corpus} until Ctrl-C`);
    if (!this.signal.aborted) {
      await new Promise((resolve) => this.signal.addEventListener('abort', resolve, { once: true }));
    }
    await server.close();
  },
});
