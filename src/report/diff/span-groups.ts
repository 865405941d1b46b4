import type { DiffMark, DiffRow } from '../../browser/diff/data.js';

/** Texts of one part that differ in one way, over all turns of a row. */
export interface SpanGroup {
  readonly part: string;
  readonly a: DiffMark | null;
  readonly b: DiffMark | null;
  /** the text that all have; null where they have several */
  readonly text: string | null;
  readonly characters: number;
  readonly turns: readonly number[];
}

/** What differs in a row, by how: the newline behind the stop token of fifty turns is one line, not fifty. */
export function spanGroups({ turns }: DiffRow): SpanGroup[] {
  const groups = new Map<
    string,
    {
      part: string;
      a: DiffMark | null;
      b: DiffMark | null;
      texts: Set<string>;
      characters: number;
      turns: Set<number>;
    }
  >();
  for (const { number, segments } of turns) {
    for (const { part, a, b, text } of segments) {
      if (a === b) continue;
      const key = `${part} ${a} ${b}`;
      const group = groups.get(key) ?? { part, a, b, texts: new Set(), characters: 0, turns: new Set() };
      group.texts.add(text);
      group.characters += text.length;
      group.turns.add(number);
      groups.set(key, group);
    }
  }
  return [...groups.values()].map(({ texts, turns: held, ...group }) => ({
    ...group,
    text: texts.size === 1 ? ([...texts][0] ?? null) : null,
    turns: [...held],
  }));
}
