import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPythonPrintable } from '../../src/chat/jinja/python-printable.js';
import { pythonRepr, ReprFault } from '../../src/chat/jinja/python-repr.js';

it('a code point is printed as it is where Python 3.11 says so, for all of them', () => {
  // hashlib.sha256(bytes(chr(c).isprintable() for c in range(0x110000))).hexdigest()
  const printable = Uint8Array.from({ length: 0x110000 }, (_, codePoint) =>
    Number(isPythonPrintable(codePoint)),
  );
  expect(createHash('sha256').update(printable).digest('hex')).toBe(
    '8a3c3a3d69c6e08239dab306dcf53a58ec670792bac351388902bb0a4c818343',
  );
});

describe('repr of a text', () => {
  it.each([
    ['plain', "'plain'"],
    ["it's", `"it's"`],
    [`both ' and "`, `'both \\' and "'`],
    ['é 日本 🙂', "'é 日本 🙂'"],
    ['\\ \n\r\t\0\x7f', "'\\\\ \\n\\r\\t\\x00\\x7f'"],
    ['\u0085\u00a0\u00ad', "'\\x85\\xa0\\xad'"],
    ['\u200d\u2028\u3000\ufeff\ue000', "'\\u200d\\u2028\\u3000\\ufeff\\ue000'"],
    ['\u{e0001}\u{f0000}', "'\\U000e0001\\U000f0000'"],
  ])('%j', (text, expected) => {
    expect(pythonRepr(text)).toBe(expected);
  });

  it.each([
    ['a character that Unicode 15 brought', '\u{1fae8}', 'how Python prints U+1FAE8'],
    ['a code point that no character has', '\u0378', 'how Python prints U+378'],
    ['half a surrogate pair', 'a\ud800', 'half a surrogate pair'],
  ])('is refused for %s', (_, text, message) => {
    expect(() => pythonRepr(text)).toThrow(ReprFault);
    expect(() => pythonRepr(text)).toThrow(message);
  });
});

const version = spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout ?? '';

it.skipIf(!version.startsWith('Python 3.11.'))('is what Python prints, or refused', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 12 });
  const texts = fc.sample(anyText, 2000);
  const script = 'import json,sys\nfor t in json.load(sys.stdin): print(json.dumps(repr(t)))';
  const { stdout } = spawnSync('python3', ['-c', script], { input: JSON.stringify(texts), encoding: 'utf8' });
  const printed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string);
  let exact = 0;
  texts.forEach((text, k) => {
    try {
      expect(pythonRepr(text)).toBe(printed[k]);
      exact++;
    } catch (error) {
      if (!(error instanceof ReprFault)) throw error;
    }
  });
  expect(exact).toBeGreaterThan(texts.length / 10);
});
