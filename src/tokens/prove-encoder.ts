import { createHash } from 'node:crypto';
import type { Encoder, SpecialHandling, TokenSink } from './encoder.js';
import type { AddedToken } from './tokenizer-json.js';

const MODES: readonly SpecialHandling[] = ['match', 'plain'];

/** Text on which splitters, normalisers and merges go wrong first. All of it was assigned by Unicode 15. */
const HOSTILE = [
  '',
  'a',
  "I'm, you'RE, it's he'd we'LL they've 'tis ''s x'\u017f 'S'T can't'Ve",
  'def f(x):\n\treturn  {"a": [1, 22, 333, 4444, 55555]}\r\n\r\n    # -- end --\n\n\n',
  '0 00 000 0000 00000 3.14159 1e-10 0x7f ١٢٣٤٥ ²³¹ Ⅷ ½½½½ 〇九',
  ' \t \u00a0\u0085\u1680\u2000\u2009\u200a\u2028\u2029\u202f\u205f\u3000x\u200b\u180e\ufeffy\u000b\u000c\u001c\u001f z ',
  '  two   three\n \n  \n\tmixed \r\n\r \n end   ',
  'caf\u00e9 cafe\u0301 \u212b\u2126\u0344 e\u0323\u0301 e\u0301\u0323 \u1100\u1161\u11a8 \uac00\u11a8 \u0958 \u2f80a',
  '\u0301\u0302 a\u0301\u0302A\u0301b !\u0301? \u0301ABC \u0301abc\u0301 \u4e2d\u0301',
  'HTTPServer XMLHttpRequest iPhone McDonald \u01c5\u01c8\u02b0\u00aa\u00df\ufb00 \u0410\u0411\u0432\u0413\u0434 ABc aBC ABCd',
  '\u65e5\u672c\u8a9e\u30c6\u30ad\u30b9\u30c8\u30fb\u30fc\u309b\u3042\u3097\u3042\u4e2d\u65871\u6587\u3000 \ud55c\uad6d\uc5b4 \u0e44\u0e17\u0e22 \u0928\u092e\u0938\u094d\u0924\u0947',
  '\ud83d\udc69\u200d\ud83d\udcbb \ud83c\udff3\ufe0f\u200d\ud83c\udf08 \ud83c\uddeb\ud83c\uddf7 \u0031\ufe0f\u20e3 \ud83d\ude00\ud83c\udffd',
  'x\ud800y\udc00z\ud83d \ude00',
  '\u0000\u0001\u001b[31m\u007f\u0080 \ue000\uf8ff \udbff\udfff \ufffd\ufffe a\u0001b \u0001!',
  '====----####////....!!!!\n\n//\n/* */ <!-- --> </div> $x @y ~z `q` ^_^ |\\/|/\r\n/',
  'https://example.org/a_b-c?d=e&f=%20#g C:\\dir\\file.txt ~/x/y.py:12 --flag=value 2024-01-31T23:59:59Z',
  'YWdlbnQgbG9ncyBoYXZlIGxvbmcgYmFzZTY0IGJsb2Nrcw==/+AAAA',
  `${'a'.repeat(700)} ${'ACGT'.repeat(120)} ${' '.repeat(300)}x${'='.repeat(300)}\n${'\u7684\u4e00\u662f'.repeat(120)}`,
  '<|im_start|><|im_end|><|endoftext|><|eot_id|><|begin_of_text|><\uff5cUser\uff5c><think></think><tool_call><|im_<|',
];

/** The probe texts of one tokenizer: hostile text, and its own added tokens whole, cut, glued and in company. */
export function probeTexts(addedTokens: readonly AddedToken[]): string[] {
  const texts = [...HOSTILE];
  const step = Math.max(1, Math.floor(addedTokens.length / 60));
  for (let k = 0; k < addedTokens.length; k += step) {
    const content = addedTokens[k]?.content ?? '';
    texts.push(
      `a ${content} b${content}${content}\n${content.slice(0, -1)} ${content.slice(1)}\u0301 <${content}>`,
    );
  }
  return texts;
}

/**
 * The first probe text that two encoders of one tokenizer treat differently, in one line; null where all ids
 * agree and, if the candidate claims byte lengths, each encoding's bytes are those of the normalised text.
 */
export function firstDifference(
  candidate: Encoder,
  reference: Pick<Encoder, 'encode'>,
  texts: readonly string[],
): string | null {
  const own: TokenSink = { ids: new Int32Array(1024), length: 0 };
  const other: TokenSink = { ids: new Int32Array(1024), length: 0 };
  for (const text of texts) {
    for (const special of MODES) {
      own.length = 0;
      other.length = 0;
      candidate.encode(text, own, special);
      reference.encode(text, other, special);
      const at = firstDifferentId(own, other);
      if (at >= 0) {
        return `${special} ${quote(text)}: token ${at} is ${own.ids[at]}, the reference has ${other.ids[at]}`;
      }
      if (!sameBytes(candidate, own, text))
        return `${special} ${quote(text)}: the bytes of the tokens are not those of the text`;
    }
  }
  return null;
}

/** sha256 (hex) over the ids of all texts in both modes: what KNOWN_PROOFS holds of the reference's ids. */
export function probeDigest(encoder: Pick<Encoder, 'encode'>, texts: readonly string[]): string {
  const hash = createHash('sha256');
  const sink: TokenSink = { ids: new Int32Array(1024), length: 0 };
  for (const text of texts) {
    for (const special of MODES) {
      sink.length = 0;
      encoder.encode(text, sink, special);
      hash.update(`${sink.ids.subarray(0, sink.length).join(' ')}\n`);
    }
  }
  return hash.digest('hex');
}

/** Whether the bytes of the tokens, joined, are the UTF-8 of the normalised text, and as long as stated. */
function sameBytes(encoder: Encoder, tokens: TokenSink, text: string): boolean {
  if (encoder.byteLengths === null) return true;
  const ids = [...tokens.ids.subarray(0, tokens.length)];
  const pieces = ids.map((id) => encoder.tokenBytes(id));
  const stated = ids.every((id, k) => encoder.byteLengths?.[id] === pieces[k]?.length);
  return stated && Buffer.concat(pieces).equals(Buffer.from(encoder.normalize(text)));
}

function firstDifferentId(a: TokenSink, b: TokenSink): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (i >= a.length || i >= b.length || a.ids[i] !== b.ids[i]) return i;
  }
  return -1;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
