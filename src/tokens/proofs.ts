import type { Segment, SegmentPart } from '../chat/segment.js';
import { SpecialFinder } from '../chat/special-tokens.js';
import { type DecodingTable, decodingTable } from './decoder.js';
import type { Encoder, TokenSink } from './encoder.js';
import type { Layout } from './layout.js';
import type { MaskOptions } from './mask-options.js';
import { MASK_POLICIES } from './mask-policy.js';
import { expectedSegments } from './proof-segments.js';
import { TextNormalizer } from './text-normalizer.js';
import type { IdDifference, MaskProofs } from './token-row.js';
import type { MaskSubject } from './trained-turns.js';

/** A finished row and what it was made from. */
export interface ProofInput {
  readonly input_ids: Int32Array;
  readonly loss_mask: Uint8Array;
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

/** Parts whose glue the model samples within a turn. */
const FRAMES: ReadonlySet<SegmentPart> = new Set(['text', 'think_frame', 'call_frame']);

const TRAINED = 1;
const COMPOSED = 2;

/**
 * Checks the five statements about a row against its decoded tokens and the trajectory's own text. It shares the
 * byte layout with the mask code and checks that too, but not the code that decides or writes masks.
 */
export class Prover {
  readonly #encoder: Encoder;
  readonly #mask: MaskOptions;
  readonly #finder: SpecialFinder;
  /** 1 for the ids of special tokens */
  readonly #isSpecial: Uint8Array;
  readonly #table: DecodingTable;
  readonly #normalizer: TextNormalizer;

  constructor({ encoder, mask }: { encoder: Encoder; mask: MaskOptions }) {
    this.#encoder = encoder;
    this.#mask = mask;
    this.#table = decodingTable(encoder);
    this.#normalizer = new TextNormalizer(encoder);
    this.#finder = new SpecialFinder(encoder.specials.keys());
    this.#isSpecial = new Uint8Array(Math.max(0, ...encoder.specials.values()) + 1);
    for (const id of encoder.specials.values()) this.#isSpecial[id] = 1;
  }

