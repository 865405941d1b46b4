import type { ChunkDecoder } from './chunk-trail.js';
import { CELLS, type DecodingTable, isAt, SIZE, SPECIAL } from './decoder.js';

const DECODERS = new WeakMap<DecodingTable, ChunkDecoder>();

/** Decodes a chunk id by id with the prover's own table: every id known, none special, together just its bytes. */
export function chunkDecoder(table: DecodingTable): ChunkDecoder {
  const known = DECODERS.get(table);
  if (known !== undefined) return known;
  const decode: ChunkDecoder = (ids, view, { from, to, at: start, end }) => {
    let at = start;
    for (let i = from; i < to; i++) {
      const id = ids[i] as number;
      if (id < 0 || id >= table.ids) return false;
      const size = table.cells[id * CELLS + SIZE] as number;
      if (size === 0 || size >= SPECIAL || at + size > end) return false;
      if (!isAt(view, at, table, id * CELLS, size)) return false;
      at += size;
    }
    return at === end;
  };
  DECODERS.set(table, decode);
  return decode;
}
