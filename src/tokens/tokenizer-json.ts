import { z } from 'zod';
import { TrajmillError } from '../errors.js';

const addedToken = z
  .object({
    id: z.int().nonnegative(),
    content: z.string(),
    special: z.boolean().default(false),
    single_word: z.boolean().default(false),
    lstrip: z.boolean().default(false),
    rstrip: z.boolean().default(false),
    normalized: z.boolean().optional(),
  })
  .transform((token) => ({ ...token, normalized: token.normalized ?? !token.special }));

/** A stage of the tokenizer (normaliser, pre-tokenizer ...) as the file has it. */
const component = z.looseObject({ type: z.string() });

const bpeOptions = z.looseObject({
  type: z.string(),
  dropout: z.number().nullish(),
  unk_token: z.string().nullish(),
  continuing_subword_prefix: z.string().nullish(),
  end_of_word_suffix: z.string().nullish(),
  fuse_unk: z.boolean().default(false),
  byte_fallback: z.boolean().default(false),
  ignore_merges: z.boolean().default(false),
});

const outline = z.looseObject({
  added_tokens: z.array(addedToken).default([]),
  normalizer: component.nullish().transform((value) => value ?? null),
  pre_tokenizer: component.nullish().transform((value) => value ?? null),
});

export type AddedToken = z.output<typeof addedToken>;
export type TokenizerStage = z.output<typeof component>;

/** The model's options; its vocabulary and merges stand beside them, since they are large. */
export type ModelOptions = z.output<typeof bpeOptions>;

export type Merge = string | readonly [string, string];

/** The parts of a tokenizer.json that engines look at. */
export interface TokenizerJson {
  readonly addedTokens: readonly AddedToken[];
  readonly normalizer: TokenizerStage | null;
  readonly preTokenizer: TokenizerStage | null;
  readonly model: ModelOptions;
  /** id of each token by its text, in the model's own alphabet; a Unigram's list has its place as id */
  readonly vocab: ReadonlyMap<string, number>;
  /** pairs in order of rank, as lists or with a space between; empty for models without merges */
  readonly merges: readonly Merge[];
  /** the whole file, for libraries that read it themselves */
  readonly raw: Record<string, unknown>;
}

/** Parses the text of a tokenizer.json. Throws TrajmillError E_TOKENIZER that names `place` and the fault. */
export function parseTokenizer(text: string, place: string): TokenizerJson {
  const refuse = (message: string, cause?: unknown): never => {
    throw new TrajmillError('E_TOKENIZER', message, { place, cause });
  };
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (cause) {
    return refuse('not JSON', cause);
  }
  if (!isRecord(raw) || !isRecord(raw['model'])) return refuse('not a tokenizer.json: it has no model');
  const { model, ...rest } = raw;
  const { vocab, merges, ...options } = model;
  const parts = outline.safeParse(rest);
  if (!parts.success) return refuse(`not a tokenizer.json: ${firstIssue(parts.error)}`);
  // Old files leave the type out; every such model with merges is a BPE.
  const parsed = bpeOptions.safeParse({ type: merges === undefined ? 'unknown' : 'BPE', ...options });
  if (!parsed.success) return refuse(`model: ${firstIssue(parsed.error)}`);
  return {
    addedTokens: parts.data.added_tokens,
    normalizer: parts.data.normalizer,
    preTokenizer: parts.data.pre_tokenizer,
    model: parsed.data,
    vocab: readVocab(vocab) ?? refuse('model.vocab is neither an object of ids nor a list of scored tokens'),
    merges: isMerges(merges ?? []) ? ((merges ?? []) as Merge[]) : refuse('model.merges is no list of pairs'),
    raw,
  };
}

function readVocab(vocab: unknown): ReadonlyMap<string, number> | null {
  const ids = new Map<string, number>();
  if (Array.isArray(vocab)) {
    for (const [id, entry] of vocab.entries()) {
      const text: unknown = Array.isArray(entry) ? entry[0] : null;
      if (typeof text !== 'string') return null;
      ids.set(text, id);
    }
    return ids;
  }
  if (!isRecord(vocab)) return null;
  for (const text of Object.keys(vocab)) {
    const id = vocab[text];
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0) return null;
    ids.set(text, id);
  }
  return ids;
}

function isMerges(merges: unknown): merges is Merge[] {
  return Array.isArray(merges) && merges.every(isMerge);
}

function isMerge(merge: unknown): merge is Merge {
  if (typeof merge === 'string')
    return merge.indexOf(' ') > 0 && merge.indexOf(' ') === merge.lastIndexOf(' ');
  return (
    Array.isArray(merge) && merge.length === 2 && typeof merge[0] === 'string' && typeof merge[1] === 'string'
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'malformed' : `${issue.path.join('.')}: ${issue.message}`;
}
