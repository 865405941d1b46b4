import { blocksOf, heldTurns } from './blocks.js';
import type { ViewData, ViewRow } from './data.js';

/** Where a text was found: a place in a block of a turn, in UTF-16 units of one of its texts. */
export interface Found {
  readonly turn: number;
  readonly block: number;
  readonly text: number;
  readonly start: number;
  readonly end: number;
}

/** More places than anybody steps through. */
export const MOST_FOUND = 10_000;

/**
 * Looks a text up in all turns as the chosen row shows them, whether they have been drawn or not. Upper and lower case are
 * one where the wanted text has no capital. What the template writes is left out.
 */
export function findText(data: ViewData, row: ViewRow | null, wanted: string): Found[] {
  const found: Found[] = [];
  if (wanted === '') return found;
  const flags = wanted === wanted.toLowerCase() ? 'giu' : 'gu';
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), flags);
  const held = heldTurns(row);
  for (const [turn, shown] of data.turns.entries()) {
    const blocks = blocksOf({ turn: shown, held: held.get(turn) ?? [], renderings: data.renderings });
    for (const [block, { texts }] of blocks.entries()) {
      for (const [text, { text: words, glue }] of texts.entries()) {
        if (glue) continue;
        for (const { index, 0: match } of words.matchAll(pattern)) {
          found.push({ turn, block, text, start: index, end: index + match.length });
          if (found.length === MOST_FOUND) return found;
        }
      }
    }
  }
  return found;
}
