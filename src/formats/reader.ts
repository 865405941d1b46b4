import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { TrajmillError } from '../errors.js';
import { type LogFile, readChunks, readUpTo } from '../logs/bytes.js';
import { decodeText } from '../logs/json.js';
import { DEFAULT_LIMITS, type ReadLimits } from '../logs/limits.js';
import { type Line, type LineRange, readLines, splitLines } from '../logs/lines.js';
import { RejectError } from '../logs/reject.js';
import type { TableKind } from '../logs/table-rows.js';
import { readTar, type TarMember } from '../logs/tar.js';
import { openZip } from '../logs/zip.js';
import type { ExperimentTable, FormatAdapter, Place } from './adapter.js';
import { readMembers } from './archive-members.js';
import type { ColumnMapping } from './column-mapping.js';
import { detect } from './detect.js';
import type { FirstLook, FirstLooks } from './first-looks.js';
import { foreignLines } from './foreign-lines.js';
import { type Chosen, judge } from './judge.js';
import { knownFormats } from './known-formats.js';
import { lineRecords, listedRecords, parseLine } from './line-records.js';
import { type ReadResult, type RecordReader, readRecord, rejectResult } from './record.js';
import { readSessions } from './session-log.js';
import { diskSiblings, listedSiblings, recordSiblings, type SiblingFolder } from './siblings.js';
import { type SniffedFile, sniffFile } from './sniff.js';
import { readTable, rowSniff } from './table-reader.js';

export type { ReadDetection, ReadResult } from './record.js';

export interface ReadRequest {
  /** absolute input root */
  readonly root: string;
  /** relative to the root, forward slashes */
  readonly path: string;
  /** a byte range at line borders of a splittable file; null for the whole */
  readonly range: LineRange | null;
  /** `auto` or the name of a format */
  readonly format: string;
  /** formats beside the registered and the built-in ones, asked before them */
  readonly formats?: readonly FormatAdapter[];
  /** names frozen in a plan, a folder, or null for the folder on disk */
  readonly siblings: readonly string[] | SiblingFolder | null;
  readonly limits?: Partial<ReadLimits>;
  /** by format: lists that take the place of the format's own */
  readonly experiments?: Readonly<Record<string, Partial<ExperimentTable>>>;
  /** regular expressions over shell commands that count as experiments */
  readonly experimentPatterns?: readonly RegExp[];
  /** which column of a Parquet or Arrow file means what */
  readonly columns?: ColumnMapping;
  /** for requests that read one range after another of the same files, otherwise alike */
  readonly looks?: FirstLooks;
  /** the file was a member of an archive: an archive in it is refused */
  readonly member?: boolean;
}

/** A request with its defaults filled in. */
interface Job {
  readonly request: ReadRequest;
  readonly absolute: string;
  readonly limits: ReadLimits;
  readonly folder: SiblingFolder;
  readonly formats: readonly FormatAdapter[];
  readonly only: FormatAdapter | null;
}

/**
 * Everything that one file, or one byte range of a splittable file, holds. A file that yields no trajectory yields
 * exactly one reject or one sidecar; of several ranges of such a file the first yields it.
 *
 * @throws TrajmillError E_CONFIG for an unknown format, E_IO when the file cannot be read
 */
export async function* readTrajectories(request: ReadRequest): AsyncGenerator<ReadResult> {
  const job = openJob(request);
  try {
    yield* readFile(job);
  } catch (error) {
    if (error instanceof TrajmillError) throw error;
    throw new TrajmillError('E_IO', error instanceof Error ? error.message : String(error), {
      place: request.path,
      cause: error,
    });
  }
}

function openJob(request: ReadRequest): Job {
  const { root, path, siblings } = request;
  const limits = { ...DEFAULT_LIMITS, ...request.limits };
  const formats = knownFormats(request.formats);
  const only = formats.find(({ name }) => name === request.format) ?? null;
  if (only === null && request.format !== 'auto') {
    throw new TrajmillError(
      'E_CONFIG',
      `unknown format ${request.format}: use auto or one of ${formats.map(({ name }) => name).join(', ')}`,
    );
  }
  let folder: SiblingFolder;
  if (siblings === null) folder = diskSiblings(root, path, limits);
  else if (isNameList(siblings)) folder = listedSiblings(root, path, siblings, limits);
  else folder = siblings;
  return { request, absolute: join(root, path), limits, folder, formats, only };
}

function isNameList(siblings: readonly string[] | SiblingFolder): siblings is readonly string[] {
  return Array.isArray(siblings);
}

