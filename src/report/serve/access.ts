import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What a request must know to be answered. */
export interface Access {
  readonly port: number;
  /** in the address that is printed, for the first request */
  readonly token: string;
  /** in the cookie afterwards */
  readonly session: string;
}

export type Verdict =
  | { readonly kind: 'allowed' }
  /** the first request: it gets the cookie, and the address without the token */
  | { readonly kind: 'enter' }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string };

export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

const refused = (status: number, message: string): Verdict => ({ kind: 'refused', status, message });

/** Takes as long for a wrong secret as for the right one, whatever their lengths. */
export function isSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

/** Cookies of one host are shared by its ports: the name keeps two servers apart. */
export const cookieName = (port: number): string => `trajmill_${port}`;

function cookieOf(header: string, name: string): string {
  for (const part of header.split(';')) {
    const [key = '', ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return '';
}

/** Path and token of a request target; null for one that is no plain path. */
export function targetOf(url: string): { path: string; token: string } | null {
  // browsers take a backslash for a slash, and two slashes for another host
  if (!url.startsWith('/') || url.startsWith('//') || url.includes('\\')) return null;
  const [path = '/', ...query] = url.split('?');
  return { path, token: new URLSearchParams(query.join('?')).get('token') ?? '' };
}

/**
 * Whether a request is answered. The Host must be this very address, so that no name that another page controls leads
 * here; a POST must come from a page of this server; all but the first request must bring the cookie.
 */
export function judge(
  access: Access,
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>,
): Verdict {
  const { method = '', url = '', headers, rawHeaders } = request;
  const host = `127.0.0.1:${access.port}`;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length !== 1 || headers.host !== host) return refused(403, 'this address is not served');
  if (!METHODS.includes(method)) return refused(405, 'only GET, HEAD and POST are answered');
  const target = targetOf(url);
  if (target === null) return refused(400, 'expected a path');
  if (method === 'POST') {
    const site = headers['sec-fetch-site'];
    const isOurs = headers.origin === `http://${host}` && (site === undefined || site === 'same-origin');
    if (!isOurs) return refused(403, 'only pages of this server may ask');
  }
  const given = cookieOf(headers.cookie ?? '', cookieName(access.port));
  if (isSecret(given, access.session)) return { kind: target.token === '' ? 'allowed' : 'enter' };
  if (method !== 'POST' && isSecret(target.token, access.token)) return { kind: 'enter' };
  return refused(401, 'open the address that trajmill ui printed');
}
