import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
import { PLAIN_OPENING, plainBlocks } from './codex-plain-blocks.js';
import { callText, PRINTED_LINES, type TextBlock, textBlocks } from './codex-text-blocks.js';
import { wrongType } from './fields.js';
import { plainLineEnds } from './line-ends.js';
import { REASONING_SUMMARY, summarySpan } from './reasoning-summary.js';
import { SessionRun } from './session-run.js';
import { requireModelTurns } from './shell-executions.js';
import { callSpan } from './structured-calls.js';

const OPENING = /^\uFEFF?\[\d{4}-\d\d-\d\d[^\]\n]*\] OpenAI Codex v/;

export const codexTextLog: FormatAdapter = {
  name: 'codex-text-log',
  version: '1',
  unit: 'text',
  experiments: { experiment: [], scoring: [] },
  notes: {
    title: 'What `codex exec` prints, with time stamps before its lines or, since 0.46, without',
    recognised_by: 'a first line `[time] OpenAI Codex v…`, or `OpenAI Codex v…` above a rule and `workdir:`',
    scores: 'none',
    executions:
      'commands with exit code and time; experiments only if a pipeline names tools or command patterns',
    reasoning: 'summaries only, kept as environment text (flag reasoning_summary)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'calls are printed, not logged: their JSON is made from the printed command or patch (flag text_rebuilt)',
      'outputs are cut after 20 lines (flag truncated_in_log where one may be)',
      'system prompt, tool definitions, call ids and token counts; without time stamps plans, searches and notices too',
      'of later versions, which print the diff of a patch alone: the call is environment text, never trained',
      'without time stamps, results of calls that run at once are taken to come in the order of the calls; the name of a voice behind an empty line in an output begins that voice',
      'a line in an output that looks like a mark of the log ends it, unless its time is earlier than that of the result',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.json !== undefined || sniff.lines.length > 0) return null;
  if (!OPENING.test(sniff.head) && !PLAIN_OPENING.test(plainLineEnds(sniff.head))) return null;
  return { confidence: 'certain', reason: 'the header of Codex' };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (typeof input !== 'string') throw wrongType('log', 'a text', input);
  const log = plainLineEnds(input);
  const blocks = OPENING.test(log) ? textBlocks(log) : plainBlocks(log);
  // Each header begins a run: logs of several are often written into one file.
  const starts = blocks.flatMap(({ kind }, index) => (kind === 'header' && index > 0 ? [index] : []));
  const bounds = [0, ...starts, blocks.length];
  const runs = bounds.slice(1).map((end, index) => readRun(blocks.slice(bounds[index], end), context));
  if (runs.length === 1) requireModelTurns(runs[0]?.turns ?? []);
  return runs;
}

function readRun(blocks: readonly TextBlock[], context: ReadContext): RawTrajectory {
  const header = blocks.find(({ kind }) => kind === 'header')?.text ?? '';
  const run = new SessionRun();
  run.flag('system_prompt_absent', 'text_rebuilt');
  let calls = 0;
  const open: { id: string; text: string; tool: string }[] = [];
  for (const block of blocks) {
    const { kind, text, timestamp, tool } = block;
    if (kind === 'thinking') {
      run.flag(REASONING_SUMMARY);
      run.extendReply(summarySpan(text), timestamp);
    } else if (kind === 'reply') run.extendReply(contentSpan('text', 'model', text), timestamp);
    else if (kind === 'call' && tool !== null) {
      const id = `call-${calls++}`;
      open.push({ id, tool, text: callText(tool, text) });
      run.extendReply(printedCall(tool, text, id), timestamp);
    } else if (kind === 'prompt') {
      run.push(makeTurn('user', [contentSpan('prompt', 'environment', text)], { timestamp }));
    } else if (kind === 'result') pushResult(run, block, open);
  }
  return run.finish(context, {
    session_id: headerValue(header, 'session id'),
    scaffold: 'codex',
    scaffold_version: /^([\w.+-]+)/.exec(header)?.[1] ?? null,
    model: headerValue(header, 'model'),
    termination: endOf(blocks),
  });
}

/** The call as JSON made from what is printed; ids are counted, since the log has none. */
function printedCall(tool: string, text: string, id: string): Span {
  if (tool === 'exec') return callSpan({ id, name: 'shell', arguments: { command: callText(tool, text) } });
  if (tool === 'apply_patch' || tool === 'diff') {
    const span = callSpan({ id, name: 'apply_patch', arguments: { patch: text } });
    return tool === 'diff' ? { ...span, origin: 'environment' } : span;
  }
  const name = text.slice(0, text.indexOf('('));
  return callSpan({ id, name, arguments: text.slice(name.length + 1).replace(/\)$/, '') });
}

function pushResult(
  run: SessionRun,
  block: TextBlock,
  open: { id: string; text: string; tool: string }[],
): void {
  const { text, timestamp, outcome } = block;
  if (text.split('\n').length === PRINTED_LINES) run.flag('truncated_in_log');
  if (block.timestamp === null && PLAIN_OPENING.test(text)) run.flag('ambiguous_lines');
  const same = open.findIndex((call) => call.tool === block.tool);
  const [call] = open.splice(Math.max(0, same), 1);
  const turn = makeTurn('tool', [contentSpan('observation', 'environment', text)], {
    name: call === undefined ? null : toolName(call.tool, call.text),
    tool_call_id: call?.id ?? null,
    timestamp,
  });
  const status = outcome?.ok === true ? 'ok' : 'error';
  run.push(
    turn,
    outcome === null ? null : { status, exit_code: outcome.exit_code, seconds: outcome.seconds },
  );
}

function toolName(tool: string, text: string): string {
  if (tool === 'exec') return 'shell';
  if (tool === 'apply_patch' || tool === 'diff') return 'apply_patch';
  return text.slice(0, text.indexOf('('));
}

function headerValue(header: string, key: string): string | null {
  const line = header.split('\n').find((candidate) => candidate.startsWith(`${key}: `));
  return line === undefined ? null : line.slice(key.length + 2).trim();
}

function endOf(blocks: readonly TextBlock[]): Termination {
  const last = blocks.findLast(({ kind }) => kind !== 'other' && kind !== 'thinking');
  if (last?.kind === 'error') return 'error';
  return last?.kind === 'reply' ? 'submitted' : 'cut';
}
