import { plainLineEnds } from './line-ends.js';

/** A stretch of an aider chat by one voice, as the file has it without the marks of its lines. */
export interface ChatBlock {
  readonly voice: 'human' | 'console' | 'reply';
  readonly text: string;
}

/** One session of a chat file. */
export interface ChatSession {
  /** as the header has it, null where the file has no headers */
  readonly started: string | null;
  readonly blocks: readonly ChatBlock[];
  /** a reply holds lines that look like a human's or the console's */
  readonly ambiguous: boolean;
}

const HEADER = /^# aider chat started at (.+?)\s*$/;
const HUMAN = /^####(?: (.*)|\s*)$/;
const CONSOLE = /^>(?!>)(?: ?(.*))$/;
/** aider ends the lines of human and console with two blanks, a reply has its own line ends */
const MARKED_HUMAN = /^####.* {2}$/;
const EDIT_OPEN = /^<{5,9} (?:SEARCH|ORIGINAL)\s*$/;
const EDIT_CLOSE = /^>{5,9} (?:REPLACE|UPDATED)\s*$/;
const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
/** frames that published transcripts put around a chat: between them stands the page */
const FRAME_OPEN = /^<div class="chat-transcript"[^>]*>\s*$/;
const FRAME_CLOSE = /^<\/div>\s*$/;

/**
 * Cuts a chat file into sessions and voices. Lines inside the code fences and edit blocks of a reply are the reply's,
 * but one that is never closed ends at a line which only a human's input can be.
 */
export function chatSessions(text: string): ChatSession[] {
  const lines = plainLineEnds(text).split('\n');
  const marked = lines.some((line) => MARKED_HUMAN.test(line));
  const sessions: Reader[] = [];
  let reader = new Reader(null, marked);
  lines.forEach((line, index) => {
    const header = HEADER.exec(line);
    if (header !== null && !reader.protects(line)) {
      sessions.push(reader);
      reader = new Reader(header[1] ?? '', marked);
    } else reader.take(line, lines[index - 1] ?? '');
  });
  sessions.push(reader);
  return sessions.map((session) => session.finish()).filter((session) => session.blocks.length > 0);
}

class Reader {
  private readonly blocks: { voice: ChatBlock['voice']; lines: string[] }[] = [];
  private fence: string | null = null;
  private edit = false;
  private ambiguous = false;
  private begun: boolean;

  constructor(
    private readonly started: string | null,
    private readonly marked: boolean,
  ) {
    // What stands before the first mark of a published transcript is its introduction.
    this.begun = started !== null;
  }

  /** Whether a line belongs to an edit or a fence that is still open. */
  protects(line: string): boolean {
    return this.edit || (this.fence !== null && !MARKED_HUMAN.test(line));
  }

  take(line: string, before: string): void {
    const voice = this.voiceOf(line, before);
    if (voice === 'reply') this.reply(line);
    else {
      this.fence = null;
      this.edit = false;
      this.begun = true;
      const pattern = voice === 'human' ? HUMAN : CONSOLE;
      this.add(voice, (pattern.exec(line)?.[1] ?? '').replace(/ {2}$/, ''));
    }
  }

  finish(): ChatSession {
    const blocks = this.blocks.flatMap(({ voice, lines }): ChatBlock[] => {
      const text = voice === 'reply' ? trimmed(lines).join('\n') : lines.join('\n');
      return voice === 'reply' && text === '' ? [] : [{ voice, text }];
    });
    return { started: this.started, blocks, ambiguous: this.ambiguous };
  }

  private voiceOf(line: string, before: string): ChatBlock['voice'] {
    if (this.edit && !(MARKED_HUMAN.test(line) && before.trim() === '')) return 'reply';
    const inReply = this.blocks.at(-1)?.voice === 'reply';
    const afterBlank = before.trim() === '' || FRAME_OPEN.test(before) || !inReply;
    if (HUMAN.test(line)) {
      const human = this.marked ? MARKED_HUMAN.test(line) : this.fence === null;
      if (human && afterBlank) return 'human';
      this.ambiguous = true;
      return 'reply';
    }
    if (!CONSOLE.test(line)) return 'reply';
    if (this.fence === null && afterBlank) return 'console';
    this.ambiguous = true;
    return 'reply';
  }

  private reply(line: string): void {
    if (this.started === null && this.fence === null && !this.edit) {
      const opens = FRAME_OPEN.test(line);
      if (opens || FRAME_CLOSE.test(line)) {
        this.begun = opens;
        return;
      }
    }
    if (!this.begun) return;
    const last = this.blocks.at(-1);
    if (line.trim() === '' && last?.voice !== 'reply') return;
    if (this.edit) this.edit = !EDIT_CLOSE.test(line);
    else if (EDIT_OPEN.test(line)) this.edit = true;
    else this.turnFence(line);
    this.add('reply', line);
  }

  private turnFence(line: string): void {
    const mark = FENCE.exec(line)?.[1];
    if (mark === undefined) return;
    if (this.fence === null) this.fence = mark;
    else if (line.trim().startsWith(this.fence) && line.trim() === mark) this.fence = null;
  }

  private add(voice: ChatBlock['voice'], line: string): void {
    const last = this.blocks.at(-1);
    if (last?.voice === voice) last.lines.push(line);
    else this.blocks.push({ voice, lines: [line] });
  }
}

/** Without the blank lines with which aider frames a reply. */
function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}
