import type { Encoder } from './encoder.js';

/** Cells of an id: its first four bytes and the next four (little endian, 0 where there are fewer), ... */
const HEAD = 0;
const NEXT = 1;
/** ... its length in bytes, with SPECIAL for a special token, and where its bytes start. */
export const SIZE = 2;
const START = 3;
export const CELLS = 4;
/** marks the size of a special token */
export const SPECIAL = 1 << 24;

/** What every id decodes to, laid out so that one look into memory tells most of it. */
export interface DecodingTable {
  /** CELLS numbers an id */
  readonly cells: Int32Array;
  readonly bytes: Uint8Array;
  /** ids from here on are unknown */
  readonly ids: number;
}

const TABLES = new WeakMap<Encoder, DecodingTable>();

/** The table of an encoder; made once. */
export function decodingTable(encoder: Encoder): DecodingTable {
  const known = TABLES.get(encoder);
  if (known !== undefined) return known;
  const ids = encoder.byteLengths?.length ?? 0;
  const cells = new Int32Array(ids * CELLS);
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (let id = 0; id < ids; id++) {
    const piece = encoder.tokenBytes(id);
    pieces.push(piece);
    cells[id * CELLS + HEAD] = fourBytes(piece, 0);
    cells[id * CELLS + NEXT] = fourBytes(piece, 4);
    cells[id * CELLS + SIZE] = piece.length;
    cells[id * CELLS + START] = end;
    end += piece.length;
  }
  for (const id of encoder.specials.values()) {
    if (id < ids) cells[id * CELLS + SIZE] = (cells[id * CELLS + SIZE] ?? 0) | SPECIAL;
  }
  const bytes = new Uint8Array(end);
  pieces.forEach((piece, id) => {
    bytes.set(piece, cells[id * CELLS + START]);
  });
  const table = { cells, bytes, ids };
  TABLES.set(encoder, table);
  return table;
}

function fourBytes(piece: Uint8Array, from: number): number {
  let number = 0;
  for (let i = 0; i < 4; i++) number |= (piece[from + i] ?? 0) << (i << 3);
  return number;
}

/** Bytes that must be readable behind those that `isAt` looks at. */
export const DECODING_PADDING = 8;

/** Whether the bytes of a token stand at a place of the rendering, which must reach as far. */
export function isAt(
  expected: DataView,
  at: number,
  { cells, bytes }: DecodingTable,
  cell: number,
  size: number,
): boolean {
  if (size === 0) return true;
  const head = expected.getInt32(at, true) ^ (cells[cell + HEAD] as number);
  if (size <= 4) return head << ((4 - size) << 3) === 0;
  const next = expected.getInt32(at + 4, true) ^ (cells[cell + NEXT] as number);
  if (head !== 0 || (size < 8 ? next << ((8 - size) << 3) : next) !== 0) return false;
  const start = cells[cell + START] as number;
  for (let b = 8; b < size; b++) if (bytes[start + b] !== expected.getUint8(at + b)) return false;
  return true;
}
