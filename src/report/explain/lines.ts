import { formatCount } from '../units.js';
import type { Explanation } from './explanation.js';
import type { ExplainedSft } from './stored-rows.js';

/** A label and what is said under it; an empty label goes on with the one before. */
export type FactLine = readonly [label: string, text: string];

/** What is known of a trajectory as a whole, line by line: source, decision, format, run, task. */
export function factLines({
  inputs,
  rejects,
  task,
  source_log: log,
  reason_meaning: meaning,
}: Explanation): FactLine[] {
  const lines: FactLine[] = [];
  for (const input of inputs) {
    const bytes = `bytes ${formatCount(input.byte_start)} to ${formatCount(input.byte_end)}`;
    lines.push(['source', `${input.source_path}, ${bytes}, sha256 ${input.sha256.slice(0, 12)}`]);
    const { decision, reason, duplicate_of: of } = input;
    const because = reason === null ? '' : `: ${reason}`;
    const known = meaning === null || reason === null ? '' : ` (${meaning})`;
    lines.push(['decision', `${decision}${because}${known}${of === null ? '' : ` of ${of.slice(0, 12)}`}`]);
    if (input.detail !== null) lines.push(['', input.detail]);
  }
  for (const { source, line, stage, code, message, meaning: of } of rejects) {
    const place = line === null ? source : `${source}:${line}`;
    lines.push(['rejected', `${place} at ${stage}: ${code}${of === null ? '' : ` (${of})`}`], ['', message]);
  }
  const [input] = inputs;
  if (input !== undefined) {
    const { source_format: format, adapter_version: version, scaffold, model } = input;
    const why = log.read ? ` (${log.facts.detected_because})` : '';
    lines.push(['format', `${format} ${version}${why}`]);
    lines.push(['agent', `${scaffold ?? 'unknown scaffold'}, ${model ?? 'unknown model'}`]);
    lines.push([
      'run',
      `${input.n_turns} turns, ${input.n_calls} calls, ${input.n_executions} executions, ${input.n_submissions} submissions, ended: ${input.termination}`,
    ]);
    const found = log.read ? `, found by ${log.facts.task_found_by}` : '';
    lines.push(['task', `${input.task_id ?? 'unknown'}${found}${task === null ? ', no record' : ''}`]);
  }
  if (task !== null) {
    const { gold, silver, bronze, median } = task.thresholds ?? {};
    const tiers = Object.entries({ gold, silver, bronze, median }).map(
      ([tier, at]) => `${tier} ${at ?? 'unknown'}`,
    );
    const direction = task.is_lower_better ? 'lower is better' : 'higher is better';
    lines.push(['', `${task.metric ?? 'metric'}, ${direction}: ${tiers.join(', ')}`]);
  }
  lines.push([
    'told by',
    log.read ? 'the tables, and the source log read again' : `the tables alone: ${log.because}`,
  ]);
  if (log.read && log.facts.refused !== null) lines.push(['refused', log.facts.refused]);
  return lines;
}

function leftOut({ cut_turns, cut_tokens, off_path_turns: off, off_path_tokens }: ExplainedSft): string {
  const cut = `${cut_turns} turns and ${cut_tokens} tokens cut`;
  return off === 0 ? cut : `${cut}, ${off} turns and ${off_path_tokens} tokens off the path left out`;
}

/** What each selection rule decided: its name, the verdict, and the numbers behind it. */
export function ruleLines({ rules: { outcomes }, sft }: Explanation): {
  readonly rule: string;
  readonly verdict: string;
  readonly detail: string;
  /** what it cost; empty where no row was written */
  readonly cut: string;
}[] {
  return outcomes.map(({ rule, anchor_turn: turn, reason, detail }) => {
    const row = sft.find(({ rules }) => rules.includes(rule));
    return {
      rule,
      verdict: reason === 'kept' ? `kept to turn ${turn}` : reason,
      detail,
      cut: row === undefined ? '' : `; ${leftOut(row)}`,
    };
  });
}
