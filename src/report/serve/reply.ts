import type { ServerResponse } from 'node:http';

/** Headers of every answer: nothing is stored, guessed, framed or told to others. */
const ALWAYS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'";
const IN_PAGE =
  /^<!doctype html>\n<html lang="[^"]*">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="([^"]*)">/;

/** The policy that a page carries, to be said as a header too: only there can framing be forbidden. */
export function policyOf(html: string): string {
  const carried = IN_PAGE.exec(html)?.[1] ?? NOTHING;
  const policy = carried.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  return `${policy}; frame-ancestors 'none'`;
}

export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Status and headers of an answer whose body follows. */
export function writeHead(response: ServerResponse, { status, type, headers }: Omit<Reply, 'body'>): void {
  response.writeHead(status, {
    ...ALWAYS,
    'Content-Security-Policy': `${NOTHING}; frame-ancestors 'none'`,
    'Content-Type': type,
    ...headers,
  });
}

export function send(response: ServerResponse, reply: Reply): void {
  const length = String(Buffer.byteLength(reply.body));
  writeHead(response, { ...reply, headers: { 'Content-Length': length, ...reply.headers } });
  response.end(reply.body);
}

export const htmlReply = (html: string): Reply => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body: html,
  headers: { 'Content-Security-Policy': policyOf(html) },
});

export const textReply = (status: number, message: string, headers: Record<string, string> = {}): Reply => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: `${message}\n`,
  headers,
});

export const jsonReply = (status: number, value: unknown): Reply => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});
