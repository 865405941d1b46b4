import { contentSpan, makeTurn } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Termination } from '../trajectory/trajectory.js';
import type { Detection, FormatAdapter, RawTrajectory, ReadContext, Sniff } from './adapter.js';
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
    title: 'What `codex exec` prints, of the versions with time stamps',
    recognised_by: 'a first line `[time] OpenAI Codex v…`',
    scores: 'none',
    executions:
      'commands with exit code and time; experiments only if a pipeline names tools or command patterns',
    reasoning: 'summaries only, kept as environment text (flag reasoning_summary)',
    token_ids: 'none',
    logprobs: 'none',
    loss: [
      'calls are printed, not logged: their JSON is made from the printed command or patch (flag text_rebuilt)',
      'outputs are cut after 20 lines (flag truncated_in_log where one may be)',
      'system prompt, tool definitions, call ids and token counts',
      'a line in an output that looks like a mark of the log ends it, unless its time is earlier than that of the result',
    ],
  },
  detect,
  read,
};

function detect(sniff: Sniff): Detection | null {
  if (sniff.json !== undefined || sniff.lines.length > 0 || !OPENING.test(sniff.head)) return null;
  return { confidence: 'certain', reason: 'the header of Codex' };
}

function read(input: unknown, context: ReadContext): readonly RawTrajectory[] {
  if (typeof input !== 'string') throw wrongType('log', 'a text', input);
  const blocks = textBlocks(plainLineEnds(input));
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
  let reply: { spans: Span[]; timestamp: string } | null = null;
  let calls = 0;
  const open: { id: string; text: string; tool: string }[] = [];
  const flush = (): void => {
    if (reply !== null) run.push(makeTurn('assistant', reply.spans, { timestamp: reply.timestamp }));
    reply = null;
  };
  const say = (span: Span, timestamp: string): void => {
    reply = { spans: [...(reply?.spans ?? []), span], timestamp: reply?.timestamp ?? timestamp };
  };
  for (const block of blocks) {
    const { kind, text, timestamp, tool } = block;
    if (kind === 'thinking') {
      run.flag(REASONING_SUMMARY);
      say(summarySpan(text), timestamp);
    } else if (kind === 'reply') say(contentSpan('text', 'model', text), timestamp);
    else if (kind === 'call' && tool !== null) {
      const id = `call-${calls++}`;
      open.push({ id, tool, text: callText(tool, text) });
      say(printedCall(tool, text, id), timestamp);
    } else if (kind === 'prompt') {
      flush();
      run.push(makeTurn('user', [contentSpan('prompt', 'environment', text)], { timestamp }));
    } else if (kind === 'result') {
      flush();
      pushResult(run, block, open);
    }
  }
  flush();
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
  if (tool === 'apply_patch') return callSpan({ id, name: 'apply_patch', arguments: { patch: text } });
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
  return tool === 'apply_patch' ? tool : text.slice(0, text.indexOf('('));
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
