import type { Segment } from '../../chat/segment.js';
import type { Encoder } from '../../tokens/encoder.js';
import type { DecodedTokens, PlacedSegments } from './marked-text.js';

/** A segment with what follows it, and the role that its turn seems to have. */
export interface GuessedSegments extends PlacedSegments {
  /** by turn, from 0 */
  readonly roles: readonly string[];
}

const ROLE = /^\s*(system|developer|user|assistant|model|tool|ipython|environment|observation)\b/;
const LOOK_AHEAD = 24;

/**
 * Where turns seem to begin in a row of tokens of which no messages and no template are at hand: at the special token that
 * most often stands before the name of a role. Without one the row is a single turn.
 */
export function guessSegments(
  ids: ArrayLike<number>,
  { bytes, starts }: DecodedTokens,
  encoder: Encoder,
): GuessedSegments {
  const specials = new Set(encoder.specials.values());
  const roleBehind = (i: number): string | null => {
    const from = starts[i + 1] ?? 0;
    return ROLE.exec(bytes.toString('utf8', from, from + LOOK_AHEAD))?.[1] ?? null;
  };
  const opener = commonOpener(ids, { specials, roleBehind });
  const segments: Pick<Segment, 'part' | 'turn' | 'span' | 'glue'>[] = [];
  const edges: number[] = [];
  const roles: string[] = [];
  const add = (at: number, part: Segment['part'], glue: boolean): void => {
    segments.push({ part, turn: Math.max(0, roles.length - 1), span: glue ? -1 : 0, glue });
    edges.push(at);
  };
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] ?? 0;
    const start = starts[i] ?? 0;
    const role = id === opener ? roleBehind(i) : null;
    if (role !== null) {
      roles.push(role);
      add(start, 'header', true);
      // the rest of the line is the template's too
      while (i + 1 < ids.length && !specials.has(ids[i + 1] ?? 0) && !endsLine(bytes, starts[i + 1] ?? 0))
        i++;
      add(starts[i + 1] ?? 0, wordsPart(role), false);
    } else if (specials.has(id)) {
      add(start, 'stop', true);
      add(starts[i + 1] ?? 0, wordsPart(roles.at(-1) ?? ''), false);
    } else if (segments.length === 0) add(start, 'context', false);
  }
  return { segments, starts: edges, roles: roles.length > 0 ? roles : ['context'] };
}

const wordsPart = (role: string): Segment['part'] =>
  role === 'assistant' || role === 'model' ? 'text' : 'context';

/** Whether the byte before is the end of a line. */
const endsLine = (bytes: Buffer, at: number): boolean => bytes[at - 1] === 0x0a;

function commonOpener(
  ids: ArrayLike<number>,
  { specials, roleBehind }: { specials: ReadonlySet<number>; roleBehind: (i: number) => string | null },
): number {
  const counts = new Map<number, number>();
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] ?? 0;
    if (specials.has(id) && roleBehind(i) !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  let opener = -1;
  for (const [id, count] of counts) if (count > (counts.get(opener) ?? 0)) opener = id;
  return opener;
}
