import { makeTurn, turnContent } from '../trajectory/build.js';
import type { Span } from '../trajectory/span.js';
import type { Epoch, Termination } from '../trajectory/trajectory.js';
import type { Turn } from '../trajectory/turn.js';
import type { RawTrajectory, ReadContext } from './adapter.js';
import { asOrigin } from './content-parts.js';
import { rawTrajectory } from './raw-trajectory.js';
import { ReplyAnswers } from './reply-answers.js';
import { scoredCalls } from './scored-calls.js';
import {
  type CallOutcome,
  callKind,
  inferredOutcome,
  type ShellCall,
  shellExecutions,
} from './shell-executions.js';

/** How a call ended, as far as its feedback record says. */
export type RecordedOutcome = Pick<
  CallOutcome,
  'status' | 'exit_code' | 'seconds' | 'completed_at' | 'error_type'
>;

/**
 * The turns of a session log in order, the contexts that the model had, and what the log records of calls. Scaffolds
 * with tools and a shell have experiments only where the pipeline names them.
 */
export class SessionRun {
  readonly turns: Turn[] = [];
  private readonly contexts: { turns: number[]; readonly reason: string | null }[] = [
    { turns: [], reason: null },
  ];
  private readonly outcomes = new Map<number, RecordedOutcome>();
  private readonly flags = new Set<string>();
  /** lists of spans that were made here, so that they may grow where they stand */
  private readonly growing = new WeakSet<Span[]>();

  /** Appends a turn to the run and to the current context; `outcome` is that of the call which it answers. */
  push(turn: Turn, outcome: RecordedOutcome | null = null): number {
    const index = this.turns.push(turn) - 1;
    this.contexts.at(-1)?.turns.push(index);
    if (outcome !== null) this.outcomes.set(index, outcome);
    return index;
  }

  /** Appends a turn that stands in no context, for branches that were rewound. */
  aside(turn: Turn): number {
    return this.turns.push({ ...turn, flags: [...turn.flags, 'rewound'] }) - 1;
  }

  /** Puts another turn in the place of one, for records that complete an earlier one. */
  replace(index: number, turn: Turn): void {
    this.turns[index] = turn;
  }

  /** Takes turns out of the run and of every context; what stood behind them moves up. */
  drop(gone: (turn: Turn) => boolean): void {
    const moved = new Map<number, number>();
    const kept = this.turns.filter((turn, index) => {
      if (gone(turn)) return false;
      moved.set(index, moved.size);
      return true;
    });
    this.turns.splice(0, this.turns.length, ...kept);
    for (const context of this.contexts) {
      context.turns = context.turns.flatMap((index) => moved.get(index) ?? []);
    }
    const outcomes = [...this.outcomes];
    this.outcomes.clear();
    for (const [index, outcome] of outcomes) {
      const to = moved.get(index);
      if (to !== undefined) this.outcomes.set(to, outcome);
    }
  }

  /** Puts spans at the end of a turn. */
  extend(index: number, added: readonly Span[]): void {
    const turn = this.turns[index];
    if (turn === undefined) return;
    const spans = this.growing.has(turn.spans) ? turn.spans : [...turn.spans];
    for (const span of added) spans.push(span);
    if (spans === turn.spans) return;
    this.growing.add(spans);
    this.replace(index, { ...turn, spans });
  }

  /** Puts a span at the end of the reply that is being written, the last turn; anything else before it opens a new one. */
  extendReply(span: Span, timestamp: string | null = null): void {
    const last = this.turns.length - 1;
    if (this.turns[last]?.role === 'assistant') this.extend(last, [span]);
    else this.push(makeTurn('assistant', [span], { timestamp }));
  }

  /** The same, where pieces of one kind that follow each other are one span. */
  continueReply(piece: Span, timestamp: string | null = null): void {
    const last = this.turns.length - 1;
    const reply = this.turns[last];
    const before = reply?.role === 'assistant' ? reply.spans.at(-1) : undefined;
    if (reply === undefined || before?.kind !== piece.kind) this.extendReply(piece, timestamp);
    else this.replaceLast(last, { ...before, text: before.text + piece.text });
  }

  /** Puts another span in the place of the last one of a turn. */
  replaceLast(index: number, span: Span): void {
    const turn = this.turns[index];
    if (turn === undefined) return;
    if (this.growing.has(turn.spans)) turn.spans[turn.spans.length - 1] = span;
    else this.replace(index, { ...turn, spans: [...turn.spans.slice(0, -1), span] });
  }

  flag(...names: readonly string[]): void {
    for (const name of names) this.flags.add(name);
  }

  /** Indices of the turns that the model has before it now. */
  get context(): readonly number[] {
    return this.contexts.at(-1)?.turns ?? [];
  }

