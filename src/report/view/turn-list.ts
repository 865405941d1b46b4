import type { ViewSpan, ViewTurn } from '../../browser/view/data.js';
import { turnsOffPath } from '../../selection/anchor-path.js';
import type { SftRow } from '../../tables/table-specs.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import type { Turn } from '../../trajectory/turn.js';

/** The turns of a page in order, each known by its anchor. */
export class TurnList {
  readonly #turns: ViewTurn[] = [];
  readonly #positions = new Map<string, number>();

  get turns(): readonly ViewTurn[] {
    return this.#turns;
  }

  /** Position of a turn; it is added where it is not there yet. */
  add(anchor: string, make: () => ViewTurn): number {
    const known = this.#positions.get(anchor);
    if (known !== undefined) return known;
    this.#positions.set(anchor, this.#turns.length);
    return this.#turns.push(make()) - 1;
  }

  /** Position of a turn of the trajectory, null where the page does not have it. */
  positionOf(number: number): number | null {
    return this.#positions.get(anchorOf(number)) ?? null;
  }
}

export const anchorOf = (number: number): string => `turn-${number}`;

/** A turn as the page shows it. */
export function viewTurn(turn: Turn, { number, anchor }: Pick<ViewTurn, 'number' | 'anchor'>): ViewTurn {
  const { role, name, timestamp: time, truncated, weight, flags } = turn;
  const notes = [
    ...(truncated === null ? [] : [`cut short: ${truncated}`]),
    ...(weight === 1 ? [] : [`weight ${weight}`]),
    ...flags,
  ];
  return { number, anchor, role, name, time, notes, spans: turn.spans.map(viewSpan) };
}

function viewSpan({ kind, origin, text, call }: Turn['spans'][number]): ViewSpan {
  return { kind, model: origin === 'model', text, call: call?.name ?? null };
}

export type PlacedRow = Pick<
  SftRow,
  'row_id' | 'epoch' | 'flags' | 'prefix' | 'anchor_turn' | 'off_path_turns'
>;

/** A row that shows the task and then a stretch from the middle: its turns are no beginning of the epoch. */
function isWindowed({ row_id: id, flags }: PlacedRow): boolean {
  return flags.includes('context_cut') || /\.p\d+$/.test(id);
}

/**
 * Which turns of the trajectory the messages of an sft row are. Rows begin with their epoch, without what lies off the
 * path of a lineage; one that was split for its length shows the task and a later stretch, which is found by its text.
 */
export function turnsOfRow(
  row: PlacedRow,
  messages: readonly Turn[],
  trajectory: Trajectory,
): readonly number[] {
  const off = row.prefix === 'lineage' ? turnsOffPath(trajectory, row.anchor_turn) : null;
  const left = new Set(off);
  const turns = (trajectory.epochs[row.epoch]?.turns ?? []).filter((turn) => !left.has(turn));
  if (!isWindowed(row)) return turns.slice(0, messages.length);
  const firstReply = messages.findIndex(({ role }) => role === 'assistant');
  const task = firstReply === -1 ? messages.length : firstReply;
  const rest = messages.slice(task).map(signature);
  const whole = turns.map((turn) => signature(trajectory.turns[turn]));
  for (let from = task; from + rest.length <= whole.length; from++) {
    if (rest.every((text, i) => whole[from + i] === text)) {
      return [...turns.slice(0, task), ...turns.slice(from, from + rest.length)];
    }
  }
  return turns.slice(0, messages.length);
}

/** What tells turns apart. Messages keep role and texts of their spans. */
function signature(turn: Turn | undefined): string {
  return turn === undefined ? '' : `${turn.role}\0${turn.spans.map(({ text }) => text).join('\0')}`;
}

/**
 * The anchor of message `index` of a row where the log is not at hand: rows of one epoch begin alike, so they share their
 * turns; those of the first epoch are numbered as in the trajectory as long as nothing was rewound or lies off a path.
 */
export function anchorInRow(row: PlacedRow, index: number): string {
  if (isWindowed(row) || row.off_path_turns > 0)
    return `${row.row_id.slice(row.row_id.indexOf('.') + 1)}-turn-${index}`;
  return row.epoch === 0 ? anchorOf(index) : `epoch-${row.epoch}-turn-${index}`;
}
