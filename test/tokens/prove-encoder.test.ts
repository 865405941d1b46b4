import { describe, expect, it } from 'vitest';
import { BpeEncoder } from '../../src/tokens/bpe/bpe-encoder.js';
import { compileTables } from '../../src/tokens/bpe/compile-tables.js';
import { KNOWN_PROOFS } from '../../src/tokens/known-proofs.js';
import { openLibraryEncoder } from '../../src/tokens/load-encoder.js';
import { firstDifference, probeDigest, probeTexts } from '../../src/tokens/prove-encoder.js';
import { readTokenizerFile } from '../../src/tokens/tokenizer-file.js';
import { NativeReference } from './native-encoder.js';
import { FAST_TOKENIZERS } from './tokenizers.js';

describe.each(FAST_TOKENIZERS)('%s', (_name, path) => {
  const file = readTokenizerFile(path);
  const texts = probeTexts(file.json.addedTokens);

  it('has the digest of the reference among the known proofs', async () => {
    const reference = await new NativeReference(path).encoderOf(texts);
    expect(`${file.sha256} ${probeDigest(reference, texts)}`).toBe(
      `${file.sha256} ${KNOWN_PROOFS.get(file.sha256)}`,
    );
  });

  it('has the ids of the reference on the probe texts with the library too', async () => {
    const reference = await new NativeReference(path).encoderOf(texts);
    expect(firstDifference(openLibraryEncoder(file), reference, texts)).toBeNull();
  });
});

describe('firstDifference', () => {
  const [, path = ''] = FAST_TOKENIZERS[0] ?? [];
  const file = readTokenizerFile(path);
  const texts = probeTexts(file.json.addedTokens);

  it.each([
    ['a class that is wrong for one letter', 'classes', 0xe9],
    ['a merge that is missing', 'merges', 4 * 1000],
    ['a byte with the id of another', 'byteIds', 0x20],
  ] as const)('finds %s', (_what, table, place) => {
    const compiled = compileTables(file.json);
    if ('refusal' in compiled) throw new Error(compiled.refusal);
    const { tables } = compiled;
    if (table === 'merges') tables.merges.fill(-1, place, place + 40_000);
    else tables[table][place] = 0;
    const broken = new BpeEncoder(tables, file.json.addedTokens, file.sha256);
    expect(firstDifference(broken, openLibraryEncoder(file), texts)).toMatch(/^(match|plain) ".*": /);
  });

  it('finds byte lengths that are wrong', () => {
    const compiled = compileTables(file.json);
    if ('refusal' in compiled) throw new Error(compiled.refusal);
    compiled.tables.byteLengths[64] = 2;
    const broken = new BpeEncoder(compiled.tables, file.json.addedTokens, file.sha256);
    expect(firstDifference(broken, openLibraryEncoder(file), texts)).toContain('the bytes of the tokens');
  });
});
