import { stagesOf } from './token-bytes.js';
import type { TokenizerJson, TokenizerStage } from './tokenizer-json.js';

const NORMALIZERS = ['NFC', 'NFD', 'NFKC', 'NFKD', 'Replace'];
const KEPT_WHOLE = ['Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'];

/**
 * The first construct of a tokenizer that the library is not known to treat as the reference does, by name; null where
 * there is none. (Its Precompiled, Digits, Metaspace and merged splits are near misses, and other models have no
 * tokens that are pieces of the text.)
 */
export function unsupportedByLibrary(json: TokenizerJson): string | null {
  if (json.model.type !== 'BPE') return `model ${json.model.type}`;
  if ((json.model.dropout ?? 0) !== 0) return 'dropout';
  if (json.model.continuing_subword_prefix) return 'continuing_subword_prefix';
  if (json.model.end_of_word_suffix) return 'end_of_word_suffix';
  const normalizers = stagesOf(json.normalizer);
  const normalizer = normalizers.find((stage) => !NORMALIZERS.includes(stage.type));
  if (normalizer !== undefined) return `normalizer ${normalizer.type}`;
  for (const stage of stagesOf(json.preTokenizer)) {
    if (stage.type === 'ByteLevel' && stage['add_prefix_space'] !== false) return 'add_prefix_space';
    if (stage.type === 'ByteLevel') continue;
    if (stage.type !== 'Split') return `pre-tokenizer ${stage.type}`;
    if (!isPlainSplit(stage) && !splitsNothing(stage, normalizers))
      return `split ${String(stage['behavior'])}`;
  }
  return null;
}

function isPlainSplit(stage: TokenizerStage): boolean {
  const { behavior, invert } = stage as { behavior?: unknown; invert?: unknown };
  return (behavior === 'Isolated' && invert !== true) || (behavior === 'Removed' && invert === true);
}

/** Gemma splits at blanks, of which its normaliser leaves none. */
function splitsNothing(stage: TokenizerStage, normalizers: readonly TokenizerStage[]): boolean {
  const literal = literalOf(stage);
  const gone = normalizers.some(
    (normalizer) => normalizer.type === 'Replace' && literalOf(normalizer) === literal,
  );
  return literal !== null && gone && KEPT_WHOLE.includes(String(stage['behavior']));
}

function literalOf(stage: TokenizerStage): string | null {
  const pattern = stage['pattern'] as { String?: unknown } | undefined;
  return typeof pattern?.String === 'string' ? pattern.String : null;
}
