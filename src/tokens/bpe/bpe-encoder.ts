import { AddedTokenSplitter } from '../added-token-splitter.js';
import {
  type EncodeOptions,
  type Encoder,
  reserve,
  type SpecialHandling,
  type TokenSink,
} from '../encoder.js';
import { bytesOfId, specialIds } from '../token-bytes.js';
import type { AddedToken } from '../tokenizer-json.js';
import type { BpeTables } from './bpe-tables.js';
import { ChunkMemo, UNKNOWN } from './chunk-memo.js';
import { toNfc } from './nfc.js';
import { SPLIT_KINDS } from './split-kinds.js';
import { PADDING } from './utf8.js';
import { findToken } from './vocab-index.js';
import { MAX_CACHED_BYTES, WordCache } from './word-cache.js';
import { WordMerger } from './word-merger.js';
import type { WordEnd } from './word-scanner.js';

/** The buffer of UTF-8 is kept up to this size; larger texts get one for themselves. */
const KEPT_BYTES = 4 << 20;

/**
 * The project's own byte-level BPE: UTF-8 in a reused buffer, words cut by a scanner of character classes, their
 * ids out of a cache or merged by rank. Holds at most 34 MB of its own beside the shared tables, touched as they fill.
 */
export class BpeEncoder implements Encoder {
  readonly engine = 'bpe';
  readonly sha256: string;
  readonly byteLengths: Uint16Array;
  readonly specials: ReadonlyMap<string, number>;
  readonly tables: BpeTables;
  readonly addedTokens: readonly AddedToken[];
  readonly #splitter: AddedTokenSplitter;
  readonly #merger: WordMerger;
  readonly #cache = new WordCache();
  readonly #memo = new ChunkMemo();
  readonly #wordEnd: WordEnd;
  readonly #utf8 = new TextEncoder();
  readonly #encodeWords = (text: string, into: TokenSink): void => this.#encodeText(text, into);
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  /** where the words ended that were scanned last */
  #scanned = 0;

  constructor(tables: BpeTables, addedTokens: readonly AddedToken[], sha256: string) {
    this.tables = tables;
    this.addedTokens = addedTokens;
    this.sha256 = sha256;
    this.byteLengths = tables.byteLengths;
    this.specials = specialIds(addedTokens);
    this.#splitter = new AddedTokenSplitter(addedTokens, (text) => this.normalize(text));
    this.#merger = new WordMerger(tables.byteIds, tables.merges);
    this.#wordEnd = SPLIT_KINDS[tables.settings.kind].scanner.wordEnd;
  }

  /** pairs looked at in merging so far (see WordMerger) */
  get work(): number {
    return this.#merger.work;
  }

  normalize(text: string): string {
    return this.tables.settings.nfc ? toNfc(text) : text;
  }

  tokenBytes(id: number): Uint8Array {
    return bytesOfId({ offsets: this.tables.tokenOffsets, bytes: this.tables.tokenBytes }, id);
  }

  /** A part of a text in NFC is in NFC too. */
  isNormal(text: string): boolean {
    return this.normalize(text) === text;
  }

  encode(text: string, into: TokenSink, special: SpecialHandling, options?: EncodeOptions): number {
    const before = into.length;
    this.#splitter.encode(text, into, { special, normal: options?.normal === true }, this.#encodeWords);
    return into.length - before;
  }

  #encodeText(text: string, into: TokenSink): void {
    const room = text.length * 3 + PADDING;
    let bytes = this.#bytes;
    let view = this.#view;
    if (room > bytes.length) {
      bytes = new Uint8Array(room > KEPT_BYTES ? room : Math.min(room * 2, KEPT_BYTES));
      view = new DataView(bytes.buffer);
      if (bytes.length <= KEPT_BYTES) {
        this.#bytes = bytes;
        this.#view = view;
      }
    }
    const end = this.#utf8.encodeInto(text, bytes).written;
    bytes.fill(0, end, end + PADDING);
    reserve(into, end);
    into.length = this.#scan(bytes, view, end, into);
  }

  /** Writes the ids of bytes[0, end) into a sink that has room for them; returns the place behind the last. */
  #scan(bytes: Uint8Array, view: DataView, end: number, { ids, length, chunks }: TokenSink): number {
    const memo = this.#memo;
    if (memo.rests(end)) return this.#scanWords(bytes, view, 0, end, end, ids, length);
    let n = length;
    let at = 0;
    while (at < end) {
      const first = n;
      const start = at;
      let entry = memo.find(bytes, view, at, end);
      if (entry !== UNKNOWN) {
        n += memo.copyIds(entry, ids, n);
        at = memo.stop;
      } else {
        n = this.#scanWords(bytes, view, at, memo.stop, end, ids, n);
        at = this.#scanned;
        if (at === memo.stop) entry = memo.store(view, start, ids, first, n - first);
      }
      if (entry !== UNKNOWN && chunks !== undefined) chunks.add(memo, entry, first);
    }
    return n;
  }

  /** Writes the ids of the words that start in bytes[from, stop), a text that ends at `end`. */
  #scanWords(
    bytes: Uint8Array,
    view: DataView,
    from: number,
    stop: number,
    end: number,
    out: Int32Array,
    to: number,
  ): number {
    const { classes, byteIds } = this.tables;
    const cache = this.#cache;
    const wordEnd = this.#wordEnd;
    let n = to;
    let at = from;
    while (at < stop) {
      const after = wordEnd(bytes, at, end, classes);
      const length = after - at;
      if (length === 1) {
        out[n++] = byteIds[bytes[at] as number] as number;
      } else if (length > MAX_CACHED_BYTES) {
        n += this.#mergeWord(bytes, at, after, out, n);
      } else {
        let count = cache.append(bytes, view, at, length, out, n);
        if (count === 0) {
          count = this.#mergeWord(bytes, at, after, out, n);
          cache.store(bytes, at, length, out, n, count);
        }
        n += count;
      }
      at = after;
    }
    this.#scanned = at;
    return n;
  }

  #mergeWord(bytes: Uint8Array, at: number, stop: number, out: Int32Array, to: number): number {
    const { settings, vocabIndex, tokenOffsets, tokenBytes } = this.tables;
    if (settings.ignoreMerges) {
      const id = findToken(vocabIndex, { offsets: tokenOffsets, bytes: tokenBytes }, bytes, at, stop);
      if (id >= 0) {
        out[to] = id;
        return 1;
      }
    }
    return this.#merger.merge(bytes, at, stop, out, to);
  }
}
