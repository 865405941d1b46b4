import type { Turn } from '../trajectory/turn.js';

/** A call where it stands in the turns of a run. */
interface PlacedCall {
  readonly call_turn: number;
  readonly call_span: number;
  readonly id: string | null;
}

interface Answers {
  readonly call_turn: number;
  readonly turns: readonly number[];
  readonly byId: ReadonlyMap<string, number>;
  /** by span: its number among the calls of the reply */
  readonly places: ReadonlyMap<number, number>;
}

interface AnswerRules {
  /** which turns answer calls; turns of tools by default */
  readonly isAnswer?: (turn: Turn) => boolean;
  /** where there are fewer answers than calls, the last one answers the rest */
  readonly shared?: boolean;
}

/**
 * The turns that answer calls before the next reply: by id, and where ids are missing on either side the n-th call of
 * a reply is answered by the n-th of them. Calls are asked for reply by reply, so that each turn is looked at once.
 */
export class ReplyAnswers {
  private last: Answers | null = null;

  constructor(
    private readonly turns: readonly Turn[],
    private readonly rules: AnswerRules = {},
  ) {}

  turnOf(call: PlacedCall): number | null {
    const { turns, byId, places } = this.answersTo(call.call_turn);
    if (call.id !== null) {
      const named = byId.get(call.id);
      if (named !== undefined) return named;
      if (byId.size > 0) return null;
    }
    const inOrder = turns[places.get(call.call_span) ?? -1];
    return inOrder ?? (this.rules.shared === true ? turns.at(-1) : undefined) ?? null;
  }

  private answersTo(call_turn: number): Answers {
    if (this.last?.call_turn !== call_turn) this.last = this.lookFor(call_turn);
    return this.last;
  }

  private lookFor(call_turn: number): Answers {
    const { isAnswer = isToolTurn } = this.rules;
    const turns: number[] = [];
    const byId = new Map<string, number>();
    for (let index = call_turn + 1; index < this.turns.length; index++) {
      const turn = this.turns[index];
      if (turn === undefined || turn.role === 'assistant') break;
      if (!isAnswer(turn)) continue;
      turns.push(index);
      const id = turn.tool_call_id;
      if (id !== null && !byId.has(id)) byId.set(id, index);
    }
    const places = new Map<number, number>();
    this.turns[call_turn]?.spans.forEach(({ call }, span) => {
      if (call !== null) places.set(span, places.size);
    });
    return { call_turn, turns, byId, places };
  }
}

function isToolTurn(turn: Turn): boolean {
  return turn.role === 'tool';
}
