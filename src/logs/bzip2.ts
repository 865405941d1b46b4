import { BitReader } from './bzip2-bits.js';
import { readBlock } from './bzip2-block.js';
import { RejectError } from './reject.js';

const BLOCK_MARK = 0x314159265359;
const END_MARK = 0x177245385090;
/** `BZh`, the block size as a digit, and one of the two marks. */
const HEADER_BYTES = 4;

/** Whether bytes begin like a bzip2 stream. */
export function isBzip2(head: Buffer): boolean {
  if (head.length < HEADER_BYTES + 6 || levelOf(head) === null) return false;
  const mark = head.readUIntBE(HEADER_BYTES, 6);
  return mark === BLOCK_MARK || mark === END_MARK;
}

/** The block size of a stream in hundreds of thousands of bytes, or null where no stream begins. */
function levelOf(bytes: Buffer): number | null {
  if (bytes.toString('latin1', 0, 3) !== 'BZh') return null;
  const level = (bytes[3] ?? 0) - 0x30;
  return level >= 1 && level <= 9 ? level : null;
}

/** No block is longer, packed: each byte of it costs at most 20 bits, and its tables less than the rest. */
const packedBlockBytes = (level: number): number => (level * 100_000 * 20) / 8 + 64 * 1024;

/**
 * The content of a bzip2 stream, or of several one after another, as parallel compressors write them. Sums of blocks and
 * streams are checked. What follows the last stream and is none is left out, as bzip2 itself does.
 *
 * @throws RejectError `bad_compression` on a damaged or cut stream
 */
export async function* bunzip2(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = new PackedBytes(packed);
  try {
    for (let first = true; ; first = false) {
      await source.fill(HEADER_BYTES);
      const level = levelOf(source.bytes);
      if (level === null && !first) return;
      if (level === null) throw new RejectError('bad_compression', 'bzip2: not a stream');
      source.drop(HEADER_BYTES);
      yield* readStream(source, level);
    }
  } finally {
    await source.close();
  }
}

async function* readStream(source: PackedBytes, level: number): AsyncGenerator<Buffer> {
  let bit = 0;
  let sum = 0;
  for (;;) {
    await source.fill(packedBlockBytes(level));
    const bits = new BitReader(source.bytes, bit);
    const mark = bits.read(24) * 0x1000000 + bits.read(24);
    const stated = bits.read32();
    if (mark === END_MARK) {
      bits.assertInside();
      if (stated !== sum)
        throw new RejectError('bad_compression', 'bzip2: the sum of a stream does not agree');
      source.drop(Math.ceil(bits.position / 8));
      return;
    }
    bits.assertInside();
    if (mark !== BLOCK_MARK)
      throw new RejectError('bad_compression', 'bzip2: damaged, no block where one begins');
    yield* readBlock(bits, { bytes: level * 100_000, sum: stated });
    sum = (((sum << 1) | (sum >>> 31)) ^ stated) >>> 0;
    source.drop(Math.floor(bits.position / 8));
    bit = bits.position % 8;
  }
}

/** Packed bytes of which enough are at hand for the next block. */
class PackedBytes {
  readonly #chunks: AsyncIterator<Buffer>;
  #ended = false;
  bytes: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Gets at least so many bytes, or all that are left. */
  async fill(least: number): Promise<void> {
    if (this.bytes.length >= least || this.#ended) return;
    const pieces = [this.bytes];
    let length = this.bytes.length;
    while (length < least && !this.#ended) {
      const next = await this.#chunks.next();
      if (next.done === true) this.#ended = true;
      else {
        pieces.push(next.value);
        length += next.value.length;
      }
    }
    this.bytes = Buffer.concat(pieces, length);
  }

  /** Lets go of what the bytes come from. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  drop(count: number): void {
    this.bytes = this.bytes.subarray(count);
  }
}
