import { orderLongRuns } from './mark-order.js';

/**
 * Text without these is in NFC already. Left out are blocks that logs are full of and in which nothing composes, moves
 * or is replaced: punctuation, arrows, boxes and other symbols, kana, Han, Hangul syllables, emoji, full-width forms.
 */
const MAY_CHANGE = new RegExp(
  [
    '[\\u0300-\\u2001\\u20d0-\\u20ff\\u2126\\u212a\\u212b\\u2329\\u232a\\u2adc\\u2c00-\\u2fff\\u302a-\\u302f\\u3099\\u309a',
    '\\ua490-\\uabff\\ud7a4-\\ud83b\\ud83f-\\udbff\\uf900-\\ufdff\\ufe10-\\ufeff\\ufff0-\\uffff]',
  ].join(''),
);

/**
 * Characters to which the reference gives no combining class or composition, since its tables are older
 * (Unicode 9) than those of any Node: for it they stand alone. Found by comparing both on every code point.
 */
const STANDS_ALONE = new RegExp(
  [
    '[\\u07fd\\u0897-\\u089f\\u08ca-\\u08d3\\u09fe\\u0c3c\\u0d3b\\u0d3c\\u0eba\\u1715\\u1abf-\\u1add\\u1ae0-\\u1aeb',
    '\\u1df6-\\u1dfa\\ua82c\\u{105c9}\\u{105d2}\\u{105da}\\u{105e4}\\u{10d24}-\\u{10d27}\\u{10d69}-\\u{10d6d}',
    '\\u{10eab}\\u{10eac}\\u{10efa}\\u{10efb}\\u{10efd}-\\u{10eff}\\u{10f46}-\\u{10f50}\\u{10f82}-\\u{10f85}\\u{11070}',
    '\\u{1133b}\\u{11382}-\\u{11385}\\u{1138b}\\u{1138e}\\u{11390}\\u{11391}\\u{113c2}\\u{113c5}\\u{113c7}\\u{113c8}',
    '\\u{113ce}-\\u{113d0}\\u{1145e}\\u{11839}\\u{1183a}\\u{11935}\\u{11938}\\u{1193d}\\u{1193e}\\u{11943}\\u{119e0}',
    '\\u{11a34}\\u{11a47}\\u{11a99}\\u{11d42}\\u{11d44}\\u{11d45}\\u{11d97}\\u{11f41}\\u{11f42}\\u{1611e}',
    '\\u{16121}-\\u{16129}\\u{1612f}\\u{16d63}\\u{16d67}-\\u{16d6a}\\u{16ff0}\\u{16ff1}\\u{1e08f}\\u{1e130}-\\u{1e136}',
    '\\u{1e2ae}\\u{1e2ec}-\\u{1e2ef}\\u{1e4ec}-\\u{1e4ef}\\u{1e5ee}\\u{1e5ef}\\u{1e6e3}\\u{1e6e6}\\u{1e6ee}\\u{1e6ef}',
    '\\u{1e6f5}]',
  ].join(''),
  'gu',
);

const ONE_ALONE = new RegExp(STANDS_ALONE.source, 'u');

/** NFC as the reference library normalises, whatever Unicode version this Node was built with. */
export function toNfc(text: string): string {
  if (!MAY_CHANGE.test(text)) return text;
  const ordered = orderLongRuns(text, (mark) => ONE_ALONE.test(mark));
  if (ordered !== null) return normalizeAround(ordered);
  const whole = text.normalize('NFC');
  // Characters that stand alone can only keep text from changing, so unchanged text needs no second look.
  return whole === text || !ONE_ALONE.test(text) ? whole : normalizeAround(text);
}

/** Normalises the stretches between characters that stand alone. */
function normalizeAround(text: string): string {
  let result = '';
  let done = 0;
  for (const match of text.matchAll(STANDS_ALONE)) {
    result += text.slice(done, match.index).normalize('NFC') + match[0];
    done = match.index + match[0].length;
  }
  return result + text.slice(done).normalize('NFC');
}
