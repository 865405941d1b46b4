import { TrajmillError } from '../errors.js';
import { BpeEncoder } from './bpe/bpe-encoder.js';
import { type BpeSettings, type BpeTableSizes, layOutTables } from './bpe/bpe-tables.js';
import type { Encoder } from './encoder.js';
import { LibraryEncoder } from './library-encoder.js';
import { openLibraryEncoder } from './load-encoder.js';
import { readTokenizerFile } from './tokenizer-file.js';
import type { AddedToken } from './tokenizer-json.js';

/**
 * What a worker needs to open an encoder that this process has loaded (and proved): plain data for `workerData`.
 * The project's own engine shares the memory of its tables; the library reads its file again.
 */
export type EncoderShare =
  | {
      readonly engine: 'bpe';
      readonly sha256: string;
      readonly settings: BpeSettings;
      readonly sizes: BpeTableSizes;
      readonly buffer: SharedArrayBuffer;
      readonly addedTokens: readonly AddedToken[];
    }
  | { readonly engine: 'library'; readonly sha256: string; readonly path: string };

/** The share of an encoder from `loadEncoder` or `openSharedEncoder`. */
export function shareEncoder(encoder: Encoder): EncoderShare {
  if (encoder instanceof BpeEncoder) {
    const { tables, sha256, addedTokens } = encoder;
    const { settings, sizes, buffer } = tables;
    return { engine: 'bpe', sha256, settings, sizes, buffer, addedTokens };
  }
  if (encoder instanceof LibraryEncoder)
    return { engine: 'library', sha256: encoder.sha256, path: encoder.path };
  throw new TrajmillError('E_INTERNAL', `an encoder of engine ${encoder.engine} cannot be shared`);
}

/** Opens a shared encoder: with the project's own engine in a few milliseconds. */
export function openSharedEncoder(share: EncoderShare): Encoder {
  if (share.engine === 'bpe') {
    const tables = layOutTables(share.settings, share.sizes, share.buffer);
    return new BpeEncoder(tables, share.addedTokens, share.sha256);
  }
  const file = readTokenizerFile(share.path);
  if (file.sha256 !== share.sha256) {
    throw new TrajmillError('E_INPUT_CHANGED', `sha256 is ${file.sha256}, it was ${share.sha256}`, {
      place: share.path,
    });
  }
  return openLibraryEncoder(file);
}
