import type { Encoder } from './encoder.js';

/** The bytes of every id in one array: those of id i lie from offsets[i] to offsets[i + 1]. */
export interface DecodingTable {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

const TABLES = new WeakMap<Encoder, DecodingTable>();

/** Lays out what an encoder's ids decode to; once an encoder. Ids beyond the table have no bytes. */
export function decodingTable(encoder: Encoder): DecodingTable {
  const known = TABLES.get(encoder);
  if (known !== undefined) return known;
  const count = encoder.byteLengths?.length ?? 0;
  const offsets = new Uint32Array(count + 1);
  const pieces: Uint8Array[] = [];
  for (let id = 0; id < count; id++) {
    const piece = encoder.tokenBytes(id);
    pieces.push(piece);
    offsets[id + 1] = (offsets[id] ?? 0) + piece.length;
  }
  const bytes = new Uint8Array(offsets[count] ?? 0);
  pieces.forEach((piece, id) => {
    bytes.set(piece, offsets[id]);
  });
  const table = { offsets, bytes };
  TABLES.set(encoder, table);
  return table;
}