  prove(input: ProofInput): MaskProofs {
    const lengths = provesLengths(input);
    const expected = this.#expectedBytes(input.layout);
    const decodes = this.#decodesTo(input.input_ids, expected);
    const marks = expectedSegments({ ...input, mask: this.#mask });
    return {
      lengths,
      trained_text: lengths && decodes && marks !== null && this.#provesTrainedText(input, marks, expected),
      stop_tokens: lengths && this.#provesStops(input),
      no_injected_specials: this.#provesNoInjection(input),
      ids_equal_rendering: decodes && this.#provesRendering(input),
    };
  }

  /** The normalised rendering as bytes, piece by piece. */
  #expectedBytes({ pieces, bytes }: Layout): Uint8Array {
    const buffer = Buffer.alloc(bytes);
    for (const { text, special, start } of pieces) {
      buffer.write(special >= 0 ? text : this.#normalizer.normalize(text), start);
    }
    return buffer;
  }

  /** Bytes of an id; negative and unknown ids have none. */
  #size(id: number): number {
    const { offsets } = this.#table;
    return (offsets[id + 1] ?? 0) - (offsets[id] ?? 0);
  }

  #decodesTo(ids: Int32Array, expected: Uint8Array): boolean {
    const { offsets, bytes } = this.#table;
    let at = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] ?? -1;
      const end = offsets[id + 1];
      if (id < 0 || end === undefined) return false;
      for (let b = offsets[id] ?? 0; b < end; b++) if (bytes[b] !== expected[at++]) return false;
    }
    return at === expected.length;
  }

  /** Trained tokens hold exactly the bytes that the policy trains, less those of the counted straddling ones. */
  #provesTrainedText(
    { input_ids, loss_mask, straddled_tokens, segments, layout }: ProofInput,
    marks: Uint8Array,
    expected: Uint8Array,
  ): boolean {
    if (!this.#runsAreTheirText(segments, marks, layout, expected)) return false;
    const flags = byteFlags(marks, layout);
    let start = 0;
    let straddled = 0;
    for (let i = 0; i < input_ids.length; i++) {
      const end = start + this.#size(input_ids[i] ?? 0);
      let whole = end > start;
      let touched = false;
      for (let b = start; b < end; b++) {
        const flag = flags[b] ?? 0;
        if (flag !== TRAINED) whole = false;
        if (flag !== 0) touched = true;
      }
      if ((loss_mask[i] === 1) !== whole) return false;
      if (touched && !whole) straddled++;
      start = end;
    }
    return straddled === straddled_tokens;
  }

  /** The bytes between the edges of each trained run are the run's own text, normalised by itself. */
  #runsAreTheirText(
    segments: readonly Segment[],
    marks: Uint8Array,
    { low, high }: Layout,
    expected: Uint8Array,
  ): boolean {
    for (let k = 0; k < marks.length; k++) {
      if (marks[k] === 0) continue;
      let text = '';
      let after = k;
      for (; after < marks.length && marks[after] === 1; after++) text += segments[after]?.text ?? '';
      const composed = low[k] !== high[k] || low[after] !== high[after];
      const own = Buffer.from(this.#normalizer.normalize(text));
      if (!composed && own.compare(expected, high[k] ?? 0, low[after] ?? 0) !== 0) return false;
      k = after;
    }
    return true;
  }

  /** The stop token of every completed trained turn is trained once, behind its words; no other is. */
  #provesStops({ input_ids, loss_mask, segments, layout, subject, trained }: ProofInput): boolean {
    const stopIds = new Set<number | undefined>();
    const stopped = new Set<number>();
    for (const { part, text, turn } of segments) {
      if (part !== 'stop') continue;
      stopIds.add(this.#encoder.specials.get(text));
      stopped.add(turn);
    }
    const mayLack = this.#mask.missing_stop === 'train_without_stop';
    const owed = new Map<number, number>();
    for (const turn of trained) {
      const completed = (subject.turns[turn]?.truncated ?? null) === null;
      const excused = mayLack && !stopped.has(turn);
      owed.set(turn, completed && !excused && MASK_POLICIES[this.#mask.policy].stop ? 1 : 0);
    }
    let segment = 0;
    let at = 0;
    let opened = -1;
    for (let i = 0; i < input_ids.length; i++) {
      const id = input_ids[i] ?? 0;
      while (segment < segments.length - 1 && (layout.low[segment + 1] ?? 0) <= at) segment++;
      const { part, turn } = segments[segment] ?? { part: 'context', turn: -1 };
      if (loss_mask[i] === 1) {
        // A stop token may also end a part of a turn, as between harmony's channels.
        if (part !== 'stop' && stopIds.has(id) && !FRAMES.has(part)) return false;
        if (part === 'stop' && this.#isSpecial[id] !== 1) return false;
        if (part === 'stop' && opened !== segment) owed.set(turn, (owed.get(turn) ?? 0) - 1);
        if (part === 'stop') opened = segment;
      }
      at += this.#size(id);
    }
    return [...owed.values()].every((count) => count === 0);
  }

  /** Every special id comes from a special token in the glue, and every such token gave its id. */
  #provesNoInjection({ input_ids, layout }: ProofInput): boolean {
    const glue = layout.pieces.filter((piece) => piece.special >= 0);
    let next = 0;
    let at = 0;
    for (let i = 0; i < input_ids.length; i++) {
      const id = input_ids[i] ?? 0;
      if (this.#isSpecial[id] === 1) {
        const piece = glue[next++];
        if (piece === undefined || piece.special !== id || piece.start !== at) return false;
      }
      at += this.#size(id);
    }
    return next === glue.length;
  }

  #provesRendering({ input_ids, ids_differ_because, segments, layout, full }: ProofInput): boolean {
    if (ids_differ_because.length > 0) return true;
    const text = segments.map((segment) => segment.text).join('');
    if (full === true) {
      const sink: TokenSink = { ids: new Int32Array(input_ids.length + 1), length: 0 };
      this.#encoder.encode(text, sink, 'match');
      return sink.length === input_ids.length && input_ids.every((id, i) => id === sink.ids[i]);
    }
    // Tokenizers cut at special tokens first: the same cuts, the same text between them, the same ids.
    let next = 0;
    let alike = true;
    this.#finder.each(text, (offset) => {
      if (layout.specialOffsets[next++] !== offset) alike = false;
    });
    return alike && next === layout.specialOffsets.length;
  }
}

function provesLengths({ input_ids, loss_mask }: ProofInput): boolean {
  return input_ids.length === loss_mask.length && loss_mask.every((value) => value === 0 || value === 1);
}

/** One flag a byte: trained, composed across the edge of something trained, or 0. */
function byteFlags(marks: Uint8Array, { low, high, bytes }: Layout): Uint8Array {
  const flags = new Uint8Array(bytes);
  for (let k = 0; k < marks.length; k++) {
    if (marks[k] === 0) continue;
    flags.fill(TRAINED, high[k] ?? 0, Math.max(low[k + 1] ?? 0, high[k] ?? 0));
  }
  for (let k = 0; k <= marks.length; k++) {
    const before = marks[k - 1] ?? 0;
    const after = marks[k] ?? 0;
    if (before + after === 0) continue;
    flags.fill(before + after === 2 ? TRAINED : COMPOSED, low[k] ?? 0, high[k] ?? 0);
  }
  return flags;
}
