import { RejectError } from './reject.js';

/** One thing in a tar archive that holds bytes. */
export interface TarMember {
  /** as the archive has it, extended names resolved */
  readonly name: string;
  readonly size: number;
  /** must be read to its end before the next member is asked for */
  readonly content: AsyncGenerator<Buffer>;
}

const BLOCK = 512;
/** Headers that only describe the next member must fit into memory. */
const MAX_META_BYTES = 1024 * 1024;

/** Whether bytes begin with a tar header: the mark of the format and a right sum. */
export function isTar(head: Buffer): boolean {
  return (
    head.length >= BLOCK && head.toString('latin1', 257, 262) === 'ustar' && headerSum(head) === readSum(head)
  );
}

/**
 * Regular files of a tar archive in order; folders, links and devices hold no bytes and are passed over. Long names
 * of the POSIX (pax) and GNU kind are understood.
 *
 * @throws RejectError `bad_archive` for damaged or cut archives
 */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarMember> {
  const source = new ByteSource(chunks);
  let extended: Map<string, string> = new Map();
  for (;;) {
    const header = await source.take(BLOCK);
    if (header === null) return;
    if (header.length < BLOCK) throw cut();
    // Zero blocks end the archive; what follows them is padding.
    if (header.every((byte) => byte === 0)) return;
    if (headerSum(header) !== readSum(header))
      throw new RejectError('bad_archive', 'tar: a header with a wrong sum');
    const type = String.fromCharCode(header[156] ?? 0);
    const size = readSize(header, extended.get('size'));
    if (META_TYPES.has(type)) {
      if (size > MAX_META_BYTES) throw new RejectError('bad_archive', 'tar: an extended header beyond 1 MiB');
      const body = await source.take(size);
      if (body === null || body.length < size) throw cut();
      await source.skip(padding(size));
      if (type === 'L') extended.set('path', text(body));
      else if (type === 'x') extended = new Map([...extended, ...paxFields(body)]);
      continue;
    }
    const name = extended.get('path') ?? ustarName(header);
    extended = new Map();
    if (type === '0' || type === '\0' || type === '7') {
      yield { name, size, content: source.stream(size) };
      await source.finishStream();
    } else await source.skip(size);
    await source.skip(padding(size));
  }
}

/** Headers about others: `x` and `g` of pax, `L` and `K` (long name, long link) of GNU. */
const META_TYPES: ReadonlySet<string> = new Set(['x', 'g', 'L', 'K']);

function cut(): RejectError {
  return new RejectError('bad_archive', 'tar: the archive is cut off');
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function text(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

function ustarName(header: Buffer): string {
  const name = text(header.subarray(0, 100));
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? text(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function headerSum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : (header[at] ?? 0);
  return sum;
}

function readSum(header: Buffer): number {
  return Number.parseInt(header.toString('latin1', 148, 156).trim(), 8);
}

/** Octal digits, or, for very large members, a binary number marked by its first bit. */
function readSize(header: Buffer, extended: string | undefined): number {
  const field = header.subarray(124, 136);
  let size: number;
  if (extended !== undefined) size = Number(extended);
  else if (((field[0] ?? 0) & 0x80) !== 0) size = Number(field.readBigUInt64BE(4));
  else size = Number.parseInt(field.toString('latin1').replace(/\0.*$/s, '').trim() || '0', 8);
  if (!Number.isSafeInteger(size) || size < 0)
    throw new RejectError('bad_archive', 'tar: a member of no valid size');
  return size;
}

/** Records `LENGTH KEY=VALUE\n`, the length in bytes of all of it. */
function paxFields(body: Buffer): Map<string, string> {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < body.length) {
    const space = body.indexOf(0x20, at);
    const length = space === -1 ? Number.NaN : Number.parseInt(body.toString('latin1', at, space), 10);
    if (!(length > 0) || at + length > body.length)
      throw new RejectError('bad_archive', 'tar: a damaged extended header');
    const record = body.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    if (equals > 0) fields.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return fields;
}

/** Bytes of a stream, taken by number. */
class ByteSource {
  private readonly iterator: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);
  private open: AsyncGenerator<Buffer> | null = null;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.iterator = chunks[Symbol.asyncIterator]();
  }

  /** Exactly `length` bytes, fewer where the stream ends, null at its end. */
  async take(length: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    let taken = 0;
    while (taken < length) {
      const piece = await this.next(length - taken);
      if (piece === null) break;
      pieces.push(piece);
      taken += piece.length;
    }
    return taken === 0 && length > 0 ? null : Buffer.concat(pieces, taken);
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      const piece = await this.next(left);
      if (piece === null) throw cut();
      left -= piece.length;
    }
  }

  stream(length: number): AsyncGenerator<Buffer> {
    this.open = this.bounded(length);
    return this.open;
  }

  /** Reads what the taker of a member left of it. */
  async finishStream(): Promise<void> {
    const open = this.open;
    this.open = null;
    if (open !== null) for await (const _ of open);
  }

  private async *bounded(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      const piece = await this.next(left);
      if (piece === null) throw cut();
      left -= piece.length;
      yield piece;
    }
  }

  private async next(most: number): Promise<Buffer | null> {
    while (this.held.length === 0) {
      const { value, done } = await this.iterator.next();
      if (done === true) return null;
      this.held = value;
    }
    const piece = this.held.subarray(0, most);
    this.held = this.held.subarray(piece.length);
    return piece;
  }
}