async function* readFile(job: Job): AsyncGenerator<ReadResult> {
  const { request, absolute, limits, folder } = job;
  const looks = request.range === null ? null : (request.looks ?? null);
  const known = looks?.of(absolute) ?? null;
  if (known !== null) {
    yield* readRows(job, known, known.chosen);
    return;
  }
  let sniffed: SniffedFile;
  try {
    // Detection looks at siblings through a view of its own: what it reads is not yet a sidecar.
    const siblings = recordSiblings(folder, request.path);
    sniffed = await sniffFile({ absolute, path: request.path, siblings, limits });
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    if (isFirstRange(job)) yield rejectResult(error, { place: await wholePlace(job, null), stage: 'read' });
    return;
  }
  if (sniffed.table !== null) {
    if (isFirstRange(job)) yield* readColumns(job, sniffed.table);
    return;
  }
  const verdict = sniffed.archive === 'tar' ? null : judge(sniffed, job);
  if (sniffed.archive !== null && (verdict === null || verdict instanceof RejectError)) {
    yield* readArchived(job, sniffed);
    return;
  }
  if (verdict === null) return;
  if (verdict instanceof RejectError) {
    const stage = verdict === sniffed.fault ? 'read' : 'detect';
    if (isFirstRange(job)) yield rejectResult(verdict, { place: await wholePlace(job, sniffed), stage });
    return;
  }
  if (verdict.unit === 'line' && verdict.listed === true) {
    yield* readListedRows(job, sniffed, verdict);
    return;
  }
  if (verdict.unit === 'line') looks?.keep(absolute, { file: sniffed.file, chosen: verdict });
  yield* READ_BY_UNIT[verdict.unit](job, sniffed, verdict);
}

/** A columnar file: each row is judged and read for itself. */
function readColumns(job: Job, kind: TableKind): AsyncGenerator<ReadResult> {
  const { request, absolute, limits, folder } = job;
  const { path } = request;
  const siblings = recordSiblings(folder, path);
  return readTable({
    absolute,
    path,
    kind,
    columns: request.columns ?? {},
    limits,
    judge: (row) => detect(rowSniff(path, row, siblings), job),
    reader: (chosen) => recordReader(job, chosen),
  });
}

/** An archive that is no log itself: the files in it are read. */
async function* readArchived(job: Job, sniffed: SniffedFile): AsyncGenerator<ReadResult> {
  const place = (): Promise<Place> => wholePlace(job, sniffed);
  if (job.request.member === true) {
    const error = new RejectError('bad_archive', 'an archive inside an archive is not read');
    yield rejectResult(error, { place: await place(), stage: 'read' });
    return;
  }
  const { path } = job.request;
  const members = sniffed.archive === 'tar' ? tarMembers(job, sniffed) : zipMembers(job, sniffed);
  const read = (root: string, name: string): AsyncGenerator<ReadResult> =>
    readTrajectories({ ...job.request, root, path: name, range: null, siblings: null, member: true });
  if (isFirstRange(job)) yield* readMembers({ path, members, limits: job.limits, place, read });
}

function tarMembers(job: Job, sniffed: SniffedFile): AsyncGenerator<TarMember> {
  return readTar(readChunks(sniffed.file, job.limits));
}

