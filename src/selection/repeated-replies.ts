import { createHash } from 'node:crypto';
import type { Trajectory } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';

/** Bytes of a key. */
const KEY_BYTES = 8;

/** A time with a part of a second: whole seconds, and those that were filled up with zeros, two runs may well share. */
const FINE_TIME = /[.,]\d*[1-9]/;

/** Turns that hold something which a model wrote in this run, in their order. */
export function replyTurns({ turns }: Pick<Trajectory, 'turns'>): number[] {
  return turns.flatMap((turn, index) => (turn.spans.some(({ origin }) => origin === 'model') ? [index] : []));
}

/**
 * What tells each reply of a run from all others, for those of replyTurns: the moment at which it was written and its
 * words, calls with their ids. A log that was begun as a copy of another one has these of its predecessor, whatever
 * it calls itself. 0 for a reply without such a moment, which is compared with none.
 */
export function replyKeys(trajectory: Pick<Trajectory, 'turns'>): BigUint64Array {
  const { turns } = trajectory;
  return BigUint64Array.from(replyTurns(trajectory), (index) => keyOf(turns[index]));
}

function keyOf(turn: Turn | undefined): bigint {
  if (turn === undefined || turn.timestamp === null || !FINE_TIME.test(turn.timestamp)) return 0n;
  const words = turn.spans.flatMap(({ origin, kind, text, call }) =>
    origin === 'model' ? [[kind, call?.id ?? null, call?.name ?? null, text]] : [],
  );
  const hash = createHash('sha256').update(JSON.stringify([turn.timestamp, words]));
  return hash.digest().readBigUInt64LE(0);
}

/** Keys as text, empty where no reply can be told from others. */
export function encodeReplyKeys(keys: BigUint64Array): string {
  if (keys.every((key) => key === 0n)) return '';
  const bytes = Buffer.alloc(keys.length * KEY_BYTES);
  for (const [index, key] of keys.entries()) bytes.writeBigUInt64LE(key, index * KEY_BYTES);
  return bytes.toString('base64');
}

export function decodeReplyKeys(text: string): BigUint64Array {
  const bytes = Buffer.from(text, 'base64');
  const length = Math.floor(bytes.length / KEY_BYTES);
  return BigUint64Array.from({ length }, (_, index) => bytes.readBigUInt64LE(index * KEY_BYTES));
}

/** A run with the keys of its replies as text. */
export interface RepliedRun {
  readonly id: string;
  readonly keys: string;
}

/** The replies of a run that stand in others before it. */
export interface Repeats {
  /** places among its replies, from 0 */
  readonly places: readonly number[];
  /** index of the run that holds the first of them */
  readonly owner: number;
}

/**
 * For each run its replies that a run before it holds too; null where there are none. Equal runs (of one id) share
 * theirs. Eight bytes a reply are held, and more only of replies that repeat.
 */
export function repeatedReplies(runs: readonly RepliedRun[]): (Repeats | null)[] {
  const repeated = keysOfSeveral(runs);
  const owners = new Map<bigint, number>();
  return runs.map(({ id, keys }, index) => {
    if (repeated.size === 0) return null;
    const places: number[] = [];
    let from: number | null = null;
    for (const [place, key] of decodeReplyKeys(keys).entries()) {
      if (!repeated.has(key)) continue;
      const owner = owners.get(key) ?? index;
      if (owner === index) owners.set(key, index);
      if (runs[owner]?.id === id) continue;
      places.push(place);
      from ??= owner;
    }
    return from === null ? null : { places, owner: from };
  });
}

function keysOfSeveral(runs: readonly RepliedRun[]): Set<bigint> {
  const lists = runs.map(({ keys }) => Math.floor(Buffer.byteLength(keys, 'base64') / KEY_BYTES));
  const all = new BigUint64Array(lists.reduce((sum, length) => sum + length, 0));
  let end = 0;
  for (const { keys } of runs) {
    const own = decodeReplyKeys(keys);
    all.set(own, end);
    end += own.length;
  }
  all.sort();
  const several = new Set<bigint>();
  for (let index = 1; index < all.length; index++) {
    const key = all[index];
    if (key !== undefined && key !== 0n && key === all[index - 1]) several.add(key);
  }
  return several;
}

/** A run whose replies at these places are condition only: another run of the corpus holds them. */
export function withRepeated(trajectory: Trajectory, places: readonly number[]): Trajectory {
  if (places.length === 0) return trajectory;
  const replies = replyTurns(trajectory);
  const marked = new Set(places.flatMap((place) => replies[place] ?? []));
  const turns = trajectory.turns.map((turn, index) =>
    marked.has(index) ? { ...turn, weight: 0, flags: [...turn.flags, 'repeated_reply'] } : turn,
  );
  return { ...trajectory, turns, flags: [...trajectory.flags, 'repeated_replies'] };
}
