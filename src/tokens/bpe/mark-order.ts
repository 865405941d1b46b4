/** Runs of combining marks from this length on are put in order here, not by String.normalize. */
const LONG_RUN = 1024;
const LONG_RUN_START = new RegExp(`\\p{M}{${LONG_RUN}}`, 'gu');
const MARK = /\p{M}/u;
// Taken in steps: one match of millions of characters overflows the stack of the regular expression engine.
const MORE_MARKS = new RegExp(`\\p{M}{1,${LONG_RUN}}`, 'uy');

// Marks of the lowest and of the highest combining class: what passes neither is a starter.
const LOWEST = '\u0334';
const HIGHEST = '\u0345';

/**
 * Puts long runs of combining marks in canonical order, so that normalising them takes linear time: engines sort a
 * run by insertion, which a hostile text of some megabytes of mixed marks would turn into hours. `standsAlone`
 * tells marks that take no part in ordering. Null where there is no such run.
 */
export function orderLongRuns(text: string, standsAlone: (mark: string) => boolean): string | null {
  if (!mayHoldLongRun(text)) return null;
  let result = '';
  let done = 0;
  LONG_RUN_START.lastIndex = 0;
  for (let found = LONG_RUN_START.exec(text); found !== null; found = LONG_RUN_START.exec(text)) {
    let end = LONG_RUN_START.lastIndex;
    do {
      MORE_MARKS.lastIndex = end;
      end += MORE_MARKS.exec(text)?.[0].length ?? 0;
    } while (MORE_MARKS.lastIndex > 0);
    result += text.slice(done, found.index) + orderRun(text.slice(found.index, end), standsAlone);
    done = end;
    LONG_RUN_START.lastIndex = end;
  }
  return done === 0 ? null : result + text.slice(done);
}

/** A long run covers a multiple of its length, so looking there is enough to know that there is none. */
function mayHoldLongRun(text: string): boolean {
  for (let i = LONG_RUN - 1; i < text.length; i += LONG_RUN) {
    // A low surrogate is the second half of the character before it.
    const code = text.charCodeAt(i);
    const start = code >= 0xdc00 && code <= 0xdfff ? i - 1 : i;
    if (code >= 0x300 && MARK.test(String.fromCodePoint(text.codePointAt(start) ?? 0))) return true;
  }
  return false;
}

function orderRun(run: string, standsAlone: (mark: string) => boolean): string {
  const decomposed = new Map<string, string>();
  for (const mark of new Set(run)) decomposed.set(mark, standsAlone(mark) ? mark : mark.normalize('NFD'));
  const marks = [...run].flatMap((mark) => [...(decomposed.get(mark) ?? mark)]);
  const classes = rankClasses(new Set(marks), standsAlone);
  const ordered: string[] = [];
  let waiting: string[][] = [];
  for (const mark of marks) {
    const rank = classes.get(mark);
    if (rank === undefined) {
      for (const bucket of waiting) for (const kept of bucket) ordered.push(kept);
      waiting = [];
      ordered.push(mark);
    } else {
      while (waiting.length <= rank) waiting.push([]);
      waiting[rank]?.push(mark);
    }
  }
  for (const bucket of waiting) for (const kept of bucket) ordered.push(kept);
  return ordered.join('');
}

/** Ranks of the combining classes of the marks that are no starters; equal classes have one rank. */
function rankClasses(
  marks: ReadonlySet<string>,
  standsAlone: (mark: string) => boolean,
): Map<string, number> {
  const moving = [...marks].filter(
    (mark) =>
      !standsAlone(mark) &&
      (passes(HIGHEST, mark) || passes(mark, LOWEST) || mark === LOWEST || mark === HIGHEST),
  );
  moving.sort((a, b) => (passes(a, b) ? 1 : passes(b, a) ? -1 : 0));
  const ranks = new Map<string, number>();
  let rank = 0;
  for (const [k, mark] of moving.entries()) {
    const before = moving[k - 1];
    if (before !== undefined && passes(mark, before)) rank++;
    ranks.set(mark, rank);
  }
  return ranks;
}

/** Whether the second mark moves before the first in canonical order: its combining class is lower. */
function passes(first: string, second: string): boolean {
  return first !== second && (first + second).normalize('NFD') === second + first;
}
