import { type Encoder, reserve, type TokenSink } from './encoder.js';
import type { Layout } from './layout.js';

/**
 * Encodes a laid-out rendering: special tokens of the glue by id, the text between them as plain text. Replaces
 * what the sink held and returns a view of its ids. Whether they stand for the bytes of the text is for the proofs to
 * say.
 */
export function encodeLayout(layout: Layout, encoder: Encoder, sink: TokenSink): Int32Array {
  sink.length = 0;
  sink.chunks?.clear();
  for (const piece of layout.pieces) {
    if (piece.special >= 0) {
      reserve(sink, 1);
      sink.ids[sink.length++] = piece.special;
      continue;
    }
    encoder.encode(piece.text, sink, 'plain', piece);
  }
  return sink.ids.subarray(0, sink.length);
}

export function sameIds(one: Int32Array, other: Int32Array): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}
