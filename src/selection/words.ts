const WORD = /[\p{L}\p{N}]+/gu;

/** The words of a text for overlap and near-duplicate checks: lower case, in NFKC, without punctuation. */
export function wordsOf(text: string): readonly string[] {
  return text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
}

/** The distinct runs of n words, as text. None where there are fewer than n words. */
export function wordRuns(words: readonly string[], n: number): Set<string> {
  const runs = new Set<string>();
  for (let i = 0; i + n <= words.length; i++) runs.add(words.slice(i, i + n).join(' '));
  return runs;
}
