/** Endless hostile texts from a seed: everything that splitters, normalisers and merges may get wrong, mixed. */
export function* hostileTexts(seed: number, addedTokens: readonly string[]): Generator<string> {
  const next = randomNumbers(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const oneOf = (list: readonly string[]) => (): string => list[below(list.length)] ?? '';
  const codePoint = (first: number, count: number) => (): string =>
    String.fromCodePoint(first + below(count));
  const printable = codePoint(0x20, 95);
  const space = oneOf([
    ...' \n\r\t\u0085\u00a0\u1680\u2003\u3000\ufeff\u2028\u2029\u000b\u000c\u001c\u180e\u200b',
    '  ',
    '\r\n',
  ]);
  const sources: ReadonlyArray<() => string> = [
    printable,
    space,
    oneOf([
      "'s",
      "'S",
      "'\u017f",
      "'re",
      "'LL",
      "'lL",
      "'d",
      "'ve",
      "'t",
      "'T",
      "''",
      '\u2019s',
      "'m",
      "'M",
      "'rE",
    ]),
    oneOf([...'0123456789\u0663\u0664\u00b2\u2167\u3007\u00bd\u{1d7d8}', '000', '20240131']),
    oneOf([
      'the ',
      'function',
      '    ',
      '\n\n',
      'return',
      '==',
      '// ',
      '"',
      "', '",
      '/\n',
      'ABc',
      'aB',
      'HTTPServer',
      '\\n',
    ]),
    oneOf([
      '<|im_start|>',
      '<think>',
      '<',
      '<|',
      '<|im_',
      '<|endoftext|>',
      '<\uff5c',
      '<|eot_id|>',
      ...addedTokens.slice(0, 40),
    ]),
    oneOf([...'\u00c5\u212b\u2126\u0344\u0958\u2adc\ufb1d', 'e\u0323\u0301', '\u1100\u1161\u11a8']),
    oneOf([...'\u01c5\u01c8\u02b0\u00aa\ufb00\u00df\u4e2d\u3042\u30fb\u309b\u3040\u3097']),
    oneOf([
      '\u200d',
      '\ufe0f',
      '\u{1f3fd}',
      '\u{1f468}\u200d\u{1f469}',
      '\u{1f1eb}\u{1f1f7}',
      '1\ufe0f\u20e3',
    ]),
    codePoint(0x300, 0x70),
    codePoint(0xc0, 0x200),
    codePoint(0x370, 0x300),
    codePoint(0x7c0, 0x140),
    codePoint(0x900, 0x500),
    codePoint(0x1100, 0xff),
    codePoint(0x1ab0, 0x40),
    codePoint(0x3030, 0xd8),
    codePoint(0x4e00, 20_000),
    codePoint(0xac00, 11_000),
    codePoint(0xe000, 60),
    codePoint(0xfb00, 0x50),
    codePoint(0x10d20, 0x60),
    codePoint(0x11380, 0x60),
    codePoint(0x16120, 0x10),
    codePoint(0x1e100, 0x600),
    codePoint(0x1f300, 0x600),
    codePoint(0x2f800, 0x200),
    codePoint(0, 0x20),
    () => String.fromCharCode(0xd800 + below(0x800)),
    () => oneOf([...'aZ=-_ .\u4e00'])().repeat(below(400)),
    () => Array.from({ length: below(700) }, oneOf([...'ACGT'])).join(''),
    () => Array.from({ length: below(200) }, codePoint(0x61, 26)).join(''),
  ];
  for (;;) {
    const few = [sources[below(sources.length)], sources[below(sources.length)], printable, space];
    const chosen = next() < 0.5 ? few : sources;
    let text = '';
    for (let count = 1 + below(next() < 0.4 ? 8 : 60); count > 0; count--)
      text += chosen[below(chosen.length)]?.() ?? '';
    yield text;
  }
}

/** Pseudo-random numbers in [0, 1) (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
