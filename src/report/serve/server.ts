import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TrajmillError } from '../../errors.js';
import type { QueryCorpus } from '../query/query-corpus.js';
import type { QueryLimits } from '../query/query-job.js';
import { queryPage } from '../query/query-page.js';
import { type Access, cookieName, judge, METHODS, targetOf } from './access.js';
import { RequestFault, readQuestion } from './body.js';
import type { Pages } from './pages.js';
import { QueryService } from './query-service.js';
import { htmlReply, jsonReply, type Reply, send, textReply } from './reply.js';

export interface ServeOptions {
  readonly pages: Pages;
  readonly source: QueryCorpus;
  readonly limits: QueryLimits;
  /** 0 takes a free one */
  readonly port: number;
}

/** A server that runs. */
export interface RunningServer {
  readonly port: number;
  /** with the token */
  readonly url: string;
  /** Takes no more requests, stops queries that run, and ends when all connections are closed. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 64;
/** Longest id of a trajectory in an address. */
const ID_LENGTH = 500;
/** What answers may take after the end was asked for. */
const END_MILLISECONDS = 1000;

/**
 * Serves report, viewer and query page of one corpus on 127.0.0.1. Only requests with the token or its cookie, sent to
 * this very address, are answered; nothing is written, and no path of a request names a file.
 */
export async function serveCorpus({ pages, source, limits, port }: ServeOptions): Promise<RunningServer> {
  const ending = new AbortController();
  const queries = new QueryService(source, limits);
  const access: Access[] = [];
  const server = createServer(
    { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 },
    (request, response) => {
      const [known] = access;
      if (known === undefined) response.destroy();
      else void handle({ request, response, pages, queries, access: known, limits, ending: ending.signal });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  const bound = await listen(server, port);
  const token = randomBytes(32).toString('base64url');
  access.push({ port: bound, token, session: randomBytes(32).toString('base64url') });
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}/?token=${token}`,
    close: () => {
      ending.abort();
      queries.close();
      return closed(server);
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = `port ${port} is in use: choose another --port, or 0 for a free one`;
      reject(cause.code === 'EADDRINUSE' ? new TrajmillError('E_IO', taken, { cause }) : cause);
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.removeAllListeners('error');
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closed(server: Server): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), END_MILLISECONDS);
  return new Promise((resolve) => {
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly pages: Pages;
  readonly queries: QueryService;
  readonly access: Access;
  readonly limits: QueryLimits;
  readonly ending: AbortSignal;
}

async function handle(exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  try {
    const reply = await replyTo(exchange);
    if (reply !== null) send(response, reply);
  } catch (error) {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const status = error instanceof RequestFault ? error.status : 500;
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'unexpected fault';
    // what was not read of a body is not read any more
    if (!request.complete) response.setHeader('Connection', 'close');
    send(
      response,
      request.method === 'POST' ? jsonReply(status, { error: message }) : textReply(status, message),
    );
  }
}

/** null where the answer has been sent already. */
async function replyTo(exchange: Exchange): Promise<Reply | null> {
  const { request, response, access, queries, ending } = exchange;
  const verdict = judge(access, request);
  if (verdict.kind === 'refused') {
    if (!request.complete) response.setHeader('Connection', 'close');
    return textReply(
      verdict.status,
      verdict.message,
      verdict.status === 405 ? { Allow: METHODS.join(', ') } : {},
    );
  }
  const path = targetOf(request.url ?? '')?.path ?? '/';
  if (verdict.kind === 'enter') {
    const cookie = `${cookieName(access.port)}=${access.session}; HttpOnly; SameSite=Strict; Path=/`;
    return textReply(303, 'see the address without the token', { Location: path, 'Set-Cookie': cookie });
  }
  if (request.method !== 'POST') return pageReply(exchange, path);
  if (path !== '/api/query') throw new RequestFault(404, 'nothing takes a POST there');
  await queries.answer(await readQuestion(request), response, ending);
  return null;
}

async function pageReply({ pages, limits }: Exchange, path: string): Promise<Reply> {
  if (path === '/') return htmlReply(await pages.report());
  if (path === '/query') return htmlReply(queryPage({ limits }));
  // browsers ask for it by themselves
  if (path === '/favicon.ico') return { status: 204, type: 'image/x-icon', body: '' };
  const id = viewId(path);
  if (id === null) return textReply(404, 'there is no such page');
  const html = await pages.view(id);
  return html === null ? textReply(404, 'no trajectory of this corpus has that id') : htmlReply(html);
}

/** The id in /view/<id>; null for every other path. It is compared with ids, never used as a path. */
function viewId(path: string): string | null {
  if (!path.startsWith('/view/')) return null;
  try {
    const id = decodeURIComponent(path.slice('/view/'.length));
    return id === '' || id.length > ID_LENGTH || /\p{Cc}/u.test(id) ? null : id;
  } catch {
    return null;
  }
}
