import { isUtf8 } from 'node:buffer';
import { type JsonOddity, surveyJson } from './json-oddities.js';
import { noteSpelling } from './json-spelling.js';
import { endOfString } from './json-strings.js';
import { DEFAULT_LIMITS } from './limits.js';
import { RejectError } from './reject.js';

/** Flags of a text that was read although it is not quite what it should be. */
export type TextFlag = 'bom' | 'invalid_utf8' | 'bare_nan' | JsonOddity;

export interface DecodedText {
  readonly text: string;
  readonly flags: readonly TextFlag[];
}

export interface ParsedJson {
  readonly value: unknown;
  readonly flags: readonly TextFlag[];
}

const MESSAGE_CHARS = 120;

/** UTF-8 bytes as text: a byte order mark is dropped and invalid bytes become U+FFFD, both flagged. */
export function decodeText(bytes: Buffer): DecodedText {
  const flags: TextFlag[] = [];
  let start = 0;
  if (bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    flags.push('bom');
    start = 3;
  }
  if (!isUtf8(bytes)) flags.push('invalid_utf8');
  return { text: bytes.toString('utf8', start), flags };
}

/**
 * One JSON value from bytes, strictly where possible. Bare NaN, Infinity and -Infinity, as Python writes them,
 * are read as null and flagged `bare_nan`; everything else that strict JSON refuses is a reject. What strict JSON
 * allows and reading changes is flagged: duplicate keys, integers beyond 2^53, lone surrogates.
 *
 * @throws RejectError `invalid_json` or `too_deep`
 */
export function parseJson(bytes: Buffer, options: { maxDepth?: number } = {}): ParsedJson {
  const { text, flags } = decodeText(bytes);
  const parsed = parseJsonText(text, options);
  return { value: parsed.value, flags: [...flags, ...parsed.flags] };
}

/** As parseJson, from text that is already decoded. */
export function parseJsonText(text: string, options: { maxDepth?: number } = {}): ParsedJson {
  const maxDepth = options.maxDepth ?? DEFAULT_LIMITS.depth;
  const flags: TextFlag[] = [];
  let value: unknown;
  let strict = text;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const repaired = nullBareNumbers(text);
    if (repaired === null) throw invalidJson(error);
    try {
      value = JSON.parse(repaired);
    } catch {
      throw invalidJson(error);
    }
    strict = repaired;
    flags.push('bare_nan');
  }
  const survey = surveyJson(value, strict, maxDepth);
  if (survey.too_deep) throw new RejectError('too_deep', `nested deeper than ${maxDepth} levels`);
  if (survey.respelled) noteSpelling(value, strict);
  return { value, flags: [...flags, ...survey.oddities] };
}

function invalidJson(error: unknown): RejectError {
  // The engine's message quotes the text around the fault: keep it short, one line.
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replace(/\s+/g, ' ');
  return new RejectError(
    'invalid_json',
    line.length > MESSAGE_CHARS ? `${line.slice(0, MESSAGE_CHARS)}...` : line,
  );
}

const BARE_NUMBERS = ['NaN', 'Infinity', '-Infinity'] as const;
const QUOTE = 0x22;

/** The text with bare NaN and infinities outside strings as null, or null where it holds none. */
function nullBareNumbers(text: string): string | null {
  const pieces: string[] = [];
  let kept = 0;
  let position = 0;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) {
      position = endOfString(text, position);
      continue;
    }
    // N, I and - are the only letters that can start one
    if (code === 0x4e || code === 0x49 || code === 0x2d) {
      const word = bareNumberAt(text, position);
      if (word !== null) {
        pieces.push(text.slice(kept, position), 'null');
        position += word.length;
        kept = position;
        continue;
      }
    }
    position++;
  }
  if (pieces.length === 0) return null;
  pieces.push(text.slice(kept));
  return pieces.join('');
}

function bareNumberAt(text: string, position: number): string | null {
  for (const word of BARE_NUMBERS) if (text.startsWith(word, position)) return word;
  return null;
}
