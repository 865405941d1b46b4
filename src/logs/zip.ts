import { type UnzipFileInfo, unzipSync } from 'fflate';
import { decodeText } from './json.js';
import { RejectError } from './reject.js';

export interface ZipArchive {
  /** in the order of the archive's directory */
  readonly names: readonly string[];
  /** The text of a member, null where there is none; throws RejectError bad_archive as openZip. */
  readText(name: string): string | null;
  /** The same as bytes. */
  readBytes(name: string): Buffer | null;
}

/** Compression methods of the zip format that are read, and what others are called. */
const READ_METHODS: ReadonlySet<number> = new Set([0, 8]);
const METHOD_NAMES: Readonly<Record<number, string>> = {
  9: 'deflate64',
  12: 'bzip2',
  14: 'lzma',
  93: 'zstd',
  95: 'xz',
};

const UNSAFE_NAME = /^(?:[/\\]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|\0/i;
const MAX_MEMBERS = 100_000;

/**
 * The directory of a zip archive; members are unpacked one at a time and never written anywhere. What the directory
 * says of sizes is believed only as an upper bound: a member never unfolds beyond it.
 *
 * @throws RejectError `bad_archive` for a damaged archive, members with paths that lead out of it, more than 100,000
 *   members, or more than `unpacked_bytes` in all
 */
export function openZip(bytes: Buffer, limits: { unpacked_bytes: number }): ZipArchive {
  const members = new Map<string, UnzipFileInfo>();
  let total = 0;
  unzip(bytes, (member) => {
    if (UNSAFE_NAME.test(member.name)) {
      throw new RejectError(
        'bad_archive',
        `a member's path leads out of the archive: ${member.name.slice(0, 80)}`,
      );
    }
    total += member.originalSize;
    if (total > limits.unpacked_bytes) {
      throw new RejectError('bad_archive', `unfolds beyond the limit of ${limits.unpacked_bytes} bytes`);
    }
    members.set(member.name, member);
    if (members.size > MAX_MEMBERS) throw new RejectError('bad_archive', `more than ${MAX_MEMBERS} members`);
    return false;
  });
  if (members.size === 0) throw new RejectError('bad_archive', 'an archive without members');
  return {
    names: [...members.keys()],
    readText(name) {
      const content = this.readBytes(name);
      return content === null ? null : decodeText(content).text;
    },
    readBytes(name) {
      const member = members.get(name);
      if (member === undefined) return null;
      const { compression, originalSize } = member;
      if (!READ_METHODS.has(compression)) {
        const method = METHOD_NAMES[compression] ?? 'an unknown method';
        throw new RejectError(
          'bad_archive',
          `${name} is compressed with ${method} (${compression}), which is not read`,
        );
      }
      let taken = false;
      const found = unzip(bytes, (other) => {
        // Of members with one name the last counts; it is read once.
        const wanted = !taken && other.name === name && other.originalSize === originalSize;
        taken ||= wanted;
        return wanted;
      })[name];
      if (found === undefined) return null;
      return Buffer.from(found.buffer, found.byteOffset, found.byteLength);
    },
  };
}

function unzip(bytes: Buffer, filter: (member: UnzipFileInfo) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof RejectError) throw error;
    throw new RejectError(
      'bad_archive',
      `damaged: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
