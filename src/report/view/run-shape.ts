import type {
  ViewData,
  ViewJumps,
  ViewRow,
  ViewScore,
  ViewThreshold,
  ViewWindow,
} from '../../browser/view/data.js';
import type { TaskRecord } from '../../grading/task-record.js';
import { SCORE_SCALES, type ScoreScale } from '../../trajectory/execution.js';
import type { Explanation } from '../explain/explanation.js';
import type { TurnList } from './turn-list.js';

type Shape = Pick<ViewData, 'windows' | 'scores' | 'thresholds' | 'jumps' | 'lower_is_better' | 'metric'>;

interface ShapeInput {
  readonly explanation: Explanation;
  readonly turns: TurnList;
  readonly rows: readonly ViewRow[];
}

/** Windows, scores and places to jump to, as positions of the page's turns. What lies in no turn of it is left out. */
export function runShape({ explanation, turns, rows }: ShapeInput): Shape {
  const { task } = explanation;
  const windows = windowsOf(explanation, turns);
  const scores = scoresOf(explanation, { turns, windows: withTokens(windows, rows, explanation) });
  return {
    windows: withTokens(windows, rows, explanation),
    scores,
    thresholds: thresholdsOf(task),
    jumps: jumpsOf(explanation, { turns, scores }),
    lower_is_better: task?.is_lower_better ?? null,
    metric: task?.metric ?? null,
  };
}

const NOWHERE = -1;

function windowsOf({ windows }: Explanation, turns: TurnList): ViewWindow[] {
  return windows.map((window) => ({
    id: window.window_id,
    first: turns.positionOf(window.turn_start) ?? NOWHERE,
    last: turns.positionOf(window.turn_end) ?? NOWHERE,
    execution: window.execution_id,
    outcome: window.outcome,
    score: window.score,
    scale: window.score_scale,
    trend: window.trend,
    reward: window.reward,
    n_trained: window.n_trained,
    why: window.why,
  }));
}

/** Where turns are known from the tokens of a sequence alone, its windows lie where their tokens lie. */
function withTokens(
  windows: readonly ViewWindow[],
  rows: readonly ViewRow[],
  { windows: stored }: Explanation,
): ViewWindow[] {
  return windows.map((window, i) => {
    if (window.first !== NOWHERE && window.last !== NOWHERE) return window;
    const sequence = stored[i]?.sequence_id ?? null;
    const row = rows.find(({ id }) => id === sequence);
    const own = stored
      .filter(({ sequence_id: id }) => id === sequence)
      .findIndex(({ window_id: id }) => id === window.id);
    const held = (row?.turns ?? []).flatMap(({ turn, windows: list }) => (list.includes(own) ? [turn] : []));
    return { ...window, first: held[0] ?? NOWHERE, last: held.at(-1) ?? NOWHERE };
  });
}

function scoresOf(
  { executions }: Explanation,
  { turns, windows }: { turns: TurnList; windows: readonly ViewWindow[] },
): ViewScore[] {
  return executions.flatMap((row) => {
    const window = windows.find(({ execution }) => execution === row.execution_id);
    const place = turns.positionOf(row.feedback_turn ?? row.call_turn) ?? window?.last ?? NOWHERE;
    if (place === NOWHERE) return [];
    const byScale: Record<ScoreScale, number | null> = {
      test: row.score_test,
      validation: row.score_validation,
      self_reported: row.score_self_reported,
    };
    const scores: Record<string, number> = {};
    for (const scale of SCORE_SCALES) {
      const score = byScale[scale];
      if (score !== null) scores[scale] = score;
    }
    const { execution_id: execution, invalidated, status } = row;
    return [{ turn: place, execution, outcome: window?.outcome ?? status, scores, invalidated }];
  });
}

function thresholdsOf(task: TaskRecord | null): ViewThreshold[] {
  return Object.entries(task?.thresholds ?? {}).flatMap(([name, score]) =>
    score === null ? [] : [{ name, score }],
  );
}

const FAILED: ReadonlySet<string> = new Set(['error', 'timeout', 'infrastructure']);

function jumpsOf(
  { executions, task }: Explanation,
  { turns, scores }: { turns: TurnList; scores: readonly ViewScore[] },
): ViewJumps {
  const feedback = (wanted: (row: Explanation['executions'][number]) => boolean): number[] => {
    const places = executions
      .filter(wanted)
      .map((row) => turns.positionOf(row.feedback_turn ?? row.call_turn) ?? NOWHERE);
    return [...new Set(places.filter((place) => place !== NOWHERE))].sort((a, b) => a - b);
  };
  return {
    errors: feedback(({ status }) => FAILED.has(status)),
    submissions: feedback(({ submitted }) => submitted),
    best: bestOf(scores, task),
  };
}

/** The first best score on the scale that comes first of those that the run has. */
function bestOf(scores: readonly ViewScore[], task: TaskRecord | null): number | null {
  if (task === null) return null;
  const scale = SCORE_SCALES.find((name) => scores.some((each) => each.scores[name] !== undefined));
  if (scale === undefined) return null;
  const sign = task.is_lower_better ? -1 : 1;
  let best: { readonly turn: number; readonly value: number } | null = null;
  for (const { turn, scores: own, invalidated } of scores) {
    const score = own[scale];
    if (score === undefined || invalidated) continue;
    if (best === null || sign * score > best.value) best = { turn, value: sign * score };
  }
  return best?.turn ?? null;
}
