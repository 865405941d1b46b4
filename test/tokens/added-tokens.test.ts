import { Tokenizer } from 'tokenizers';
import { describe, expect, it } from 'vitest';
import type { SpecialHandling } from '../../src/tokens/encoder.js';
import { openLibraryEncoder } from '../../src/tokens/load-encoder.js';
import { type SmallTokenizer, smallTokenizer, tokenizerFile } from './small-tokenizer.js';

const NFC = { type: 'NFC' };
const SPECIAL = { special: true };
const BOTH_SIDES = { lstrip: true, rstrip: true };

const CASES: ReadonlyArray<readonly [what: string, options: SmallTokenizer, texts: readonly string[]]> = [
  [
    'the longest of those that begin at one place',
    { added: [['<s>', SPECIAL], ['s>t'], ['<s>t']] },
    ['<s>t <s>x s>t', 'a<s>s>t', '<s><s>t'],
  ],
  [
    'lstrip and rstrip',
    {
      added: [
        ['<m>', { lstrip: true }],
        ['<n>', { rstrip: true }],
        ['<o>', BOTH_SIDES],
      ],
    },
    [
      'a <m> b <n> c <o> d',
      '<n>  <m>',
      '  <o>  <o>  ',
      '<n> <o> <m>\u00a0\u3000<m>\u0085x\ufeff<m>',
      'a\n\n<m>',
    ],
  ],
  [
    'single_word',
    { added: [['wd', { single_word: true }]] },
    ['wd xwd wdx wd.wd _wd wd_ wd1 \u0301wd wd\u0301 \u00b2wd wd\u200d wd', '\u{1d49c}wd wd\u{1f600}', 'wd'],
  ],
  [
    'normalized',
    {
      normalizer: NFC,
      added: [
        ['w\u00e9', { single_word: true, normalized: true }],
        ['<ae\u0301>', { normalized: true }],
      ],
    },
    ['we\u0301 w\u00e9 xw\u00e9 w\u00e9 \u0301', '<a\u00e9><ae\u0301> <a\u00e9', 'e<ae\u0301>\u0338'],
  ],
  [
    'tokens made of white space',
    { added: [['\n\n'], ['  '], ['<x>', BOTH_SIDES]] },
    ['a\n\n\nb   c', '<x>\n\n<x>    <x>  y', '  <x>\n\n'],
  ],
  [
    'a normaliser between two kinds',
    { normalizer: NFC, added: [['<think>'], ['>x', { normalized: true }]] },
    ['<think>\u0338<think>x>x', '>\u0338x>x<think'],
  ],
];

function ids(options: SmallTokenizer, text: string, special: SpecialHandling): number[] {
  const sink = { ids: new Int32Array(1), length: 0 };
  const count = openLibraryEncoder(tokenizerFile(smallTokenizer(options))).encode(text, sink, special);
  expect(count).toBe(sink.length);
  return [...sink.ids.subarray(0, sink.length)];
}

describe('added tokens are found as the reference finds them', () => {
  it.each(CASES)('%s', async (_what, options, texts) => {
    const reference = Tokenizer.fromString(smallTokenizer(options));
    for (const text of texts) {
      const expected = await reference.encode(text, null, { addSpecialTokens: false });
      expect(ids(options, text, 'match')).toEqual(expected.getIds());
    }
  });
});

// The binding cannot be told to encode special tokens as text; these ids are those of the Python package (0.23.3)
// with encode_special_tokens set. A byte's id is the byte, added tokens count from 1000.
describe('special tokens in content', () => {
  const bytes = (text: string): number[] => [...Buffer.from(text)];

  it('stay text, and so does another added token that begins inside them', () => {
    const options = { added: [['<s>', SPECIAL], ['s>t'], ['<s>t']] } satisfies SmallTokenizer;
    expect(ids(options, '<s>t <s>x s>t', 'plain')).toEqual([1002, ...bytes(' <s>x '), 1001]);
    expect(ids(options, 'a<s>s>t', 'plain')).toEqual([...bytes('a<s>'), 1001]);
    expect(ids(options, 'a<s>s>t', 'match')).toEqual([...bytes('a'), 1000, 1001]);
  });

  it('leave the white space that they would strip', () => {
    const options = { added: [['<o>', { ...BOTH_SIDES, special: true }]] } satisfies SmallTokenizer;
    expect(ids(options, 'c <o> d', 'plain')).toEqual(bytes('c <o> d'));
    expect(ids(options, 'c <o> d', 'match')).toEqual([...bytes('c'), 1000, ...bytes('d')]);
  });

  it('are still found where they are not marked special', () => {
    const options = { added: [['<think>'], ['<|im_end|>', SPECIAL]] } satisfies SmallTokenizer;
    expect(ids(options, '<think><|im_end|>', 'plain')).toEqual([1000, ...bytes('<|im_end|>')]);
  });
});
