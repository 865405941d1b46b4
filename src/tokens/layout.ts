import type { Segment } from '../chat/segment.js';
import type { SpecialFinder } from '../chat/special-tokens.js';
import { mapEdges } from './byte-edges.js';
import type { Encoder } from './encoder.js';
import { normalizerOf, type TextNormalizer } from './text-normalizer.js';

/** Text between two special tokens of the glue, or one such token. */
export interface Piece {
  readonly text: string;
  /** id of the special token, -1 for text */
  readonly special: number;
  /** known to be its own normal form, and every part of it too */
  readonly normal: boolean;
  /** first byte of the piece in the normalised rendering */
  readonly start: number;
  readonly end: number;
}

/** Where everything in a rendering lies: its pieces, and the bytes at which segments meet. */
export interface Layout {
  readonly pieces: readonly Piece[];
  /**
   * Segment k covers bytes high[k] to low[k + 1]; bytes low[k] to high[k] are a character composed across the
   * edge before segment k and belong to neither side. Both have segments.length + 1 entries.
   */
  readonly low: Int32Array;
  readonly high: Int32Array;
  /** bytes of the whole normalised rendering */
  readonly bytes: number;
  /** where special tokens stand in the glue, in UTF-16 units of the joined segments */
  readonly specialOffsets: readonly number[];
}

export interface LayoutInput {
  readonly segments: readonly Segment[];
  readonly encoder: Encoder;
  readonly finder: SpecialFinder;
  /** also part the text behind every header, where generation began */
  readonly cutAfterHeaders: boolean;
}

/** Lays a rendering out. Special tokens are looked for in the glue alone. */
export function layOut(input: LayoutInput): Layout {
  const { segments, encoder, finder, cutAfterHeaders } = input;
  const builder = new LayoutBuilder(segments, encoder);
  const addSpecial = (offset: number, special: string): void => builder.special(offset, special);
  for (let k = 0; k < segments.length; k++) {
    const segment = segments[k] as Segment;
    if (cutAfterHeaders && !isHeader(segment) && isHeader(segments[k - 1])) builder.cut();
    builder.openSegment(segment.text);
    if (segment.glue) finder.each(segment.text, addSpecial);
    builder.closeSegment();
  }
  return builder.finish();
}

function isHeader(segment: Segment | undefined): boolean {
  return segment?.part === 'header' || segment?.part === 'marked_header';
}

class LayoutBuilder {
  readonly #specials: ReadonlyMap<string, number>;
  readonly #normalizer: TextNormalizer;
  readonly #pieces: Piece[] = [];
  readonly #specialOffsets: number[] = [];
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  /** of each edge its place in the text */
  readonly #edges: Int32Array;
  /** edges seen so far, and those of them that have their bytes */
  #edgesSeen = 0;
  #edgesMapped = 0;
  /** where the text starts that has no piece yet, and what of it was put together */
  #pending = 0;
  #pendingText = '';
  /** the segment that is being looked at, where it starts, and how much of it has a piece or is pending */
  #segment = '';
  #segmentAt = 0;
  #segmentUsed = 0;
  #bytes = 0;

  constructor(segments: readonly Segment[], encoder: Encoder) {
    this.#specials = encoder.specials;
    this.#normalizer = normalizerOf(encoder);
    this.#low = new Int32Array(segments.length + 1);
    this.#high = new Int32Array(segments.length + 1);
    this.#edges = new Int32Array(segments.length + 1);
  }

  openSegment(text: string): void {
    this.#edges[this.#edgesSeen++] = this.#segmentAt;
    this.#segment = text;
    this.#segmentUsed = 0;
  }

  closeSegment(): void {
    this.#use(this.#segment.length);
    this.#segmentAt += this.#segment.length;
  }

  cut(): void {
    this.#flush(this.#segmentAt);
  }

  /** A special token at `offset` in the segment. */
  special(offset: number, special: string): void {
    const at = this.#segmentAt + offset;
    this.#use(offset);
    this.#flush(at);
    const start = this.#bytes;
    this.#bytes += Buffer.byteLength(special);
    const id = this.#specials.get(special) ?? -1;
    this.#pieces.push({ text: special, special: id, normal: false, start, end: this.#bytes });
    this.#specialOffsets.push(at);
    this.#segmentUsed = offset + special.length;
    this.#pending = at + special.length;
  }

  finish(): Layout {
    this.openSegment('');
    this.#flush(this.#segmentAt);
    return {
      pieces: this.#pieces,
      low: this.#low,
      high: this.#high,
      bytes: this.#bytes,
      specialOffsets: this.#specialOffsets,
    };
  }

  /** Makes what the segment has before `end` pending. */
  #use(end: number): void {
    if (end <= this.#segmentUsed) return;
    this.#pendingText += this.#segment.slice(this.#segmentUsed, end);
    this.#segmentUsed = end;
  }

  /** Makes the text before `end` a piece and maps the edges in it. */
  #flush(end: number): void {
    const from = this.#pending;
    const text = this.#pendingText;
    const start = this.#bytes;
    const normal = this.#normalizer.isNormal(text);
    if (normal && Buffer.byteLength(text) === text.length) this.#mapAsIs(text, from);
    else this.#mapNormalized(text, { from, normal });
    if (text !== '') this.#pieces.push({ text, special: -1, normal, start, end: this.#bytes });
    this.#pending = end;
    this.#pendingText = '';
  }

  /** Edges in normal text that is one byte a unit. */
  #mapAsIs(text: string, from: number): void {
    for (let k = this.#edgesMapped; k < this.#edgesSeen; k++) {
      const at = this.#bytes + (this.#edges[k] as number) - from;
      this.#low[k] = at;
      this.#high[k] = at;
    }
    this.#edgesMapped = this.#edgesSeen;
    this.#bytes += text.length;
  }

  #mapNormalized(text: string, { from, normal }: { from: number; normal: boolean }): void {
    for (const part of this.#normalizer.parts(text, normal)) {
      const first = this.#edgesMapped;
      const offsets: number[] = [];
      while (this.#edgesMapped < this.#edgesSeen) {
        const offset = (this.#edges[this.#edgesMapped] as number) - from;
        if (offset > part.end) break;
        offsets.push(offset - part.start);
        this.#edgesMapped++;
      }
      this.#bytes = mapEdges(
        { text: part.text, offsets, normalize: part.normalize, base: this.#bytes },
        {
          edge: (at, low, high) => {
            this.#low[first + at] = low;
            this.#high[first + at] = high;
          },
        },
      );
    }
  }
}
