import type { BlockOutcome, TextBlock } from './codex-text-blocks.js';

/** The head of a log without time stamps; what a shell printed before it is no part of the run. */
export const PLAIN_OPENING = /^OpenAI Codex v[^\n]*\n-{8}\nworkdir: /m;

const HEADER = /^OpenAI Codex v/;
const RULE = '--------';
/** How far down the last line of a command is looked for. */
const COMMAND_LINES = 2000;

const ENDED = '(succeeded|success|failed|declined|exited (-?\\d+)) in ([\\d.]+)(ms|s|m):?$';
const INLINE_END = new RegExp(` ${ENDED}`);
const RESULT_HEAD = new RegExp(`^ ${ENDED}`);
const PATCH_END = new RegExp(`^apply_patch\\(auto_approved=\\w+\\) ${ENDED}`);
/** The folder that stands behind a command. */
const FOLDER_END = / in (?:\/|[A-Za-z]:|~|\.)[^\n]*$/;
const TOOL_CALL = /^tool ([^\s.(]+\.[^\s(]+\(.*\))$/;
const TOOL_NAME = /^[^\s.(]+\.[^\s(]+\(/;
/** of a second, in each unit */
const PARTS: Readonly<Record<string, number>> = { ms: 1000, s: 1, m: 1 / 60 };

/** Lines that open a voice. */
const VOICES: Readonly<Record<string, TextBlock['kind']>> = { thinking: 'thinking', codex: 'reply' };
/** Lines that tell of the harness. Of these, a prompt or a reply might have said the last ones itself. */
const NOTICE =
  /^(?:mcp: \S+ |mcp startup: |web search: |hook: |Plan update$|file update:$|\d{4}-\d\d-\d\dT[\d:.]+Z +(?:ERROR|WARN|INFO) )/;
const WARNING = /^(?:deprecated|warning): /;
const TOKENS = /^tokens used(?:: [\d,]+)?$/;

interface Open {
  readonly kind: TextBlock['kind'];
  readonly tool: string | null;
  readonly outcome: BlockOutcome | null;
  /** the first line of its text */
  readonly from: number;
}

/**
 * Cuts the log of a `codex exec` that prints no time stamps into blocks. A voice begins with its name on a line of its
 * own; behind an output that is so only after an empty line, which Codex prints there.
 */
export function plainBlocks(log: string): TextBlock[] {
  return new PlainBlocks(log.split('\n')).read();
}

class PlainBlocks {
  private readonly blocks: TextBlock[] = [];
  private open: Open | null = null;
  /** calls that nothing has answered yet, the oldest first: results are printed in this order */
  private pending: string[] = [];
  private asked = false;

  constructor(private readonly lines: readonly string[]) {}

  read(): TextBlock[] {
    let index = this.lines.findIndex((_, at) => this.isHeader(at));
    while (index >= 0 && index < this.lines.length) index = this.step(index);
    this.close(this.lines.length);
    return this.blocks;
  }

  /** Takes the line as the mark that it is, or as text of what is open; the next line to look at. */
  private step(index: number): number {
    const line = this.line(index);
    if (this.open?.tool === 'apply_patch' && this.open.kind === 'call' && !PATCH_END.test(line)) {
      return index + 1;
    }
    if (this.isHeader(index) && this.open?.kind !== 'result') return this.header(index);
    if (!this.mayMark(index)) return index + 1;
    if (line === 'user' && !this.asked) return this.prompt(index);
    const voice = Object.hasOwn(VOICES, line) ? VOICES[line] : undefined;
    if (voice !== undefined) return this.begin(index, { kind: voice });
    if (line === 'exec') return this.command(index) ?? index + 1;
    const ended = this.ending(line);
    if (ended !== null) return this.result(index, ended);
    if (line === 'file update') return this.call(index, { tool: 'apply_patch', from: index + 1 });
    if (line === 'apply patch' && this.line(index + 1).startsWith('patch: ')) return this.patch(index);
    const tool = TOOL_CALL.exec(line);
    if (tool !== null) return this.call(index, { tool: 'tool', from: index, text: tool[1] ?? '' });
    if (this.isEnd(index)) return this.begin(index, { kind: 'other' });
    if (line.startsWith('ERROR: ') && this.isLastWord(index)) return this.begin(index, { kind: 'error' });
    return this.isNotice(line) ? this.begin(index, { kind: 'other' }) : index + 1;
  }

  private isNotice(line: string): boolean {
    if (NOTICE.test(line)) return true;
    return this.open?.kind !== 'reply' && this.open?.kind !== 'prompt' && WARNING.test(line);
  }

  private line(index: number): string {
    return this.lines[index] ?? '';
  }

  private isHeader(index: number): boolean {
    return HEADER.test(this.line(index)) && this.line(index + 1) === RULE;
  }

  /**
   * In an output, which may say anything, a mark stands behind the empty line at its end. Where it is empty itself, later
   * versions print none, and the mark stands right under its head.
   */
  private mayMark(index: number): boolean {
    const { open } = this;
    if (open?.kind !== 'result' || open.tool === 'apply_patch') return true;
    const empty = index === open.from && RESULT_HEAD.test(this.line(index - 1));
    return empty || this.line(index - 1) === '';
  }

  private header(index: number): number {
    const rule = this.lines.indexOf(RULE, index + 2);
    if (rule < 0) return this.begin(index, { kind: 'header' });
    this.begin(index, { kind: 'header' });
    this.pending = [];
    this.close(rule);
    this.asked = false;
    return this.begin(rule, { kind: 'other' });
  }

  private prompt(index: number): number {
    this.asked = true;
    return this.begin(index, { kind: 'prompt' });
  }

  private begin(index: number, block: Partial<Open> & Pick<Open, 'kind'>): number {
    this.close(index);
    const own = block.kind === 'header' || block.kind === 'error';
    this.open = { tool: null, outcome: null, from: own ? index : index + 1, ...block };
    return index + 1;
  }

  /** A command of one line or more; null where the line is no mark, since no folder ends what follows. */
  private command(index: number): number | null {
    const until = Math.min(this.lines.length, index + 1 + COMMAND_LINES);
    for (let at = index + 1; at < until && this.line(at) !== 'exec'; at++) {
      const ended = INLINE_END.exec(this.line(at));
      const last = ended === null ? this.line(at) : this.line(at).slice(0, ended.index);
      if (!FOLDER_END.test(last)) continue;
      const text = [...this.lines.slice(index + 1, at), last].join('\n');
      this.call(index, { tool: 'exec', from: index + 1, text });
      if (ended === null) this.open = { kind: 'other', tool: null, outcome: null, from: at + 1 };
      else this.result(at, ended);
      return at + 1;
    }
    return null;
  }

  /** A call; one whose text is known stands as a block at once. */
  private call(index: number, call: { tool: string; from: number; text?: string }): number {
    const { tool, from, text } = call;
    this.begin(index, { kind: 'call', tool, from });
    this.pending.push(tool === 'tool' ? (text ?? '') : tool);
    if (text === undefined) return from;
    this.blocks.push({ kind: 'call', tool, outcome: null, timestamp: null, text });
    this.open = null;
    return index + 1;
  }

  /** Later versions print what became of the files under the outcome: that is Codex's diff, not the model's patch. */
  private patch(index: number): number {
    const ok = this.line(index + 1) === 'patch: completed';
    let end = index + 2;
    while (end < this.lines.length && !this.endsPatch(end)) end++;
    const text = this.lines.slice(index + 2, end).join('\n');
    this.close(index);
    const outcome = { ok, exit_code: null, seconds: null };
    const told = this.line(index + 1).slice('patch: '.length);
    this.blocks.push({ kind: 'call', tool: 'diff', outcome: null, timestamp: null, text });
    this.blocks.push({ kind: 'result', tool: 'diff', outcome, timestamp: null, text: told });
    this.open = { kind: 'other', tool: null, outcome: null, from: end };
    return end;
  }

  /** Lines of a diff begin with a sign of their own, so that a mark is none of them. */
  private endsPatch(index: number): boolean {
    const line = this.line(index);
    return (
      Object.hasOwn(VOICES, line) ||
      line === 'exec' ||
      line === 'apply patch' ||
      this.isEnd(index) ||
      NOTICE.test(line)
    );
  }

  private ending(line: string): RegExpExecArray | null {
    if (this.pending.length === 0) return null;
    const plain = RESULT_HEAD.exec(line) ?? PATCH_END.exec(line);
    if (plain !== null) return plain;
    if (!TOOL_NAME.test(line)) return null;
    const call = this.pending.find((text) => line.startsWith(`${text} `));
    return call === undefined ? null : RESULT_HEAD.exec(line.slice(call.length));
  }

  private result(index: number, ended: RegExpExecArray): number {
    const line = this.line(index);
    const named = RESULT_HEAD.test(line) ? 0 : this.pending.findIndex((text) => line.startsWith(text));
    const position = Math.max(0, named);
    const [call = 'exec'] = this.pending.splice(position, 1);
    const tool = call === 'exec' || call === 'apply_patch' ? call : 'tool';
    return this.begin(index, { kind: 'result', tool, outcome: outcomeOf(ended) });
  }

  private isEnd(index: number): boolean {
    const line = this.line(index);
    if (!TOKENS.test(line)) return false;
    return line.includes(':') || /^\d[\d,.\s\u00a0\u202f]*$/.test(this.line(index + 1));
  }

  /** An error ends the log, or is said again before it does. */
  private isLastWord(index: number): boolean {
    const next = this.line(index + 1);
    return next === '' || next.startsWith('ERROR: ') || this.isEnd(index + 1);
  }

  private close(end: number): void {
    const { open } = this;
    this.open = null;
    if (open === null) return;
    const { kind, tool, outcome, from } = open;
    const text = this.lines.slice(from, end).join('\n').replace(/\n+$/, '');
    const header = kind === 'header' ? text.replace(HEADER, '') : text;
    this.blocks.push({ kind, tool, outcome, timestamp: null, text: header });
  }
}

function outcomeOf(ended: RegExpExecArray): BlockOutcome {
  const [, word = '', code, amount, unit = ''] = ended;
  const exit_code = code === undefined ? (word === 'succeeded' ? 0 : null) : Number(code);
  const ok = code === undefined ? word.startsWith('succe') : exit_code === 0;
  return { ok, exit_code, seconds: Number(amount) / (PARTS[unit] ?? 1) };
}
