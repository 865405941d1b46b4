import { hostileTexts, randomNumbers } from './hostile-text.js';

/** Lines as logs hold them, and such as differ in what stands at their end or at the start of the next. */
const PLAIN = [
  ...['def value(self) -> int:', '    return self._value  # cached', '        raise ValueError("no value")'],
  ...[
    '    return self._value',
    'Traceback (most recent call last):',
    '  File "main.py", line 12, in <module>',
  ],
  ...[
    '/usr/lib/python3/dist-packages',
    '// a comment of the code',
    '/* and',
    ' */ the end',
    '-------- 8< --------',
  ],
  ...[
    '====================',
    'ok',
    '',
    '',
    ' ',
    '\t',
    '   trailing blanks   ',
    'ends with a number 123',
    '4567 begins with one',
  ],
  ...[
    "it's what they'll say, isn't it",
    "'s only",
    'a,b,c,d,e,f,g,h,i,j,k',
    '{"name": "run", "arguments": {"a": 1}}',
  ],
  ...[
    '\u4f60\u597d\uff0c\u4e16\u754c\u3002\u8fd9\u662f\u4e00\u884c',
    '\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8',
    'e\u0301\u0301 composed',
    '\u0301 begins with a mark',
  ],
  ...[
    'caf\u00e9 \u00fcber na\u00efve \u00a0\u00a0',
    '\u00a0\u00a0no break',
    '\u3000wide',
    '\u2028separated',
    '\u{1f642}\u{1f44d}\u{1f3fd} emoji',
    '\0\u0001\u007f control',
  ],
  ...['word '.repeat(60), 'nobreak'.repeat(60), '='.repeat(200), 'x'.repeat(1500), ' '.repeat(40)],
];
const ENDS = ['\n', '\n', '\n', '\n', '\r\n', '\n\n', '\r', '', ' ', '  ', '\n/', '!\n'];

/** Texts of shuffled, repeated, joined and cut lines, many of which come again and again. */
export function lineTexts(seed: number, count: number, addedTokens: readonly string[]): string[] {
  const next = randomNumbers(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const lines = [...PLAIN, ...PLAIN];
  for (const hostile of hostileTexts(seed, addedTokens)) {
    lines.push(hostile.slice(0, 300));
    if (lines.length === 2 * PLAIN.length + 60) break;
  }
  for (const token of addedTokens.slice(0, 6))
    lines.push(token, `${token}a line behind a token`, `and before one ${token}`);
  const line = (): string => `${lines[below(lines.length)]}${ENDS[below(ENDS.length)]}`;
  const paragraphs = Array.from({ length: 12 }, () => Array.from({ length: 2 + below(8) }, line).join(''));
  return Array.from({ length: count }, () => {
    const parts = Array.from({ length: 1 + below(12) }, () =>
      next() < 0.5 ? line() : (paragraphs[below(paragraphs.length)] ?? ''),
    );
    const text = parts.join('');
    const cut = below(6);
    if (cut === 0) return text.slice(0, below(text.length));
    return cut === 1 ? text.slice(below(text.length)) : text;
  });
}
