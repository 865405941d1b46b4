import type { SpecialFinder } from '../chat/special-tokens.js';
import type { Layout, Piece } from './layout.js';

/** The whole rendering, not normalised. */
export function wholeText({ pieces }: Pick<Layout, 'pieces'>): string {
  let text = '';
  for (const piece of pieces) text += piece.text;
  return text;
}

/**
 * Whether a search for special tokens in the whole rendering finds those of the glue and no others. The text is put
 * together only where one could stand across the edge of a piece.
 */
export function hasOnlyGlueSpecials(layout: Layout, finder: SpecialFinder): boolean {
  const { pieces, specialOffsets } = layout;
  let next = 0;
  let alike = true;
  let base = 0;
  const compare = (offset: number): void => {
    if (specialOffsets[next++] !== base + offset) alike = false;
  };
  if (finder.mayOverlap || pieces.some(followsText)) finder.each(wholeText(layout), compare);
  else {
    for (const { text } of pieces) {
      finder.each(text, compare);
      base += text.length;
    }
  }
  return alike && next === specialOffsets.length;
}

/** Text behind text was cut where no special token stands. */
function followsText({ special }: Piece, k: number, pieces: readonly Piece[]): boolean {
  return special < 0 && k > 0 && (pieces[k - 1] as Piece).special < 0;
}
