import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { BpeEncoder } from '../../src/tokens/bpe/bpe-encoder.js';
import { compileTables } from '../../src/tokens/bpe/compile-tables.js';
import type { SpecialHandling } from '../../src/tokens/encoder.js';
import { readTokenizerFile, type TokenizerFile } from '../../src/tokens/tokenizer-file.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { hostileTexts } from './hostile-text.js';
import { lineTexts } from './line-texts.js';
import { NativeReference } from './native-encoder.js';
import { FAST_TOKENIZERS } from './tokenizers.js';

const SEED = 20260401;
const HOSTILE_TEXTS = 1500;
const LINE_TEXTS = 400;
const LOG_CHARACTERS = 10_000;

/** Code points without the long rows of Han and Hangul, which are all letters; bpe-unicode.test.ts sees every one. */
const VARIED_BLOCKS = [
  [0, 0x3400],
  [0xa000, 0xac00],
  [0xf900, 0x12000],
  [0x1d000, 0x1fc00],
] as const;

/** Texts that the engine and the reference encode differently, with the first different id. */
async function differences(
  encoder: BpeEncoder,
  reference: NativeReference,
  texts: readonly string[],
  modes: readonly SpecialHandling[] = ['match', 'plain'],
): Promise<string[]> {
  const sink = { ids: new Int32Array(64), length: 0 };
  const found: string[] = [];
  for (const special of modes) {
    const expected = await reference.encode(texts, special);
    for (const [k, text] of texts.entries()) {
      sink.length = 0;
      const count = encoder.encode(text, sink, special);
      const ids = expected[k] ?? [];
      const at = ids.findIndex((id, i) => sink.ids[i] !== id);
      if (count !== ids.length || at >= 0)
        found.push(`${special} at ${at}: ${JSON.stringify(text).slice(0, 200)}`);
    }
  }
  return found;
}

function engineOf(file: TokenizerFile): BpeEncoder {
  const compiled = compileTables(file.json);
  if ('refusal' in compiled) throw new Error(compiled.refusal);
  return new BpeEncoder(compiled.tables, file.json.addedTokens, file.sha256);
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : [path];
  });
}

describe.each(FAST_TOKENIZERS)('%s', (_name, path) => {
  let file: TokenizerFile;
  let encoder: BpeEncoder;
  let reference: NativeReference;

  beforeAll(() => {
    file = readTokenizerFile(path);
    encoder = engineOf(file);
    reference = new NativeReference(path);
  });

  it('gives the ids of the reference for hostile text', async () => {
    const contents = file.json.addedTokens.map((token) => token.content);
    const texts: string[] = [];
    for (const text of hostileTexts(SEED, contents)) {
      if (texts.push(text) === HOSTILE_TEXTS) break;
    }
    expect(await differences(encoder, reference, texts)).toEqual([]);
  });

  it('gives them for lines that come again in any order', async () => {
    const contents = file.json.addedTokens.map((token) => token.content);
    expect(await differences(encoder, reference, lineTexts(SEED, LINE_TEXTS, contents))).toEqual([]);
  });

  it('gives them for the code points of the varied blocks', async () => {
    const texts: string[] = [];
    for (const [first, end] of VARIED_BLOCKS) {
      for (let block = first; block < end; block += 32) {
        const characters = Array.from({ length: 32 }, (_, k) => String.fromCodePoint(block + k));
        texts.push(characters.map((c) => `a${c}b ${c}\n${c}  ${c}${c}A'${c}.1${c}`).join(''));
      }
    }
    expect(await differences(encoder, reference, texts, ['match'])).toEqual([]);
  });

  it('gives them for source code', async () => {
    const texts = filesUnder(fileURLToPath(new URL('../../src/tokens', import.meta.url))).map((f) =>
      readFileSync(f, 'utf8'),
    );
    expect(await differences(encoder, reference, texts)).toEqual([]);
  });

  describeWithShared('real logs', () => {
    it('gives the ids of the reference', async () => {
      const texts = filesUnder(sharedFile('logs')).map((f) =>
        readFileSync(f, 'utf8').slice(0, LOG_CHARACTERS),
      );
      expect(texts.length).toBeGreaterThan(100);
      expect(await differences(encoder, reference, texts)).toEqual([]);
    });
  });
});
