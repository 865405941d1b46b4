import type { HashedFile } from '../tables/hashed-file.js';

/** Characters that wait before they are written. */
const BUFFERED = 2 ** 20;

/** JSON text that is put into a line as it is: numbers keep the form in which the log has them. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value as one line of JSON. Entries that are undefined are left out; typed arrays are lists. */
export function toJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (ArrayBuffer.isView(value)) return `[${(value as Int32Array).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${toJson(item)}`).join(',')}}`;
}

/** A file with one JSON value a line. */
export class JsonLinesFile {
  readonly #file: HashedFile;
  readonly #done: (sha256: string) => void;
  #waiting = '';

  constructor(file: HashedFile, done: (sha256: string) => void) {
    this.#file = file;
    this.#done = done;
  }

  append(value: unknown): Promise<void> {
    return this.write(`${toJson(value)}\n`);
  }

  /** A piece of a line; the caller ends it with a newline. */
  async write(text: string): Promise<void> {
    this.#waiting += text;
    if (this.#waiting.length >= BUFFERED) await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    this.#done(await this.#file.close());
  }

  async #flush(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '') await this.#file.write(Buffer.from(text, 'utf8'));
  }
}
