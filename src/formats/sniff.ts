import { createHash } from 'node:crypto';
import { type LogFile, readUpTo, statLog } from '../logs/bytes.js';
import { decodeText, parseJson, type TextFlag } from '../logs/json.js';
import type { ReadLimits } from '../logs/limits.js';
import { splitLines } from '../logs/lines.js';
import { RejectError } from '../logs/reject.js';
import { type TableKind, tableKind } from '../logs/table-rows.js';
import { isTar } from '../logs/tar.js';
import { openZip } from '../logs/zip.js';
import type { Siblings, Sniff } from './adapter.js';
import { binaryKind } from './binary-kinds.js';

const HEAD_CHARS = 64 * 1024;
const MAX_LINES = 32;

/** The whole content of a file that was read as one piece. */
export interface WholeFile {
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** What the first look at a file yields. */
export interface SniffedFile {
  readonly file: LogFile;
  readonly sniff: Sniff;
  /** set where the whole file was read already */
  readonly whole: WholeFile | null;
  /** flags of the parsed document */
  readonly flags: readonly TextFlag[];
  /** set where the file is an archive of files */
  readonly archive: 'tar' | 'zip' | null;
  /** set where the file is columnar */
  readonly table: TableKind | null;
  /** why a file that begins like JSON is not, where no adapter takes it otherwise */
  readonly fault: RejectError | null;
}

/**
 * Looks at a file: JSON lines are told by a first line that parses alone, a document by the whole. Lines after a
 * broken first one are believed when most of the first ones parse.
 *
 * @throws RejectError for files that no format can be in (empty, binary, LFS pointer, too large, damaged gzip)
 */
export async function sniffFile(request: {
  absolute: string;
  path: string;
  siblings: Siblings;
  limits: ReadLimits;
}): Promise<SniffedFile> {
  const { absolute, path, siblings, limits } = request;
  const file = await statLog(absolute);
  const start = await readUpTo(file, {
    maxBytes: limits.head_bytes,
    unpacked_bytes: limits.unpacked_bytes,
    until: (chunk) => chunk.includes(10),
  });
  if (start.bytes.length === 0) throw new RejectError('empty_file', 'the file has no bytes');
  if (isZip(start.bytes)) return sniffArchive({ file, path, siblings, limits });
  if (isTar(start.bytes)) {
    return { ...sniffed({ file, path, siblings, head: Buffer.alloc(0), lines: [] }), archive: 'tar' };
  }
  const table = file.compression === null ? tableKind(start.bytes) : null;
  if (table !== null)
    return { ...sniffed({ file, path, siblings, head: Buffer.alloc(0), lines: [] }), table };
  refuseByFirstBytes(start.bytes);

  const first = await sampleLines(start.bytes, { whole: start.whole, max: 2 });
  if (first.total === 0 && start.whole)
    throw new RejectError('empty_file', 'the file holds blank lines only');
  const firstRecord = first.records[0];
  if (firstRecord !== undefined && first.failed === 0 && (first.total > 1 || !start.whole)) {
    const lines = await sampleLines(start.bytes, { whole: start.whole, max: MAX_LINES });
    return sniffed({ file, path, siblings, head: start.bytes, lines: lines.records });
  }

  const looksLikeJson = /^\uFEFF?\s*(?:\{|\[\s*(?:[[{"\]]|$))/.test(headText(start.bytes));
  if (!looksLikeJson) {
    const lines = await sampleLines(start.bytes, { whole: start.whole, max: MAX_LINES });
    if (mostParse(lines)) return sniffed({ file, path, siblings, head: start.bytes, lines: lines.records });
    if (start.bytes.subarray(0, HEAD_CHARS).includes(0)) {
      throw new RejectError('binary_file', 'the head holds NUL bytes');
    }
    return sniffed({ file, path, siblings, head: start.bytes, lines: [] });
  }
  return sniffDocument({ file, path, siblings, limits, start });
}

/** A zip archive is read whole, since its directory stands at its end. */
async function sniffArchive(request: {
  file: LogFile;
  path: string;
  siblings: Siblings;
  limits: ReadLimits;
}): Promise<SniffedFile> {
  const { file, path, siblings, limits } = request;
  const { document_bytes, unpacked_bytes } = limits;
  const content = await readUpTo(file, { maxBytes: document_bytes, unpacked_bytes });
  if (!content.whole)
    throw new RejectError('too_large', `an archive above the limit of ${document_bytes} bytes`);
  const archive = openZip(content.bytes, { unpacked_bytes: document_bytes });
  const sha256 = createHash('sha256').update(content.bytes).digest('hex');
  return {
    file,
    sniff: { path, head: '', json: undefined, lines: [], siblings, members: archive.names },
    whole: { bytes: content.bytes, sha256 },
    flags: [],
    archive: 'zip',
    table: null,
    fault: null,
  };
}

async function sniffDocument(request: {
  file: LogFile;
  path: string;
  siblings: Siblings;
  limits: ReadLimits;
  start: { bytes: Buffer; whole: boolean };
}): Promise<SniffedFile> {
  const { file, path, siblings, limits, start } = request;
  const { document_bytes, unpacked_bytes } = limits;
  const content = start.whole ? start : await readUpTo(file, { maxBytes: document_bytes, unpacked_bytes });
  const common = { file, path, siblings, head: start.bytes };
  if (!content.whole || content.bytes.length > document_bytes) {
    const lines = await sampleLines(content.bytes, { whole: false, max: MAX_LINES });
    if (mostParse(lines)) return sniffed({ ...common, lines: lines.records });
    throw new RejectError('too_large', `a single document above the limit of ${document_bytes} bytes`);
  }
  const whole = {
    bytes: content.bytes,
    sha256: createHash('sha256').update(content.bytes).digest('hex'),
  };
  try {
    const document = parseJson(content.bytes, { maxDepth: limits.depth });
    // A one-line file is JSON and JSON lines at once; what it is, its keys tell.
    const { records, total } = await sampleLines(content.bytes, { whole: true, max: 2 });
    const lines = total === 1 ? records : [];
    return { ...sniffed({ ...common, json: document.value, lines }), whole, flags: document.flags };
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    const lines = await sampleLines(content.bytes, { whole: true, max: MAX_LINES });
    if (error.code !== 'too_deep' && mostParse(lines)) return sniffed({ ...common, lines: lines.records });
    return { ...sniffed({ ...common, lines: [] }), whole, fault: error };
  }
}

function sniffed(parts: {
  file: LogFile;
  path: string;
  siblings: Siblings;
  head: Buffer;
  json?: unknown;
  lines: readonly unknown[];
}): SniffedFile {
  const { file, path, siblings, head, json, lines } = parts;
  return {
    file,
    sniff: { path, head: headText(head), json, lines, siblings },
    whole: null,
    flags: [],
    archive: null,
    table: null,
    fault: null,
  };
}

/** Text of the head; a character cut at its end does not matter to detection. */
function headText(bytes: Buffer): string {
  return decodeText(bytes.subarray(0, HEAD_CHARS)).text;
}

function isZip(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04', 'latin1'));
}

function refuseByFirstBytes(bytes: Buffer): void {
  const kind = binaryKind(bytes);
  if (kind !== null) throw new RejectError('binary_file', `looks like ${kind}`);
  if (bytes.subarray(0, 64).toString('latin1').startsWith('version https://git-lfs')) {
    throw new RejectError(
      'lfs_pointer',
      'a Git LFS pointer stands in place of the file: fetch it with git lfs',
    );
  }
}

interface Sample {
  /** parsed objects and arrays */
  readonly records: unknown[];
  readonly failed: number;
  readonly total: number;
  /** the first line is a record of its own */
  readonly leads: boolean;
}

/** The first lines of a head, parsed; a line that the head cuts off is left out. */
async function sampleLines(bytes: Buffer, options: { whole: boolean; max: number }): Promise<Sample> {
  const records: unknown[] = [];
  let failed = 0;
  let total = 0;
  let leads = false;
  for await (const line of splitLines([bytes], { maxLineBytes: bytes.length })) {
    if (total === options.max) break;
    if (line.bytes === null || (!line.terminated && !options.whole)) break;
    total++;
    try {
      const { value } = parseJson(line.bytes);
      if (typeof value === 'object' && value !== null) {
        records.push(value);
        leads ||= total === 1;
      } else failed++;
    } catch {
      failed++;
    }
  }
  return { records, failed, total, leads };
}

function mostParse(sample: Sample): boolean {
  // Of two lines the second may be torn.
  const enough = sample.leads
    ? sample.records.length >= sample.failed
    : sample.records.length > sample.failed;
  return enough && sample.total > 1;
}
