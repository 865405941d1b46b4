import { RejectError } from '../logs/reject.js';
import { type Encoder, reserve, type TokenSink } from './encoder.js';
import type { Layout } from './layout.js';

/**
 * Encodes a laid-out rendering: special tokens of the glue by id, the text between them as plain text. Replaces
 * what the sink held and returns a view of its ids. Throws RejectError('mask_not_provable') where the tokens do
 * not add up to the bytes of the text.
 */
export function encodeLayout(layout: Layout, encoder: Encoder, sink: TokenSink): Int32Array {
  const { byteLengths } = encoder;
  sink.length = 0;
  for (const piece of layout.pieces) {
    if (piece.special >= 0) {
      reserve(sink, 1);
      sink.ids[sink.length++] = piece.special;
      continue;
    }
    const before = sink.length;
    encoder.encode(piece.text, sink, 'plain');
    let bytes = piece.start;
    for (let i = before; i < sink.length; i++) bytes += byteLengths?.[sink.ids[i] ?? 0] ?? 0;
    if (bytes !== piece.end) {
      throw new RejectError(
        'mask_not_provable',
        `tokens stand for ${bytes - piece.start} bytes of a text of ${piece.end - piece.start}`,
      );
    }
  }
  return sink.ids.subarray(0, sink.length);
}

export function sameIds(one: Int32Array, other: Int32Array): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}
