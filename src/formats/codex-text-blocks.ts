/** A piece of the text log: what stands between one time stamp that means something and the next. */
export interface TextBlock {
  /** null in logs that print none */
  readonly timestamp: string | null;
  readonly kind: 'header' | 'prompt' | 'thinking' | 'reply' | 'call' | 'result' | 'error' | 'other';
  /** without the line break that ends it */
  readonly text: string;
  /** name of the tool of a call or result */
  readonly tool: string | null;
  readonly outcome: BlockOutcome | null;
}

export interface BlockOutcome {
  readonly ok: boolean;
  readonly exit_code: number | null;
  readonly seconds: number | null;
}

/** Codex prints so many lines of an output and no more. */
export const PRINTED_LINES = 20;

interface Marker {
  readonly kind: TextBlock['kind'];
  readonly tool: string | null;
  readonly outcome: BlockOutcome | null;
  /** what of the text after the time stamp is not the block's own */
  readonly skip: number;
}

const STAMP = /^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?)\] /gm;

/** Texts behind a stamp that open a block, in order; a stamp before anything else is part of some output. */
const OPENINGS: readonly (readonly [kind: TextBlock['kind'], pattern: RegExp, tool: string | null])[] = [
  ['header', /OpenAI Codex v/y, null],
  ['prompt', /User instructions:\n/y, null],
  ['thinking', /thinking\n/y, null],
  ['reply', /codex\n/y, null],
  ['call', /exec /y, 'exec'],
  ['call', /apply_patch auto_approved=\w+:\n/y, 'apply_patch'],
  ['call', /tool (?=\S+\()/y, 'tool'],
  ['error', /ERROR: /y, null],
  [
    'other',
    /(?:tokens used: \d|turn diff:|stream error: |background event: |patch (?:approval|apply)|task (?:started|complete)|interrupted)/y,
    null,
  ],
];

const ENDING = /(?: (succeeded|success|failed|FAILED|exited (-?\d+)) in ([\d.]+)(ms|s|m)):?\n/y;
const LINE_ENDING = /[^\n]*? (?:succeeded|success|failed|FAILED|exited -?\d+) in [\d.]+(?:ms|s|m):?\n/y;

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60 };

/**
 * Cuts the log of `codex exec` into blocks. The end of a command is told by its own text, which may hold many lines.
 */
export function textBlocks(log: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  const pending: { readonly tool: string; readonly text: string }[] = [];
  let open: { marker: Marker; timestamp: string; start: number } | null = null;
  const close = (end: number): void => {
    if (open === null) return;
    const { marker, timestamp, start } = open;
    const text = log.slice(start, end).replace(/\n$/, '');
    const { kind, tool, outcome } = marker;
    blocks.push({ kind, tool, outcome, timestamp, text });
    if (kind === 'call' && tool !== null) pending.push({ tool, text: callText(tool, text) });
  };
  for (const match of log.matchAll(STAMP)) {
    if (open !== null && isPrinted(log, open, match)) continue;
    const at = match.index + match[0].length;
    // A call stays open until here, so that its text is known when its end is looked for.
    const before: TextBlock['kind'] | null = open === null ? null : open.marker.kind;
    const asked = before === 'call' && open !== null ? openCall(log, open, match.index) : null;
    const marker = markerAt(log, at, asked === null ? pending : [...pending, asked]);
    if (marker === null) continue;
    close(match.index);
    if (marker.kind === 'result') {
      const ended = pending.findIndex((call) => log.startsWith(call.text, at));
      pending.splice(Math.max(0, ended), 1);
    }
    open = { marker, timestamp: match[1] ?? '', start: at + marker.skip };
  }
  close(log.length);
  return blocks;
}

/** Whether a stamp is one of another log that a command printed: it is earlier than the result in whose lines it stands. */
function isPrinted(
  log: string,
  open: { marker: Marker; timestamp: string; start: number },
  stamp: RegExpExecArray,
): boolean {
  const second = (timestamp: string): string => timestamp.slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  if (open.marker.kind !== 'result' || second(stamp[1] ?? '') >= second(open.timestamp)) return false;
  return log.slice(open.start, stamp.index).split('\n').length <= PRINTED_LINES;
}

/** A command with the folder that it runs in: the last one, since a loop of the shell has words like these too. */
const FOLDER = /^([\s\S]*) in (?:\/|[A-Za-z]:|~|\.)[^\n]*$/;

/** The words by which the end of a call names it. */
export function callText(tool: string, text: string): string {
  if (tool === 'exec') return FOLDER.exec(text)?.[1] ?? text;
  return tool === 'apply_patch' ? 'apply_patch(' : text;
}

function openCall(
  log: string,
  open: { marker: Marker; start: number },
  end: number,
): { tool: string; text: string } {
  const tool = open.marker.tool ?? '';
  return { tool, text: callText(tool, log.slice(open.start, end).replace(/\n$/, '')) };
}

function markerAt(
  log: string,
  at: number,
  pending: readonly { readonly tool: string; readonly text: string }[],
): Marker | null {
  for (const [kind, pattern, tool] of OPENINGS) {
    pattern.lastIndex = at;
    const found = pattern.exec(log);
    if (found !== null) return { kind, tool, outcome: null, skip: found[0].length };
  }
  for (const call of pending) {
    if (!log.startsWith(call.text, at)) continue;
    const close = call.tool === 'apply_patch' ? log.indexOf(')', at) + 1 : at + call.text.length;
    const ending = endingAt(log, close);
    if (ending !== null) return { ...ending, tool: call.tool, skip: ending.skip + close - at };
  }
  LINE_ENDING.lastIndex = at;
  const line = LINE_ENDING.exec(log);
  if (line === null) return null;
  const words = line[0].lastIndexOf(' ', line[0].lastIndexOf(' in ') - 1);
  const from = /exited -?\d+$/.test(line[0].slice(0, line[0].lastIndexOf(' in ')))
    ? line[0].lastIndexOf(' exited')
    : words;
  const ending = endingAt(log, at + from);
  return ending === null ? null : { ...ending, skip: ending.skip + from };
}

function endingAt(log: string, at: number): Marker | null {
  ENDING.lastIndex = at;
  const found = ENDING.exec(log);
  if (found === null) return null;
  const word = found[1] ?? '';
  const code = found[2] === undefined ? null : Number(found[2]);
  const ok = code === null ? /^succe/.test(word) : code === 0;
  const seconds = Number(found[3]) * (UNITS[found[4] ?? ''] ?? 1);
  return {
    kind: 'result',
    tool: null,
    outcome: { ok, exit_code: code ?? (word === 'succeeded' ? 0 : null), seconds },
    skip: found[0].length,
  };
}