async function* zipMembers(job: Job, sniffed: SniffedFile): AsyncGenerator<TarMember> {
  const archive = openZip(sniffed.whole?.bytes ?? Buffer.alloc(0), job.limits);
  for (const name of archive.names) {
    if (name.endsWith('/')) continue;
    const bytes = archive.readBytes(name) ?? Buffer.alloc(0);
    yield { name, size: bytes.length, content: once(bytes) };
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function isFirstRange(job: Job): boolean {
  return job.request.range === null || job.request.range.byte_start === 0;
}

/** The place of a whole file; its sum speaks of the unpacked content. */
async function wholePlace(job: Job, sniffed: SniffedFile | null): Promise<Place> {
  const { path } = job.request;
  const whole = sniffed?.whole ?? null;
  if (whole !== null) {
    return { path, line: null, byte_start: 0, byte_end: whole.bytes.length, sha256: whole.sha256 };
  }
  const file: LogFile = sniffed?.file ?? { path: job.absolute, bytes: 0, compression: null };
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of readChunks(file, job.limits)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
  }
  return { path, line: null, byte_start: 0, byte_end: bytes, sha256: hash.digest('hex') };
}

type LookedAt = Pick<FirstLook, 'file'>;

type UnitReader = (job: Job, sniffed: SniffedFile, chosen: Chosen) => AsyncGenerator<ReadResult>;

const READ_BY_UNIT: Readonly<Record<FormatAdapter['unit'], UnitReader>> = {
  document: readDocument,
  text: readText,
  lines: readSession,
  line: readRows,
  archive: readArchive,
};

async function* readDocument(job: Job, sniffed: SniffedFile, chosen: Chosen): AsyncGenerator<ReadResult> {
  const place = await wholePlace(job, sniffed);
  yield* readRecord(recordReader(job, chosen), {
    input: sniffed.sniff.json,
    place,
    flags: withCompression(sniffed, sniffed.flags),
  });
}

/** An archive of members: its flags are those of the members that the adapter reads. */
async function* readArchive(job: Job, sniffed: SniffedFile, chosen: Chosen): AsyncGenerator<ReadResult> {
  const place = await wholePlace(job, sniffed);
  const bytes = sniffed.whole?.bytes ?? Buffer.alloc(0);
  yield* readRecord(recordReader(job, chosen), {
    input: openZip(bytes, { unpacked_bytes: job.limits.document_bytes }),
    place,
    flags: withCompression(sniffed, []),
  });
}

async function* readText(job: Job, sniffed: SniffedFile, chosen: Chosen): AsyncGenerator<ReadResult> {
  const { document_bytes, unpacked_bytes } = job.limits;
  const place = await wholePlace(job, sniffed);
  const content = await readUpTo(sniffed.file, { maxBytes: document_bytes, unpacked_bytes });
  if (!content.whole) {
    const error = new RejectError('too_large', `a text above the limit of ${document_bytes} bytes`);
    yield rejectResult(error, { place, stage: 'read', format: chosen.adapter.name });
    return;
  }
  const { text, flags } = decodeText(content.bytes);
  yield* readRecord(recordReader(job, chosen), {
    input: text,
    place,
    flags: withCompression(sniffed, flags),
  });
}

/** A session log: all lines make one input. Lines that cannot be read leave a flag on what they belong to. */
async function* readSession(job: Job, sniffed: SniffedFile, chosen: Chosen): AsyncGenerator<ReadResult> {
  const place = await wholePlace(job, sniffed);
  const format = chosen.adapter.name;
  const { document_bytes } = job.limits;
  if (place.byte_end > document_bytes) {
    const error = new RejectError('too_large', `a session above the limit of ${document_bytes} bytes`);
    yield rejectResult(error, { place, stage: 'read', format });
    return;
  }
  const { json } = sniffed.sniff;
  const { records, numbers, flags } = Array.isArray(json)
    ? listedRecords(json, sniffed.flags)
    : await lineRecords(linesOf(job, sniffed, null), { limits: job.limits, lists: chosen.listed === true });
  let isRead = false;
  const log = { records, numbers, place, flags: withCompression(sniffed, flags) };
  for (const result of readSessions(recordReader(job, chosen), log)) {
    isRead ||= result.kind === 'trajectory';
    yield result;
  }
  // A file without a trajectory has been refused as a whole.
  if (!isRead || job.only !== null) return;
  const foreign = foreignLines(records, { own: chosen.adapter, formats: job.formats, sniff: sniffed.sniff });
  for (const { format: other, count, first } of foreign) {
    const line = numbers[first] ?? null;
    const error = new RejectError(
      'mixed_formats',
      `${count} lines from line ${line} on are ${other} in a ${format} log: give each log a file of its own`,
    );
    yield rejectResult(error, { place: { ...place, line }, stage: 'read', format: other });
  }
}

/** A JSON list of rows: each item is a record of its own and fails alone. */
async function* readListedRows(job: Job, sniffed: SniffedFile, chosen: Chosen): AsyncGenerator<ReadResult> {
  const reader = recordReader(job, chosen);
  const whole = await wholePlace(job, sniffed);
  const { json } = sniffed.sniff;
  const { records, numbers, flags } = listedRecords(Array.isArray(json) ? json : [], sniffed.flags);
  for (const [index, input] of records.entries()) {
    const place = { ...whole, line: numbers[index] ?? null };
    yield* readRecord(reader, { input, place, flags: withCompression(sniffed, flags) });
  }
}

/** A file of rows: each line is a record of its own and fails alone. */
async function* readRows(job: Job, looked: LookedAt, chosen: Chosen): AsyncGenerator<ReadResult> {
  const reader = recordReader(job, chosen);
  const { path } = job.request;
  for await (const line of linesOf(job, looked, job.request.range)) {
    const sha256 = line.bytes === null ? null : createHash('sha256').update(line.bytes).digest('hex');
    const { number, byte_start, byte_end } = line;
    const place = { path, line: number, byte_start, byte_end };
    const parsed = parseLine(line, job.limits);
    if (parsed instanceof RejectError) {
      yield rejectResult(parsed, {
        place: { ...place, sha256 },
        stage: 'read',
        format: chosen.adapter.name,
      });
      continue;
    }
    yield* readRecord(reader, {
      input: parsed.value,
      place: { sha256: sha256 ?? '', ...place },
      flags: withCompression(looked, parsed.flags),
    });
  }
}

function linesOf(job: Job, { file }: LookedAt, range: LineRange | null): AsyncGenerator<Line> {
  const maxLineBytes = job.limits.line_bytes;
  // A compressed file cannot be cut, so a range of it is all of it.
  if (file.compression !== null) return splitLines(readChunks(file, job.limits), { maxLineBytes });
  return readLines(job.absolute, { range, maxLineBytes });
}

function withCompression({ file }: LookedAt, flags: readonly string[]): readonly string[] {
  return file.compression === null ? flags : [...flags, file.compression];
}

const NO_FOLDER: SiblingFolder = { names: [], readBytes: () => null };

function recordReader(job: Job, chosen: Chosen): RecordReader {
  const { adapter, reason } = chosen;
  const overrides = job.request.experiments?.[adapter.name] ?? {};
  return {
    adapter,
    reason,
    folder: chosen.documents === true ? NO_FOLDER : job.folder,
    experiments: { ...adapter.experiments, ...overrides },
    experiment_patterns: job.request.experimentPatterns ?? [],
  };
}
