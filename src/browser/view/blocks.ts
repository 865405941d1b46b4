import type { ViewPiece, ViewRow, ViewRowTurn, ViewTurn } from './data.js';

/** A run of text of one piece, with where it lies in the turn that its row renders. */
export interface BlockText {
  readonly text: string;
  readonly glue: boolean;
  /** what marks it; null where no row holds it */
  readonly held: ViewRowTurn | null;
  /** its first unit in the joined pieces of `held` */
  readonly start: number;
}

/** What is shown together: a span with what frames it, or what the template writes between spans. */
export interface Block {
  /** kind of the span, or `template` */
  readonly kind: string;
  readonly model: boolean;
  readonly call: string | null;
  readonly texts: readonly BlockText[];
  /** why it stands apart; null for what the row holds as the log has it */
  readonly note: string | null;
}

/** How much of a text is trained. */
export type Share = 'all' | 'some' | 'none';

/** The turns of a row by their position on the page. A turn may come in several stretches of tokens. */
export function heldTurns(row: ViewRow | null): Map<number, ViewRowTurn[]> {
  const held = new Map<number, ViewRowTurn[]>();
  for (const each of row?.turns ?? []) held.set(each.turn, [...(held.get(each.turn) ?? []), each]);
  return held;
}

interface BlockRequest {
  readonly turn: ViewTurn;
  /** of the chosen row; empty where it does not hold the turn */
  readonly held: readonly ViewRowTurn[];
  readonly renderings: readonly (readonly ViewPiece[])[];
}

/** The blocks of a turn, in order: as the row's tokens spell them, and behind them what the row left out. */
export function blocksOf({ turn, held, renderings }: BlockRequest): Block[] {
  if (held.length === 0) return turn.spans.map((span) => spanBlock(span, null));
  const blocks: Block[] = [];
  const shown = new Set<number>();
  let sampled = false;
  for (const each of held) {
    let start = 0;
    let last: { readonly span: number; readonly texts: BlockText[] } | null = null;
    for (const piece of renderings[each.rendering] ?? []) {
      const span = turn.spans[piece.span];
      const text = piece.text ?? span?.text ?? '';
      const part: BlockText = { text, glue: piece.glue, held: each, start };
      start += text.length;
      if (!piece.glue) {
        shown.add(piece.span);
        if (span === undefined) sampled = true;
      }
      if (last !== null && last.span === piece.span) {
        last.texts.push(part);
        continue;
      }
      last = { span: piece.span, texts: [part] };
      const kind = span?.kind ?? (piece.glue ? 'template' : 'as sampled');
      const model = span?.model ?? !piece.glue;
      blocks.push({ kind, model, call: span?.call ?? null, texts: last.texts, note: null });
    }
  }
  if (sampled) return blocks;
  const left = turn.spans.filter((span, i) => !shown.has(i) && span.text !== '');
  return [...blocks, ...left.map((span) => spanBlock(span, 'left out of this row'))];
}

function spanBlock({ kind, model, text, call }: ViewTurn['spans'][number], note: string | null): Block {
  return { kind, model, call, note, texts: [{ text, glue: false, held: null, start: 0 }] };
}

/** The pieces of a text by mark: those wholly trained, the characters of which only a part is, and the rest. */
export interface MarkedRun {
  readonly text: string;
  readonly mark: 'trained' | 'split' | 'none';
}

/** Parts a text where its mark changes. `until` ends it early. */
export function markedRuns({ text, held, start }: BlockText, until = text.length): MarkedRun[] {
  if (held === null) return [{ text: text.slice(0, until), mark: 'none' }];
  const runs: MarkedRun[] = [];
  let done = 0;
  const take = (to: number, mark: MarkedRun['mark']): void => {
    const end = Math.min(to, until);
    if (end <= done) return;
    runs.push({ text: text.slice(done, end), mark });
    done = end;
  };
  const marks = [
    ...rangesWithin(held.trained, start, start + text.length).map((range) => ({
      ...range,
      mark: 'trained' as const,
    })),
    ...held.split
      .filter((at) => at >= start && at < start + text.length)
      .map((at) => ({ start: at, end: at + unitsAt(text, at - start), mark: 'split' as const })),
  ].sort((a, b) => a.start - b.start);
  for (const range of marks) {
    take(range.start - start, 'none');
    take(range.end - start, range.mark);
  }
  take(text.length, 'none');
  return runs;
}

const unitsAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** The parts of ascending ranges that lie between two units. */
function rangesWithin(
  flat: readonly number[],
  from: number,
  to: number,
): { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  // the first range that ends behind `from`, by halving: a turn may hold thousands
  let low = 0;
  let high = flat.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((flat[2 * middle + 1] ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  for (let i = 2 * low; i < flat.length && (flat[i] ?? 0) < to; i += 2) {
    ranges.push({ start: Math.max(from, flat[i] ?? 0), end: Math.min(to, flat[i + 1] ?? 0) });
  }
  return ranges;
}

/** How much of a block is trained. */
export function shareOf({ texts }: Pick<Block, 'texts'>): Share {
  let all = 0;
  let trained = 0;
  for (const { text, held, start } of texts) {
    all += text.length;
    if (held === null) continue;
    for (const range of rangesWithin(held.trained, start, start + text.length)) {
      trained += range.end - range.start;
    }
  }
  return trained === 0 ? 'none' : trained === all ? 'all' : 'some';
}
