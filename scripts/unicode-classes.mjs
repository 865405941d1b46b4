// Writes src/tokens/bpe/unicode-classes.ts: the class of every code point as the reference library's regular
// expressions see it. Node's own \p{..} follow whatever Unicode version it was built with, so they cannot serve.
import { writeFileSync } from 'node:fs';
import { Tokenizer } from 'tokenizers';

const CLASSES = [
  ['U', '[\\p{Lu}\\p{Lt}]'],
  ['l', '\\p{Ll}'],
  ['C', '[\\p{Lm}\\p{Lo}]'],
  ['M', '\\p{M}'],
  ['N', '\\p{N}'],
  ['P', '[\\p{P}\\p{S}]'],
  ['S', '\\s'],
  ['R', '[\\r\\n]'],
];
const CODE_POINTS = 0x110000;
const BATCH = 2048;

const letters = new Array(CODE_POINTS).fill('O');
for (const [letter, pattern] of CLASSES) {
  const splitter = splitterFor(pattern);
  for (const text of batches()) {
    for (const [match] of splitter.preTokenizeString(text)) {
      for (const character of match) letters[character.codePointAt(0)] = letter;
    }
  }
}
writeFileSync(new URL('../src/tokens/bpe/unicode-classes.ts', import.meta.url), moduleText(runsOf(letters)));

function splitterFor(pattern) {
  const split = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Removed', invert: true };
  const model = { type: 'BPE', vocab: { a: 0 }, merges: [] };
  return Tokenizer.fromString(
    JSON.stringify({ version: '1.0', added_tokens: [], pre_tokenizer: split, model }),
  ).getPreTokenizer();
}

function* batches() {
  let batch = [];
  for (let code = 0; code < CODE_POINTS; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    batch.push(code);
    if (batch.length === BATCH || code === CODE_POINTS - 1) {
      yield String.fromCodePoint(...batch);
      batch = [];
    }
  }
}

function runsOf(values) {
  const runs = [];
  for (let start = 0, at = 1; at <= values.length; at++) {
    if (values[at] === values[start]) continue;
    runs.push(`${(at - start).toString(36)}${values[start].toUpperCase()}`);
    start = at;
  }
  return runs;
}

function moduleText(runs) {
  const lines = runs.join('').match(/.{1,99}[A-Z]/g);
  return `// Made by scripts/unicode-classes.mjs; a test compares it with the reference for every code point.

/**
 * Classes of all code points in order (Unicode 16.0): runs of a length in base 36 and a capital for the class:
 * U upper or title case, L lower case, C letter without case, M mark, N number, P punctuation or symbol,
 * S white space, R line feed or carriage return, O all others.
 */
export const UNICODE_CLASS_RUNS = \`
${lines.join('\n')}
\`;
`;
}
