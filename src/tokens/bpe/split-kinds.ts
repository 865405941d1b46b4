import { stagesOf } from '../token-bytes.js';
import type { TokenizerStage } from '../tokenizer-json.js';
import { cl100kScanner } from './scan-cl100k.js';
import { DEEPSEEK_SCANNER } from './scan-deepseek.js';
import { O200K_SCANNER } from './scan-o200k.js';
import type { WordScanner } from './word-scanner.js';

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const SPACES = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const CAPITALS = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const SMALLS = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';

interface SplitKind {
  /** the regular expressions of the `Split` stages, in order, as tokenizer.json files write them */
  readonly patterns: readonly string[];
  readonly scanner: WordScanner;
}

/** Pre-tokenizers that have a scanner. Every pattern here matches all text or isolates what it leaves. */
export const SPLIT_KINDS = {
  qwen2: {
    patterns: [
      `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${SPACES}`,
    ],
    scanner: cl100kScanner({ digits: 1, marks: false }),
  },
  'qwen3.5': {
    patterns: [
      `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${SPACES}`,
    ],
    scanner: cl100kScanner({ digits: 1, marks: true }),
  },
  llama3: {
    patterns: [
      `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${SPACES}`,
    ],
    scanner: cl100kScanner({ digits: 3, marks: false }),
  },
  o200k: {
    patterns: [
      [
        `[^\\r\\n\\p{L}\\p{N}]?${CAPITALS}*${SMALLS}+${CONTRACTIONS}?`,
        `[^\\r\\n\\p{L}\\p{N}]?${CAPITALS}+${SMALLS}*${CONTRACTIONS}?`,
        `\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${SPACES}`,
      ].join('|'),
    ],
    scanner: O200K_SCANNER,
  },
  'deepseek-v3': {
    patterns: [
      '\\p{N}{1,3}',
      '[一-龥\u3040-ゟ゠-ヿ]+',
      [
        '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+',
        '[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+',
        ' ?[\\p{P}\\p{S}]+[\r\n]*',
        '\\s*[\r\n]+|\\s+(?!\\S)|\\s+',
      ].join('|'),
    ],
    scanner: DEEPSEEK_SCANNER,
  },
} as const satisfies Record<string, SplitKind>;

export type SplitKindName = keyof typeof SPLIT_KINDS;

/** The kind of a pre-tokenizer, or null where it has no scanner. */
export function splitKindOf(preTokenizer: TokenizerStage | null): SplitKindName | null {
  const stages = stagesOf(preTokenizer);
  const last = stages.at(-1);
  if (last?.type !== 'ByteLevel' || last['add_prefix_space'] !== false || last['use_regex'] !== false)
    return null;
  const splits = stages.slice(0, -1);
  for (const name of Object.keys(SPLIT_KINDS) as SplitKindName[]) {
    const patterns: readonly string[] = SPLIT_KINDS[name].patterns;
    const same = (stage: TokenizerStage, k: number): boolean => splitsBy(stage, patterns[k]);
    if (splits.length === patterns.length && splits.every(same)) return name;
  }
  return null;
}

/** A single split that removes what does not match cuts as one that isolates, since the pattern matches all text. */
function splitsBy(stage: TokenizerStage, pattern: string | undefined): boolean {
  const { type, behavior, invert } = stage as { type: string; behavior?: unknown; invert?: unknown };
  const isolates = behavior === 'Isolated' && invert === false;
  const keepsMatches = behavior === 'Removed' && invert === true;
  const own = stage['pattern'] as { Regex?: unknown } | undefined;
  return type === 'Split' && (isolates || keepsMatches) && own?.Regex === pattern;
}
