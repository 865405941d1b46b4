import type { Segment } from '../chat/segment.js';
import { SpecialFinder } from '../chat/special-tokens.js';
import type { KnownChunks } from './chunk-trail.js';
import { DECODING_PADDING, type DecodingTable, decodingTable } from './decoder.js';
import type { Encoder, TokenSink } from './encoder.js';
import type { Layout } from './layout.js';
import type { MaskOptions } from './mask-options.js';
import { MASK_POLICIES } from './mask-policy.js';
import { expectedSegments } from './proof-segments.js';
import { walkTokens } from './proof-walk.js';
import { hasOnlyGlueSpecials, wholeText } from './special-places.js';
import { normalizerOf, type TextNormalizer } from './text-normalizer.js';
import type { IdDifference, MaskProofs } from './token-row.js';
import type { MaskSubject } from './trained-turns.js';

/** A finished row and what it was made from. */
export interface ProofInput {
  readonly input_ids: Int32Array;
  readonly loss_mask: Uint8Array;
  /** chunks of the ids whose text was seen before, if the encoder says so */
  readonly chunks?: KnownChunks | null;
  readonly straddled_tokens: number;
  readonly ids_differ_because: readonly IdDifference[];
  readonly segments: readonly Segment[];
  readonly layout: Layout;
  readonly subject: MaskSubject;
  /** turns that the row trains */
  readonly trained: ReadonlySet<number>;
  /** turns of which the template left something out */
  readonly altered: ReadonlySet<number>;
  /** also encode the whole text again; by default equality is concluded from where special tokens stand */
  readonly full?: boolean;
}

/**
 * Checks the five statements about a row against its decoded tokens and the trajectory's own text. It shares the
 * byte layout with the mask code and checks that too, but not the code that decides or writes masks.
 */
export class Prover {
  readonly #encoder: Encoder;
  readonly #mask: MaskOptions;
  readonly #finder: SpecialFinder;
  readonly #table: DecodingTable;
  readonly #normalizer: TextNormalizer;
  #expected: Buffer = Buffer.alloc(1 << 16);
  /** the text of a run */
  #run: Buffer = Buffer.alloc(1 << 14);

  constructor({ encoder, mask }: { encoder: Encoder; mask: MaskOptions }) {
    this.#encoder = encoder;
    this.#mask = mask;
    this.#table = decodingTable(encoder);
    this.#normalizer = normalizerOf(encoder);
    this.#finder = new SpecialFinder(encoder.specials.keys());
  }

  prove(input: ProofInput): MaskProofs {
    const { input_ids, loss_mask, segments, layout, straddled_tokens } = input;
    const expected = this.#expectedBytes(layout);
    const marks = expectedSegments({ mask: this.#mask, ...input });
    const stopIds = new Set<number | undefined>();
    for (const { part, text } of segments) if (part === 'stop') stopIds.add(this.#encoder.specials.get(text));
    const found = walkTokens({
      input_ids,
      loss_mask,
      segments,
      layout,
      marks: marks ?? new Uint8Array(segments.length),
      expected,
      chunks: input.chunks ?? null,
      table: this.#table,
      stopIds,
    });
    const lengths = input_ids.length === loss_mask.length && found.binary;
    const sameText =
      lengths && found.decodes && marks !== null && this.#runsAreTheirText(segments, marks, layout);
    return {
      lengths,
      trained_text: sameText && found.masked && found.straddled === straddled_tokens,
      stop_tokens: lengths && found.stops && this.#stopsAreOwed(input, found.stoppedTurns),
      no_injected_specials: found.specials,
      ids_equal_rendering: found.decodes && this.#provesRendering(input),
    };
  }

  /** The normalised rendering as bytes, piece by piece, in a buffer that is used again. */
  #expectedBytes({ pieces, bytes }: Layout): DataView {
    const buffer = atLeast(this.#expected, bytes + DECODING_PADDING);
    this.#expected = buffer;
    for (const { text, special, start } of pieces) {
      buffer.write(special >= 0 ? text : this.#normalizer.normalize(text), start);
    }
    return new DataView(buffer.buffer, buffer.byteOffset, bytes + DECODING_PADDING);
  }

  /**
   * The bytes between the edges of each trained run are the run's own text, normalised by itself. Pieces are normalised
   * apart: a mark behind a special token is not composed with it.
   */
  #runsAreTheirText(segments: readonly Segment[], marks: Uint8Array, { low, high, pieces }: Layout): boolean {
    let piece = 0;
    let pieceEnd = pieces[0]?.text.length ?? 0;
    let at = 0;
    for (let k = 0; k < marks.length; k++) {
      if (marks[k] === 0) {
        at += segments[k]?.text.length ?? 0;
        continue;
      }
      let text = '';
      let after = k;
      for (; after < marks.length && marks[after] === 1; after++) text += segments[after]?.text ?? '';
      let normalized = '';
      for (let start = 0; start < text.length; ) {
        while (pieceEnd <= at + start && piece < pieces.length) pieceEnd += pieces[++piece]?.text.length ?? 0;
        const end = piece < pieces.length ? Math.min(pieceEnd - at, text.length) : text.length;
        normalized += this.#normalizer.normalize(text.slice(start, end));
        start = end;
      }
      at += text.length + (segments[after]?.text.length ?? 0);
      const [from, to] = [high[k] ?? 0, low[after] ?? 0];
      const composed = low[k] !== from || to !== high[after];
      if (!composed && !this.#isExpected(normalized, from, to)) return false;
      k = after;
    }
    return true;
  }

  #isExpected(normalized: string, from: number, to: number): boolean {
    // a UTF-16 unit takes three bytes at most
    const own = atLeast(this.#run, normalized.length * 3);
    this.#run = own;
    const size = own.write(normalized);
    return size === to - from && own.compare(this.#expected, from, to, 0, size) === 0;
  }

  /** The stop token of every completed trained turn is trained once, behind its words; no other is. */
  #stopsAreOwed({ segments, subject, trained }: ProofInput, stoppedTurns: readonly number[]): boolean {
    const printed = new Set<number>();
    for (const { part, turn } of segments) if (part === 'stop') printed.add(turn);
    const mayLack = this.#mask.missing_stop === 'train_without_stop';
    const owed = new Map<number, number>();
    for (const turn of trained) {
      const completed = (subject.turns[turn]?.truncated ?? null) === null;
      const excused = mayLack && !printed.has(turn);
      owed.set(turn, completed && !excused && MASK_POLICIES[this.#mask.policy].stop ? 1 : 0);
    }
    for (const turn of stoppedTurns) owed.set(turn, (owed.get(turn) ?? 0) - 1);
    return [...owed.values()].every((count) => count === 0);
  }

  #provesRendering({ input_ids, ids_differ_because, layout, full }: ProofInput): boolean {
    if (ids_differ_because.length > 0) return true;
    if (full === true) {
      const sink: TokenSink = { ids: new Int32Array(input_ids.length + 1), length: 0 };
      this.#encoder.encode(wholeText(layout), sink, 'match');
      return sink.length === input_ids.length && input_ids.every((id, i) => id === sink.ids[i]);
    }
    // Tokenizers cut at special tokens first: the same cuts, the same text between them, the same ids.
    return hasOnlyGlueSpecials(layout, this.#finder);
  }
}

/** The buffer, or a larger one where it is too small. */
function atLeast(buffer: Buffer, size: number): Buffer {
  return buffer.length >= size ? buffer : Buffer.alloc(Math.max(size, buffer.length * 2));
}
