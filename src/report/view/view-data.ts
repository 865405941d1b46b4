import type { ViewData, ViewRow, ViewSource } from '../../browser/view/data.js';
import { TrajmillError } from '../../errors.js';
import type { RlRow, SftRow } from '../../tables/table-specs.js';
import { TOOL_VERSION } from '../../version.js';
import type { ExplainedReading } from '../explain/explain-trajectory.js';
import type { Explanation } from '../explain/explanation.js';
import { factLines, ruleLines } from '../explain/lines.js';
import { formatCount } from '../units.js';
import type { Engines } from './engines.js';
import { Renderings, type RowShelf, rlRow, rlTurns, sftRow, sftTurns } from './row-turns.js';
import { runShape } from './run-shape.js';
import { anchorOf, TurnList, viewTurn } from './turn-list.js';

export interface ViewParts {
  readonly reading: ExplainedReading;
  readonly sft: readonly SftRow[];
  readonly rl: readonly RlRow[];
  readonly engines: Engines;
}

/** Everything that the page of a trajectory shows. Pure. Throws E_USAGE for a record that never became a trajectory. */
export function viewData({ reading, sft, rl, engines }: ViewParts): ViewData {
  const { explanation, source_log: log } = reading;
  const [standing] = explanation.inputs;
  const id = explanation.trajectory_id;
  if (standing === undefined || id === null) {
    throw new TrajmillError('E_USAGE', 'this record never became a trajectory; see `trajmill explain`');
  }
  const trajectory = log.read ? log.trajectory : null;
  const turns = new TurnList();
  trajectory?.turns.forEach((turn, number) => {
    turns.add(anchorOf(number), () => viewTurn(turn, { number, anchor: anchorOf(number) }));
  });
  const renderings = new Renderings();
  const foreign = foreignTokenizer(sft, engines);
  const rows =
    foreign !== null
      ? []
      : shelved({ turns, renderings, trajectory, task: explanation.task, engines }, sft, rl);
  return {
    trajectory_id: id,
    task: explanation.task?.task_id ?? standing.task_id,
    decision: decisionOf(explanation),
    source: sourceOf(reading, foreign),
    inputs: explanation.inputs.map(({ source_path: path, decision }) => ({ path, decision })),
    facts: factLines(explanation),
    rules: ruleLines(explanation).map(
      ({ rule, verdict, detail, cut }) => `${rule}: ${verdict}: ${detail}${cut}`,
    ),
    flags: explanation.flags.map(({ flag, meaning }) => [flag, meaning] as const),
    turns: turns.turns,
    renderings: renderings.list,
    rows,
    ...runShape({ explanation, turns, rows }),
    tool_version: TOOL_VERSION,
  };
}

interface Shelf extends Omit<RowShelf, 'engines'> {
  readonly engines: Engines;
}

/** The longest rows come first to the list of turns, so that turns stand in it in order. */
function shelved({ engines, ...rest }: Shelf, sft: readonly SftRow[], rl: readonly RlRow[]): ViewRow[] {
  if (engines.unable !== null) return [];
  const shelf: RowShelf = { ...rest, engines };
  const turns = new Map(
    sft
      .toSorted((a, b) => a.epoch - b.epoch || b.n_turns - a.n_turns)
      .map((row) => [row.row_id, sftTurns(row, shelf)]),
  );
  return [
    ...sft.map((row) => sftRow(row, turns.get(row.row_id) ?? [])),
    ...rl.map((row) => rlRow(row, rlTurns(row, shelf))),
  ];
}

/** Why the rows cannot be decoded; null where they can. */
function foreignTokenizer(sft: readonly SftRow[], engines: Engines): string | null {
  if (engines.unable !== null) return engines.unable;
  const other = sft.find(({ tokenizer_sha256: sha256 }) => sha256 !== engines.encoder.sha256);
  return other === undefined
    ? null
    : `its tokenizer has sha256 ${other.tokenizer_sha256}, which is not at hand`;
}

function decisionOf({ inputs }: Explanation): string {
  const [input] = inputs;
  if (input === undefined) return 'unknown';
  return input.reason === null ? input.decision : `${input.decision}: ${input.reason}`;
}

function sourceOf({ explanation, source_log: log }: ExplainedReading, unmarked: string | null): ViewSource {
  const [input] = explanation.inputs;
  return {
    from: log.read ? 'log' : 'tables',
    because: log.read ? null : log.because,
    path: input?.source_path ?? '',
    bytes: `${formatCount(input?.byte_start ?? 0)} to ${formatCount(input?.byte_end ?? 0)}`,
    sha256: input?.sha256 ?? '',
    unmarked,
  };
}
