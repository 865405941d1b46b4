import { Tokenizer } from 'tokenizers';
import { describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import { openLibraryEncoder } from '../../src/tokens/load-encoder.js';
import { hostileTexts } from './hostile-text.js';
import { smallTokenizer, tokenizerFile } from './small-tokenizer.js';

const MERGES = [
  ['\u2581', 't'],
  ['h', 'e'],
  ['\u2581t', 'he'],
  ['l', 'l'],
  ['\n', '\n'],
] as const;

/** In the manner of Gemma: blanks become U+2581, unknown characters fall back to bytes. */
function gemmaLike(): string {
  const vocab: Record<string, number> = { '<unk>': 0, '<bos>': 1 };
  for (let byte = 0; byte < 256; byte++) {
    vocab[`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`] = 2 + byte;
  }
  for (const token of [...'\u2581\nabcdefghijklmnopqrstuvwxyz\u4e2d', ...MERGES.map(([a, b]) => a + b)]) {
    vocab[token] = Object.keys(vocab).length;
  }
  const added = ['<bos>', '\n\n'].map((content) => ({
    id: vocab[content],
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: content === '<bos>',
  }));
  return JSON.stringify({
    version: '1.0',
    added_tokens: added,
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' },
    pre_tokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false },
    post_processor: null,
    decoder: null,
    model: { type: 'BPE', unk_token: '<unk>', fuse_unk: true, byte_fallback: true, vocab, merges: MERGES },
  });
}

describe('LibraryEncoder', () => {
  const encoder = openLibraryEncoder(tokenizerFile(gemmaLike()));
  const reference = Tokenizer.fromString(gemmaLike());

  it('encodes with byte fallback as the reference does', async () => {
    const texts = [
      '',
      ' the bell \u00e9\u{1f600}\u4e2d  x',
      '<bos>a\n\n\n',
      'lone \ud800 \udc00 end',
      '\ufefft\u0000',
    ];
    for (const text of hostileTexts(5, ['<bos>'])) {
      if (texts.push(text) === 300) break;
    }
    const sink = { ids: new Int32Array(8), length: 0 };
    for (const text of texts) {
      sink.length = 0;
      encoder.encode(text, sink, 'match');
      const expected = await reference.encode(text, null, { addSpecialTokens: false });
      expect([text, ...sink.ids.subarray(0, sink.length)]).toEqual([text, ...expected.getIds()]);
    }
  });

  it('gives the bytes of the normalised text', () => {
    const text = ' the bell \u00e9\u4e2d\n\n<bos>';
    const sink = { ids: new Int32Array(8), length: 0 };
    encoder.encode(text, sink, 'match');
    const ids = [...sink.ids.subarray(0, sink.length)];
    expect(Buffer.concat(ids.map((id) => encoder.tokenBytes(id))).toString()).toBe(encoder.normalize(text));
    const lengths = ids.map((id) => encoder.byteLengths?.[id] ?? 0);
    expect(lengths.reduce((a, b) => a + b, 0)).toBe(Buffer.byteLength(encoder.normalize(text)));
    expect(encoder.normalize(' a ')).toBe('\u2581a\u2581');
    expect([...encoder.specials]).toEqual([['<bos>', 1]]);
  });

  it('has no byte lengths where added tokens take the white space beside them', () => {
    const strips = smallTokenizer({ added: [['<m>', { lstrip: true }]] });
    expect(openLibraryEncoder(tokenizerFile(strips)).byteLengths).toBeNull();
  });

  it('cuts words as GPT-2 does', async () => {
    const stage = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
    const merges = [...'ab .'].flatMap((left) =>
      [...'ab.'].map((right) => [left === ' ' ? '\u0120' : left, right] as const),
    );
    const text = JSON.stringify({ ...JSON.parse(smallTokenizer({ merges })), pre_tokenizer: stage });
    const words = openLibraryEncoder(tokenizerFile(text));
    const expected = Tokenizer.fromString(text);
    for (const sample of [
      "ab a.b  .a 'sa it'Sa",
      '\ufeff \u0085  a\u2028 b\u3000\u00a0.',
      'a1b22 \u0663a',
      ' \n\n  b',
    ]) {
      const sink = { ids: new Int32Array(8), length: 0 };
      words.encode(sample, sink, 'match');
      const ids = await expected.encode(sample, null, { addSpecialTokens: false });
      expect([sample, ...sink.ids.subarray(0, sink.length)]).toEqual([sample, ...ids.getIds()]);
    }
  });

  it.each([
    ['model WordPiece', { model: { type: 'WordPiece' } }],
    ['dropout', { model: { dropout: 0.5 } }],
    ['end_of_word_suffix', { model: { end_of_word_suffix: '</w>' } }],
    ['normalizer Precompiled', { normalizer: { type: 'Precompiled', precompiled_charsmap: '' } }],
    [
      'pre-tokenizer Metaspace',
      { preTokenizer: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'first' } },
    ],
    ['add_prefix_space', { preTokenizer: { type: 'ByteLevel', add_prefix_space: true, use_regex: true } }],
    [
      'split MergedWithNext',
      {
        preTokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithNext', invert: false },
      },
    ],
  ] as const)('refuses %s by name, in one line', (name, options) => {
    const file = tokenizerFile(smallTokenizer(options));
    expect(() => openLibraryEncoder(file)).toThrow(TrajmillError);
    expect(() => openLibraryEncoder(file)).toThrow(
      `small/tokenizer.json: no engine can run this tokenizer: ${name}`,
    );
  });
});
