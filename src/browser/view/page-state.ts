import { heldTurns } from './blocks.js';
import type { ViewData, ViewRow, ViewRowTurn, ViewWindow } from './data.js';

/** What of a turn depends on the chosen row. */
export interface TurnState {
  readonly held: readonly ViewRowTurn[];
  readonly n_tokens: number;
  readonly n_trained: number;
  /** why no token of the row is here; null where there are some */
  readonly absent: string | null;
}

/** The data of the page with the row that is chosen. */
export class PageState {
  readonly data: ViewData;
  readonly windowsAt: ReadonlyMap<number, readonly ViewWindow[]>;
  #row: ViewRow | null;
  #held: ReadonlyMap<number, readonly ViewRowTurn[]>;

  constructor(data: ViewData) {
    this.data = data;
    this.#row = data.rows[0] ?? null;
    this.#held = heldTurns(this.#row);
    const at = new Map<number, ViewWindow[]>();
    for (const window of data.windows) {
      for (let turn = Math.max(0, window.first); turn <= window.last; turn++) {
        at.set(turn, [...(at.get(turn) ?? []), window]);
      }
    }
    this.windowsAt = at;
  }

  get row(): ViewRow | null {
    return this.#row;
  }

  choose(id: string): void {
    this.#row = this.data.rows.find((row) => row.id === id) ?? this.#row;
    this.#held = heldTurns(this.#row);
  }

  /** Position of the turn where the chosen prefix ends; null for sequences. */
  get anchor(): number | null {
    const number = this.#row?.anchor ?? null;
    if (number === null) return null;
    const position = this.data.turns.findIndex((turn) => turn.anchor === `turn-${number}`);
    return position === -1 ? null : position;
  }

  turnState(position: number): TurnState {
    const held = this.#held.get(position) ?? [];
    const sum = (field: 'n_tokens' | 'n_trained'): number => held.reduce((n, each) => n + each[field], 0);
    return {
      held,
      n_tokens: sum('n_tokens'),
      n_trained: sum('n_trained'),
      absent: held.length > 0 ? null : this.#absence(position),
    };
  }

  #absence(position: number): string {
    const row = this.#row;
    if (row === null) {
      return this.data.source.unmarked === null ? 'no row was written' : 'not marked';
    }
    const { anchor } = this;
    if (anchor !== null && position > anchor && row.cut_turns > 0) return 'cut: after the anchor';
    return 'not in this row';
  }

  /** Positions of turns that the chosen row trains. */
  get trained(): number[] {
    return [...this.#held]
      .filter(([, turns]) => turns.some(({ n_trained }) => n_trained > 0))
      .map(([position]) => position)
      .sort((a, b) => a - b);
  }
}
