import type { ViewPiece, ViewRow, ViewRowTurn } from '../../browser/view/data.js';
import type { TaskRecord } from '../../grading/task-record.js';
import type { RlRow, SftRow } from '../../tables/table-specs.js';
import type { SpanKind } from '../../trajectory/span.js';
import type { Trajectory } from '../../trajectory/trajectory.js';
import { formatCount } from '../units.js';
import type { Engines } from './engines.js';
import { guessSegments } from './guess-segments.js';
import { decodeTokens, type MarkedTurn, markTurns } from './marked-text.js';
import { placeRl, placeSft } from './place-segments.js';
import { anchorInRow, anchorOf, type TurnList, turnsOfRow, viewTurn } from './turn-list.js';

type OpenEngines = Extract<Engines, { unable: null }>;

/** Renderings of turns, each once: rows of one trajectory show mostly the same. */
export class Renderings {
  readonly list: (readonly ViewPiece[])[] = [];
  readonly #known = new Map<string, number>();

  add(pieces: readonly ViewPiece[], turn: number): number {
    const key = `${turn} ${JSON.stringify(pieces)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.list.length);
    return this.list.push(pieces) - 1;
  }
}

export interface RowShelf {
  readonly turns: TurnList;
  readonly renderings: Renderings;
  /** null where the source log is not at hand */
  readonly trajectory: Trajectory | null;
  readonly task: TaskRecord | null;
  readonly engines: OpenEngines;
}

/** An sft row with its turns marked as its tokens say. */
export function sftTurns(row: SftRow, shelf: RowShelf): ViewRowTurn[] {
  const { encoder, renderer } = shelf.engines;
  const decoded = decodeTokens(row.input_ids, encoder);
  const placed = renderer === null ? null : placeSft(row, decoded, { encoder, renderer });
  if (placed === null) return guessedTurns(row, { decoded, shelf, name: shortName(row.row_id) });
  const { trajectory, turns: list } = shelf;
  const numbers = trajectory === null ? null : turnsOfRow(row, placed.turns, trajectory);
  return rowTurns(markTurns(row, decoded, placed.placed), shelf, (index) => {
    const number = numbers?.[index] ?? index;
    const anchor = numbers === null ? anchorInRow(row, index) : anchorOf(number);
    const turn = placed.turns[index];
    return list.add(anchor, () => viewTurn(turn ?? EMPTY, { number, anchor }));
  });
}

/** A sequence of table rl with its turns marked as its tokens say. */
export function rlTurns(row: RlRow, shelf: RowShelf): ViewRowTurn[] {
  const { encoder, renderer, config } = shelf.engines;
  const { trajectory, task, turns: list } = shelf;
  const decoded = decodeTokens(row.input_ids, encoder);
  const epoch = epochOf(row.sequence_id);
  const placed =
    renderer === null || trajectory === null
      ? null
      : placeRl(row, decoded, { encoder, renderer, trajectory, task, epoch, config });
  if (placed === null) return guessedTurns(row, { decoded, shelf, name: shortName(row.sequence_id) });
  return rowTurns(
    markTurns(row, decoded, placed),
    shelf,
    (number) => list.positionOf(Math.max(0, number)) ?? 0,
  );
}

/** 0 of `<id>.rl.e0` and of `<id>.rl.e0.p1`. */
export const epochOf = (sequenceId: string): number =>
  Number(/\.e(\d+)(?:\.p\d+)?$/.exec(sequenceId)?.[1] ?? 0);

/** The name of a row without the id of its trajectory. */
export const shortName = (id: string): string => id.slice(id.indexOf('.') + 1);

const EMPTY = {
  role: 'user' as const,
  name: null,
  tool_call_id: null,
  spans: [],
  truncated: null,
  weight: 1,
  timestamp: null,
  policy: null,
  flags: [],
};

/** Turns as far as the tokens alone tell them. They stand apart from those that are known. */
function guessedTurns(
  row: Pick<SftRow | RlRow, 'input_ids' | 'loss_mask'>,
  { decoded, shelf, name }: { decoded: ReturnType<typeof decodeTokens>; shelf: RowShelf; name: string },
): ViewRowTurn[] {
  const guessed = guessSegments(row.input_ids, decoded, shelf.engines.encoder);
  const marked = markTurns(row, decoded, guessed);
  return rowTurns(marked, shelf, (index) => {
    const anchor = `${name}-turn-${index}`;
    const role = guessed.roles[index] ?? 'context';
    const words = marked.find(({ turn }) => turn === index)?.pieces.filter(({ glue }) => !glue) ?? [];
    const text = words.map((piece) => piece.text).join('');
    const model = role === 'assistant' || role === 'model';
    const kind: SpanKind = model ? 'text' : role === 'tool' ? 'observation' : 'prompt';
    return shelf.turns.add(anchor, () => ({
      number: index,
      anchor,
      role,
      name: null,
      time: null,
      notes: ['where this turn begins was read off the tokens'],
      spans: [{ kind, model, text, call: null }],
    }));
  });
}

function rowTurns(
  marked: readonly MarkedTurn[],
  { turns: list, renderings }: RowShelf,
  positionOf: (turn: number) => number,
): ViewRowTurn[] {
  return marked.map(({ turn: index, pieces, ...rest }) => {
    const turn = positionOf(index);
    const spans = list.turns[turn]?.spans ?? [];
    const stored = pieces.map(({ text, ...piece }): ViewPiece => {
      const own = !piece.glue && piece.span >= 0 && spans[piece.span]?.text === text;
      return own ? piece : { ...piece, text };
    });
    return { turn, rendering: renderings.add(stored, turn), ...rest };
  });
}

/** A row or sequence that was divided for its length. */
function partOf(id: string): string {
  const part = /\.p(\d+)$/.exec(id)?.[1];
  return part === undefined ? '' : `, part ${part}`;
}

/** What an sft row is, for the choice of rows. */
export function sftRow(row: SftRow, turns: readonly ViewRowTurn[]): ViewRow {
  const { anchor_score: score, score_scale: scale, medal } = row;
  const parts = [
    `${row.rules.join(' and ')} to turn ${row.anchor_turn}${partOf(row.row_id)}`,
    ...(row.epoch > 0 ? [`epoch ${row.epoch}`] : []),
    ...(row.stretch > 0 || row.ids_differ_because.includes('split') ? [`stretch ${row.stretch}`] : []),
    ...(/\+\d+\./.exec(row.row_id) ?? []).map((copy) => `copy ${copy.slice(1, -1)}`),
  ];
  return {
    id: row.row_id,
    table: 'sft',
    label: `sft · ${parts.join(', ')}`,
    n_tokens: row.n_tokens,
    n_trained: row.n_trained,
    anchor: row.anchor_turn,
    anchor_score: score === null ? null : `${score} (${scale}${medal === null ? '' : `, medal: ${medal}`})`,
    cut_turns: row.cut_turns,
    cut_tokens: row.cut_tokens,
    facts: [
      ['row', row.row_id],
      ['tokens', `${formatCount(row.n_tokens)}, ${formatCount(row.n_trained)} trained`],
      ['mask', `policy ${row.mask_policy}, ${row.straddled_tokens} straddling tokens`],
      ...(row.off_path_turns > 0 ? [offPath(row)] : []),
      ['strategy', `${row.strategy}${differences(row.ids_differ_because)}`],
      ['split', `${row.split}${row.stage === null ? '' : `, stage ${row.stage}`}, weight ${row.weight}`],
      ['proved', row.proofs.join(', ')],
    ],
    turns,
  };
}

const offPath = ({ off_path_turns: turns, off_path_tokens: tokens }: SftRow) =>
  ['left out', `${turns} turns and ${formatCount(tokens)} tokens off the path to the anchor`] as const;

const differences = (because: readonly string[]): string =>
  because.length === 0
    ? ', ids as the template renders them'
    : `, ids differ from the template's own: ${because.join(', ')}`;

const UNPAID = ['note', 'windows that pay nothing are marked too, but a trainer leaves them out'] as const;

/** What a sequence is, for the choice of rows. */
export function rlRow(row: RlRow, turns: readonly ViewRowTurn[]): ViewRow {
  const trained = Array.from(row.window_n_trained).reduce((sum, n) => sum + n, 0);
  const count = row.window_rewards.length;
  return {
    id: row.sequence_id,
    table: 'rl',
    label: `rl · epoch ${epochOf(row.sequence_id)}${partOf(row.sequence_id)}, ${count} ${count === 1 ? 'window' : 'windows'}`,
    n_tokens: row.input_ids.length,
    n_trained: trained,
    anchor: null,
    anchor_score: null,
    cut_turns: 0,
    cut_tokens: 0,
    facts: [
      ['row', row.sequence_id],
      ['tokens', `${formatCount(row.input_ids.length)}, ${formatCount(trained)} trained`],
      ['policy data', `${row.policy_data}${row.weight_version === null ? '' : `, ${row.weight_version}`}`],
      ['split', row.split],
      ...(Array.from(row.window_rewards).includes(null) ? [UNPAID] : []),
    ],
    turns,
  };
}
