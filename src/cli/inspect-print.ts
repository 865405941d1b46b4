import { nameText } from '../report/terminal-text.js';
import { SELECTION_RULES } from '../selection/decision.js';
import type { FileInspection, InspectedTrajectory } from './inspect-file.js';
import type { Paint } from './style.js';
import { formatTable, oneLine, type TableColumn } from './table.js';

const EXECUTION_COLUMNS: readonly TableColumn[] = [
  { title: 'execution' },
  { title: 'turns' },
  { title: 'kind' },
  { title: 'tool' },
  { title: 'status' },
  { title: 'seconds', align: 'right' },
  { title: 'score', align: 'right' },
  { title: 'scale' },
  { title: 'submitted' },
  { title: 'medal' },
];

const WINDOW_COLUMNS: readonly TableColumn[] = [
  { title: 'window', align: 'right' },
  { title: 'turns' },
  { title: 'execution' },
  { title: 'outcome' },
  { title: 'score', align: 'right' },
  { title: 'trend' },
  { title: 'reward', align: 'right' },
  { title: 'flags' },
];

const ANCHOR_COLUMNS: readonly TableColumn[] = [
  { title: 'anchor' },
  { title: 'turn', align: 'right' },
  { title: 'score', align: 'right' },
  { title: 'because' },
];

const NAME_LIMIT = 28;
const NOTHING = '-';

/** An inspected file as text for people. */
export function formatInspection(file: FileInspection, paint: Paint): string {
  const format = file.format ?? 'no format';
  const because = file.detected_because === null ? '' : ` (${oneLine(file.detected_because, 100)})`;
  const lines = [`${paint('bold', nameText(file.file))}  ${format}${because}\n`];
  if (file.sidecar_of !== null)
    lines.push(`  holds no trajectory: a companion of ${nameText(file.sidecar_of)}\n`);
  for (const { line, code, message } of file.rejects) {
    const place = line === null ? '' : `line ${line}: `;
    lines.push(`  ${paint('red', 'rejected')}  ${place}${code}: ${oneLine(message, 160)}\n`);
  }
  for (const trajectory of file.trajectories) lines.push(formatTrajectory(trajectory, paint));
  return lines.join('');
}

function formatTrajectory(trajectory: InspectedTrajectory, paint: Paint): string {
  const heading = (text: string): string => paint('dim', text);
  const indent = 4;
  const parts = [
    headLine(trajectory, paint),
    formatTable(EXECUTION_COLUMNS, trajectory.executions.map(executionCells), { indent, heading }),
    formatTable(WINDOW_COLUMNS, trajectory.windows.map(windowCells), { indent, heading }),
    formatTable(ANCHOR_COLUMNS, anchorRows(trajectory), { indent, heading }),
  ];
  const { flags, secrets_masked: secrets, contradiction } = trajectory;
  const notes: string[] = [];
  if (contradiction !== null)
    notes.push(`${paint('red', 'rejected by a run')}: ${oneLine(contradiction, 160)}`);
  if (flags.length > 0) notes.push(`flags: ${flags.map((flag) => oneLine(flag, NAME_LIMIT * 2)).join(', ')}`);
  const kinds = Object.entries(secrets).map(([kind, count]) => `${kind} ${count}`);
  if (kinds.length > 0) notes.push(`secrets masked: ${kinds.join(', ')}`);
  return `${parts.filter((part) => part !== '').join('\n')}${notes.map((text) => `\n    ${text}`).join('')}\n`;
}

function headLine(trajectory: InspectedTrajectory, paint: Paint): string {
  const { task_id: task, task_known: known, line, scaffold, model, n_epochs: epochs } = trajectory;
  const place = line === null ? '' : ` line ${line}`;
  const found = known ? `by ${trajectory.task_found_by}` : 'no record';
  const facts = [
    `trajectory ${trajectory.trajectory_id.slice(0, 12)}${place}`,
    task === null ? 'no task' : `task ${oneLine(task, 60)} (${found})`,
    ...(scaffold === null ? [] : [oneLine(scaffold, NAME_LIMIT)]),
    ...(model === null ? [] : [oneLine(model, NAME_LIMIT * 2)]),
    `${trajectory.n_turns} turns`,
    ...(epochs > 1 ? [`${epochs} context epochs`] : []),
    `ended: ${trajectory.termination}`,
  ];
  return `\n  ${paint('cyan', facts.join('  '))}\n`;
}

function executionCells(execution: InspectedTrajectory['executions'][number]): string[] {
  const { call_turn: call, feedback_turn: feedback, submitted, gradable, invalidated } = execution;
  return [
    oneLine(execution.execution_id, NAME_LIMIT) + (invalidated ? ' (invalidated)' : ''),
    feedback === null ? `${call}-` : `${call}-${feedback}`,
    execution.kind,
    oneLine(execution.tool, NAME_LIMIT),
    execution.status,
    execution.seconds === null ? NOTHING : execution.seconds.toFixed(1),
    formatScore(execution.score),
    execution.score_scale ?? NOTHING,
    submitted ? (gradable ? 'graded' : 'not gradable') : 'no',
    execution.medal ?? NOTHING,
  ];
}

function windowCells(window: InspectedTrajectory['windows'][number]): string[] {
  return [
    String(window.index),
    `${window.turn_start}-${window.turn_end}`,
    oneLine(window.execution_id, NAME_LIMIT),
    window.outcome,
    formatScore(window.score),
    window.trend ?? NOTHING,
    window.reward === null ? NOTHING : window.reward.toFixed(1),
    window.flags.join(', '),
  ];
}

function anchorRows(trajectory: InspectedTrajectory): string[][] {
  return SELECTION_RULES.map((rule) => {
    const { anchor_turn: turn, score, reason, detail } = trajectory.anchors[rule];
    const why = reason === 'kept' ? detail : `${reason}: ${detail}`;
    return [rule, turn === null ? NOTHING : String(turn), formatScore(score), oneLine(why, 120)];
  });
}

/** As logged: no rounding, so that what is shown is what was compared. */
function formatScore(score: number | null): string {
  return score === null ? NOTHING : String(score);
}
