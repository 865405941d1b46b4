import type { DiffRow, DiffRowHead, DiffSegment, DiffTrajectory, DiffTurn } from '../../browser/diff/data.js';
import type { ViewData, ViewRow, ViewRowTurn } from '../../browser/view/data.js';
import { diffTurn, isSame, type MarkedText, type MarkedTexts } from './diff-turn.js';

/** Of a text that is the same on both sides this much is kept at each end. */
const CONTEXT = 160;

/** A trajectory in two corpora: what differs in its rows, their texts and their marks. Null: a corpus does not have it. */
export function diffTrajectory(id: string, a: ViewData | null, b: ViewData | null): DiffTrajectory {
  const pairs = pairRows(a?.rows ?? [], b?.rows ?? []);
  const rows = pairs.map(([left, right]) => diffRow(sideOf(a, left), sideOf(b, right)));
  const differing = rows.filter(isDifferent);
  return {
    trajectory_id: id,
    task: a?.task ?? b?.task ?? null,
    a: a?.decision ?? 'not there',
    b: b?.decision ?? 'not there',
    unmarked: a?.source.unmarked ?? b?.source.unmarked ?? null,
    rows: differing,
    same_rows: rows.length - differing.length,
  };
}

/** Whether anything of a trajectory differs. */
export const differs = ({ a, b, rows }: DiffTrajectory): boolean => a !== b || rows.length > 0;

function isDifferent({ a, b, turns, only_a, only_b }: DiffRow): boolean {
  return (
    a === null ||
    b === null ||
    turns.length + only_a.length + only_b.length > 0 ||
    a.n_tokens !== b.n_tokens ||
    a.anchor !== b.anchor
  );
}

type Pair = readonly [ViewRow | null, ViewRow | null];

/** Rows of one name, then those of one prefix by other rules, then those of one rule that end elsewhere; the rest stand alone. */
function pairRows(a: readonly ViewRow[], b: readonly ViewRow[]): Pair[] {
  const free = new Set(b);
  const partners = new Map<ViewRow, ViewRow>();
  for (const key of [(row: ViewRow) => row.id, prefixOf, placeOf]) {
    for (const row of a) {
      if (partners.has(row)) continue;
      const partner = [...free].find((other) => other.table === row.table && key(other) === key(row));
      if (partner === undefined) continue;
      partners.set(row, partner);
      free.delete(partner);
    }
  }
  return [
    ...a.map((row): Pair => [row, partners.get(row) ?? null]),
    ...[...free].map((row): Pair => [null, row]),
  ];
}

/** `<id>.14.e0.s0` of `<id>.best.14.e0.s0`. */
const prefixOf = ({ id }: ViewRow): string => id.replace(/\.[a-z-]+(\.\d+\.e\d+\.)/, '$1');

/** `<id>.best.e0.s0` of `<id>.best.14.e0.s0`. */
const placeOf = ({ id }: ViewRow): string => id.replace(/\.\d+\.(e\d+\.)/, '.$1');

interface Side {
  readonly data: ViewData;
  readonly row: ViewRow;
}

const sideOf = (data: ViewData | null, row: ViewRow | null): Side | null =>
  data === null || row === null ? null : { data, row };

function headOf({ row }: Side): DiffRowHead {
  const { id, label, n_tokens, n_trained, anchor } = row;
  return { id, label, n_tokens, n_trained, anchor };
}

interface SideTurn {
  readonly number: number;
  readonly role: string;
  readonly texts: MarkedTexts;
}

function diffRow(a: Side | null, b: Side | null): DiffRow {
  const [left, right] = [turnsOf(a), turnsOf(b)];
  const both = [...left].flatMap(([anchor, turn]) => {
    const other = right.get(anchor);
    return other === undefined ? [] : [{ turn, other }];
  });
  const turns = both.flatMap(({ turn, other }): DiffTurn[] => {
    const segments = diffTurn(turn.texts, other.texts);
    if (segments.every(isSame)) return [];
    return [{ number: turn.number, role: turn.role, segments: segments.map(shortened) }];
  });
  const only = (own: ReadonlyMap<string, SideTurn>, other: ReadonlyMap<string, SideTurn>): number[] =>
    [...own].flatMap(([anchor, { number }]) => (other.has(anchor) ? [] : [number]));
  const alone = a === null || b === null;
  return {
    table: (a ?? b)?.row.table ?? 'sft',
    a: a === null ? null : headOf(a),
    b: b === null ? null : headOf(b),
    turns,
    same_turns: both.length - turns.length,
    only_a: alone ? [] : only(left, right),
    only_b: alone ? [] : only(right, left),
  };
}

/** The turns of a row by their anchor: both corpora are of the same logs, so anchors mean the same. */
function turnsOf(side: Side | null): Map<string, SideTurn> {
  const turns = new Map<string, SideTurn>();
  for (const held of side?.row.turns ?? []) {
    const turn = side?.data.turns[held.turn];
    if (side === null || turn === undefined) continue;
    const before = turns.get(turn.anchor);
    const { number, role } = turn;
    turns.set(turn.anchor, {
      number,
      role,
      texts: [...(before?.texts ?? []), ...textsOf(side.data, held)],
    });
  }
  return turns;
}

function textsOf(data: ViewData, { turn, rendering, trained }: ViewRowTurn): MarkedText[] {
  let start = 0;
  return (data.renderings[rendering] ?? []).map(({ part, span, text: stored }) => {
    const text = stored ?? data.turns[turn]?.spans[span]?.text ?? '';
    const end = start + text.length;
    const own: number[] = [];
    for (let k = 0; k < trained.length; k += 2) {
      const from = Math.max(start, trained[k] ?? 0);
      const to = Math.min(end, trained[k + 1] ?? 0);
      if (from < to) own.push(from - start, to - start);
    }
    start = end;
    return { part, text, trained: own };
  });
}

/** A text that is the same without its middle, where it is long. */
function shortened(segment: DiffSegment): DiffSegment {
  const { text } = segment;
  if (!isSame(segment) || text.length <= 2 * CONTEXT + 40) return segment;
  const head = text.slice(0, CONTEXT).replace(/[\ud800-\udbff]$/, '');
  const tail = text.slice(-CONTEXT).replace(/^[\udc00-\udfff]/, '');
  return { ...segment, text: head, tail, left_out: text.length - head.length - tail.length };
}