  /** A new context that begins with turns of before; the first one is only filled, where it is still empty. */
  restart(kept: readonly number[], reason: string): void {
    if (this.turns.length > 0) this.contexts.push({ turns: [...kept], reason });
  }

  /** Takes turns back out of the current context: those that no other one holds were rewound. */
  rewind(gone: ReadonlySet<number>): void {
    const current = this.contexts.at(-1);
    if (current === undefined) return;
    current.turns = current.turns.filter((index) => !gone.has(index));
    for (const index of gone) {
      const turn = this.turns[index];
      if (turn === undefined || this.contexts.some(({ turns }) => turns.includes(index))) continue;
      this.turns[index] = { ...turn, flags: [...turn.flags, 'rewound'] };
    }
  }

  /** Makes inherited history of every turn so far, for a log that was copied from another session. */
  inherit(): void {
    this.disown(0, 'copied_context');
  }

  /** From this turn on, what was put in is environment text: no model generated it here. */
  disown(from: number, flag: string): void {
    for (let index = from; index < this.turns.length; index++) {
      const turn = this.turns[index];
      if (turn === undefined) continue;
      const spans = asOrigin(turn.spans, 'environment');
      this.turns[index] = { ...turn, spans, flags: [...turn.flags, flag] };
    }
  }

  /** Adds turns of before to the current context. */
  resume(indices: readonly number[]): void {
    this.contexts.at(-1)?.turns.push(...indices);
  }

  /**
   * A new context as the log writes it out. What repeats a turn of before, in order, points to it; anything else is
   * inherited text, which no model wrote in this form.
   */
  restartWith(turns: readonly Turn[], reason: string): void {
    const known = [...this.context];
    this.restart([], reason);
    let from = 0;
    for (const turn of turns) {
      const at = known.findIndex((index, position) => position >= from && sameTurn(this.turns[index], turn));
      const index = known[at];
      if (index === undefined) this.push(inherited(turn));
      else {
        this.resume([index]);
        from = at + 1;
      }
    }
  }

  /** The trajectory; termination follows from the last reply where the log does not say it. */
  finish(context: ReadContext, rest: Partial<RawTrajectory> = {}): RawTrajectory {
    const { turns } = this;
    const answers = new ReplyAnswers(turns);
    const executions = shellExecutions(turns, context, (call) =>
      this.outcomeOf(call, answers.turnOf(call), context),
    );
    const scored = scoredCalls(turns, executions, context);
    const epochs: Epoch[] = this.contexts.filter((epoch) => epoch.turns.length > 0);
    return rawTrajectory(
      { turns, executions },
      {
        termination: chatEnd(turns),
        ...rest,
        epochs: epochs.length > 0 ? epochs : [{ turns: [], reason: null }],
        submissions: scored.submissions,
        flags: [...new Set([...scored.flags, ...this.flags, ...(rest.flags ?? [])])],
      },
    );
  }

  /** What the log records comes first; of experiments a clear failure in the feedback counts, quiet proves nothing. */
  private outcomeOf(call: ShellCall, feedback_turn: number | null, context: ReadContext): CallOutcome {
    const feedback = feedback_turn === null ? undefined : this.turns[feedback_turn];
    if (feedback_turn === null || feedback === undefined) return { feedback_turn: null };
    const recorded = this.outcomes.get(feedback_turn);
    const experiment = callKind(call, context) !== 'other';
    const inferred = experiment ? inferredOutcome(turnContent(feedback), { feedback_turn }) : null;
    if (recorded?.status !== undefined) {
      return { error_type: inferred?.error_type ?? null, ...recorded, feedback_turn };
    }
    if (inferred === null || inferred.status === 'ok') return { ...recorded, feedback_turn };
    return { ...inferred, ...recorded };
  }
}

/** A turn that stands in the context but was not generated in this run. */
export function inherited(turn: Turn): Turn {
  return {
    ...turn,
    spans: asOrigin(turn.spans, 'environment'),
    flags: [...turn.flags, 'copied_context'],
  };
}

/** A complete last reply without a call ended the run; a reply that was cut says why; anything else leaves it open. */
export function chatEnd(turns: readonly Turn[]): Termination {
  const last = turns.findLastIndex((turn) => turn.role === 'assistant');
  const reply = turns[last];
  if (reply === undefined) return 'unknown';
  if (reply.truncated === 'length') return 'context_limit';
  if (reply.truncated === 'cut') return 'cut';
  if (reply.truncated !== null) return 'error';
  const calls = reply.spans.some((span) => span.call !== null || span.kind === 'malformed_call');
  return !calls && last === turns.length - 1 ? 'submitted' : 'unknown';
}

function sameTurn(a: Turn | undefined, b: Turn): boolean {
  if (a === undefined || a.role !== b.role || a.spans.length !== b.spans.length) return false;
  return a.spans.every((span, index) => {
    const other = b.spans[index];
    return span.text === other?.text && span.call?.name === other.call?.name;
  });
}
