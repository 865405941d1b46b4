import { createHash } from 'node:crypto';
import { type LogFile, readUpTo, statLog } from '../logs/bytes.js';
import { decodeText, parseJson, type TextFlag } from '../logs/json.js';
import { parseJsonSequence } from '../logs/json-sequence.js';
import type { ReadLimits } from '../logs/limits.js';
import { RejectError } from '../logs/reject.js';
import { type TableKind, tableKind } from '../logs/table-rows.js';
import { isTar } from '../logs/tar.js';
import { openZip } from '../logs/zip.js';
import type { Siblings, Sniff } from './adapter.js';
import { binaryKind } from './binary-kinds.js';
import { mostParse, STRAY_LINES, sampleLines, strayRecords } from './sample-lines.js';

const HEAD_CHARS = 64 * 1024;

/** How many of the first records detection sees. */
export const MAX_LINES = 32;

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
  /** records in lines of their own among other text, which count where no adapter takes the file as it stands */
  readonly stray: readonly unknown[];
  /** why a file that begins like JSON is not, where no adapter takes it otherwise */
  readonly fault: RejectError | null;
}

/**
 * Looks at a file: JSON lines are told by a first line that parses alone, or by most of the first ones, a document by
 * the whole. Where neither holds, records among other text are looked for further down.
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

  const common = { file, path, siblings, head: start.bytes };
  const first = await sampleLines(start.bytes, { whole: start.whole, max: MAX_LINES });
  if (first.total === 0 && start.whole)
    throw new RejectError('empty_file', 'the file holds blank lines only');
  const isAlone = first.total === 1 && start.whole;
  if ((first.leads && !isAlone) || mostParse(first)) return sniffed({ ...common, lines: first.records });

  const looksLikeJson = /^\uFEFF?\s*(?:\{|\[\s*(?:[[{"\]]|$))/.test(headText(start.bytes));
  if (looksLikeJson) return sniffDocument({ file, path, siblings, limits, start });

  const more = start.whole ? start : await readMore(file, limits);
  const lines = await sampleLines(more.bytes, { whole: more.whole, max: MAX_LINES });
  if (mostParse(lines)) return sniffed({ ...common, lines: lines.records });
  if (start.bytes.subarray(0, HEAD_CHARS).includes(0)) {
    throw new RejectError('binary_file', 'the head holds NUL bytes');
  }
  return { ...sniffed({ ...common, lines: [] }), stray: await strayRecords(more.bytes, more) };
}

/** Enough lines to find records that do not stand at the front. */
function readMore(file: LogFile, limits: ReadLimits): Promise<{ bytes: Buffer; whole: boolean }> {
  let newlines = 0;
  return readUpTo(file, {
    maxBytes: limits.head_bytes,
    unpacked_bytes: limits.unpacked_bytes,
    until: (chunk) => {
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) newlines++;
      return newlines >= STRAY_LINES;
    },
  });
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
    stray: [],
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
    const fault = new RejectError(
      'too_large',
      `a single document above the limit of ${document_bytes} bytes`,
    );
    const stray = await strayRecords(content.bytes, { whole: false });
    if (stray.length === 0) throw fault;
    return { ...sniffed({ ...common, lines: [] }), stray, fault };
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
    const { text, flags } = decodeText(content.bytes);
    const sequence = parseJsonSequence(text, { maxDepth: limits.depth });
    if (sequence !== null) {
      return {
        ...sniffed({ ...common, json: sequence.value, lines: [] }),
        whole,
        flags: [...flags, ...sequence.flags],
      };
    }
    const stray = error.code === 'too_deep' ? [] : await strayRecords(content.bytes, { whole: true });
    return { ...sniffed({ ...common, lines: [] }), whole, stray, fault: error };
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
    stray: [],
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
