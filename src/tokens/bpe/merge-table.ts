/** Int32 cells of one merge: left id, right id, rank, merged id. */
const CELLS = 4;
const EMPTY = -1;

/** A merge by its pair, found by open addressing. A slot is the index of its first cell; -1 is no merge. */
export type MergeTable = Int32Array;

/** Int32 cells that a table for `count` merges takes: at most six slots in ten are used. */
export function mergeTableCells(count: number): number {
  let slots = 16;
  while (slots * 0.6 < count) slots *= 2;
  return slots * CELLS;
}

/**
 * Fills a table. `merges` holds left, right and merged id of every merge in order of rank; of a pair that stands
 * twice the later counts.
 */
export function fillMergeTable(table: MergeTable, merges: Int32Array): void {
  table.fill(EMPTY);
  const mask = table.length - CELLS;
  for (let rank = 0; rank * 3 < merges.length; rank++) {
    const left = merges[rank * 3] as number;
    const right = merges[rank * 3 + 1] as number;
    let cell = (pairHash(left, right) << 2) & mask;
    while (table[cell] !== EMPTY && !(table[cell] === left && table[cell + 1] === right))
      cell = (cell + CELLS) & mask;
    table[cell] = left;
    table[cell + 1] = right;
    table[cell + 2] = rank;
    table[cell + 3] = merges[rank * 3 + 2] as number;
  }
}

/** The cell where the merge of a pair of ids begins, or -1. */
export function findMerge(table: MergeTable, left: number, right: number): number {
  const mask = table.length - CELLS;
  let cell = (pairHash(left, right) << 2) & mask;
  for (;;) {
    const found = table[cell] as number;
    if (found === left && table[cell + 1] === right) return cell;
    if (found === EMPTY) return EMPTY;
    cell = (cell + CELLS) & mask;
  }
}

export function rankAt(table: MergeTable, cell: number): number {
  return table[cell + 2] as number;
}

export function mergedAt(table: MergeTable, cell: number): number {
  return table[cell + 3] as number;
}

function pairHash(left: number, right: number): number {
  const mixed = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
