import { TrajmillError } from '../errors.js';
import type { ExportCounts, TokenSource } from './exporter.js';

/** Rows that share a sequence, in the order in which they were put there. */
export interface Pack<Row> {
  readonly rows: readonly Row[];
  /** tokens of all rows */
  readonly length: number;
  /** of it, what counts against the length of a pack */
  readonly cost: number;
}

export interface PackOptions<Row> {
  /** the most that the costs of a pack may add up to */
  readonly length: number;
  readonly cost: (row: Row) => number;
  readonly overlong: 'error' | 'drop';
  /** learns of each row that was dropped */
  readonly onDrop?: (row: Row) => void;
}

/** Rows are packed in groups of so many tokens or rows: enough for tight packs, and memory stays bounded. */
const GROUP_TOKENS = 16_000_000;
const GROUP_ROWS = 16_384;

/**
 * Best fit decreasing: the longest row first, each into the pack that it fills best, of equal ones the one that
 * has waited longest. Gives the positions of the costs by pack; packs come in the order in which they were opened.
 * Costs above the length are an error of the caller.
 */
export function bestFitDecreasing(costs: readonly number[], length: number): number[][] {
  const order = costs.map((_, i) => i).sort((a, b) => (costs[b] ?? 0) - (costs[a] ?? 0) || a - b);
  const packs: number[][] = [];
  // more room than all rows take makes no difference, and the index is as long as a pack
  const full = Math.min(
    length,
    costs.reduce((sum, cost) => sum + cost, 0),
  );
  // packs by the room that they have left; the smallest room that suffices is the best fit
  const byRoom = new Map<number, number[]>();
  const rooms = new RoomIndex(full + 1);
  for (const position of order) {
    const cost = costs[position] ?? 0;
    const room = rooms.firstFrom(cost);
    const found = byRoom.get(room)?.shift();
    const pack = found ?? packs.push([]) - 1;
    if (found !== undefined && byRoom.get(room)?.length === 0) rooms.set(room, false);
    packs[pack]?.push(position);
    const left = (found === undefined ? full : room) - cost;
    const equal = byRoom.get(left);
    if (equal === undefined) byRoom.set(left, [pack]);
    else equal.push(pack);
    rooms.set(left, true);
  }
  return packs;
}

/** Which rooms are open, as a tree of counts, so that the smallest one from a bound on is found in log time. */
class RoomIndex {
  readonly #size: number;
  readonly #tree: Uint8Array;

  constructor(rooms: number) {
    this.#size = 2 ** Math.ceil(Math.log2(Math.max(2, rooms)));
    this.#tree = new Uint8Array(2 * this.#size);
  }

  set(room: number, open: boolean): void {
    let node = this.#size + room;
    this.#tree[node] = open ? 1 : 0;
    while (node > 1) {
      node >>= 1;
      this.#tree[node] = (this.#tree[2 * node] ?? 0) | (this.#tree[2 * node + 1] ?? 0);
    }
  }

  /** The smallest open room of at least `bound`, or -1. */
  firstFrom(bound: number): number {
    let node = this.#size + bound;
    if (this.#tree[node] === 1) return bound;
    while (node > 1) {
      const isLeft = node % 2 === 0;
      if (isLeft && this.#tree[node + 1] === 1) {
        node++;
        while (node < this.#size) node = this.#tree[2 * node] === 1 ? 2 * node : 2 * node + 1;
        return node - this.#size;
      }
      node >>= 1;
    }
    return -1;
  }
}

/**
 * Packs rows as they come. Rows of a cost above the length end the export with E_USAGE, or are dropped with
 * `overlong: drop`. Every other row is in exactly one pack.
 */
export async function* packRows<Row extends TokenSource>(
  rows: AsyncIterable<Row>,
  options: PackOptions<Row>,
): AsyncGenerator<Pack<Row>> {
  let group: Row[] = [];
  let tokens = 0;
  for await (const row of rows) {
    if (options.cost(row) > options.length) {
      if (options.overlong === 'error') throw overlongError(row, options.length);
      options.onDrop?.(row);
      continue;
    }
    group.push(row);
    tokens += row.input_ids.length;
    if (tokens < GROUP_TOKENS && group.length < GROUP_ROWS) continue;
    yield* packGroup(group, options);
    group = [];
    tokens = 0;
  }
  yield* packGroup(group, options);
}

function* packGroup<Row extends TokenSource>(
  group: readonly Row[],
  { cost, length }: PackOptions<Row>,
): Generator<Pack<Row>> {
  for (const positions of bestFitDecreasing(group.map(cost), length)) {
    const rows = positions.flatMap((position) => group[position] ?? []);
    const sum = (of: (row: Row) => number): number => rows.reduce((n, row) => n + of(row), 0);
    yield { rows, length: sum((row) => row.input_ids.length), cost: sum(cost) };
  }
}

function overlongError(row: TokenSource, length: number): TrajmillError {
  return new TrajmillError(
    'E_USAGE',
    `row ${row.row_id} has ${row.input_ids.length} tokens, more than a pack of ${length}; give a longer --pack, or ` +
      'leave such rows out with --overlong drop',
  );
}

/** Counts packs for the report: how many, and how full they are. */
export function packStatistics(length: number) {
  let packs = 0;
  let packed = 0;
  let rows = 0;
  let dropped = 0;
  let droppedTrained = 0;
  return {
    drop({ loss_mask }: TokenSource): void {
      dropped++;
      droppedTrained += loss_mask.reduce((ones, bit) => ones + bit, 0);
    },
    add(pack: Pack<unknown>): void {
      packs++;
      rows += pack.rows.length;
      packed += pack.cost;
    },
    counts(): ExportCounts {
      const efficiency = packs === 0 ? 0 : packed / (packs * length);
      return {
        packs,
        packed_rows: rows,
        overlong_rows_dropped: dropped,
        overlong_trained_tokens_dropped: droppedTrained,
        packing_efficiency_percent: Math.round(efficiency * 1e4) / 100,
      };
    },
  };
}
