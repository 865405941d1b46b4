import { createHash } from 'node:crypto';
import type { Turn } from './turn.js';

/**
 * The identity of a run: sha256 (hex) over role, origin, kind and text of its turns, length-prefixed so that
 * no two different lists of turns share a byte string. Lone surrogates hash as U+FFFD, as they are written.
 */
export function trajectoryId(turns: readonly Turn[]): string {
  const input = new HashInput();
  for (const turn of turns) {
    input.word('turn ');
    input.word(turn.role);
    input.word(' ');
    input.size(turn.spans.length);
    for (const span of turn.spans) {
      input.word(span.origin);
      input.word(' ');
      input.word(span.kind);
      input.word(' ');
      input.text(span.text);
      if (span.call !== null) {
        input.word('\ncall ');
        input.text(span.call.name);
      }
    }
  }
  return input.digest();
}

/** What is hashed is collected here first: a call of the hash costs more than hashing most texts does. */
const COLLECTED = Buffer.allocUnsafeSlow(1 << 16);

/** More than any word or size takes. */
const WORD_BYTES = 32;

/** UTF-8 of one UTF-16 unit, at most. */
const UNIT_BYTES = 3;

class HashInput {
  readonly #hash = createHash('sha256');
  #length = 0;

  /** A short text in ASCII. */
  word(text: string): void {
    this.#reserve(WORD_BYTES);
    let at = this.#length;
    for (let i = 0; i < text.length; i++) COLLECTED[at++] = text.charCodeAt(i);
    this.#length = at;
  }

  size(count: number): void {
    this.word(String(count));
    this.word('\n');
  }

  /** A text of any length, after its size in bytes. */
  text(text: string): void {
    const most = 2 * WORD_BYTES + text.length * UNIT_BYTES;
    if (most > COLLECTED.length) this.#longText(text);
    else {
      this.#reserve(most);
      this.#collect(text);
    }
  }

  digest(): string {
    this.#flush();
    return this.#hash.digest('hex');
  }

  /** Only writing a text tells its size: until then it is taken for ASCII, where every character is a byte. */
  #collect(text: string): void {
    const start = this.#length;
    this.size(text.length);
    const guessed = this.#length;
    const bytes = COLLECTED.write(text, guessed);
    if (bytes !== text.length) {
      this.#length = start;
      this.size(bytes);
      if (this.#length !== guessed) COLLECTED.write(text, this.#length);
    }
    this.#length += bytes;
  }

  #longText(text: string): void {
    this.size(Buffer.byteLength(text));
    this.#flush();
    this.#hash.update(text);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes > COLLECTED.length) this.#flush();
  }

  #flush(): void {
    this.#hash.update(COLLECTED.subarray(0, this.#length));
    this.#length = 0;
  }
}
