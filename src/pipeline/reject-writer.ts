import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Reject } from '../logs/reject.js';
import type { Part } from './completion.js';
import type { RunFolder } from './run-folder.js';

/** Writes the rejects of one attempt at a task, one JSON line each, already free of secrets. */
export class RejectWriter {
  readonly #path: string;
  readonly #descriptor: number;
  readonly #hash = createHash('sha256');
  #rows = 0;
  #bytes = 0;

  constructor(folder: RunFolder, attempt: string) {
    this.#path = `staging/${attempt}/rejects.jsonl`;
    this.#descriptor = openSync(join(folder.dir, this.#path), 'w');
  }

  append(reject: Reject): void {
    const line = Buffer.from(`${JSON.stringify(reject)}\n`, 'utf8');
    let written = 0;
    while (written < line.length) written += writeSync(this.#descriptor, line, written);
    this.#hash.update(line);
    this.#rows++;
    this.#bytes += line.length;
  }

  close(): Part {
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
    return {
      path: this.#path,
      table: 'rejects',
      split: 'all',
      rows: this.#rows,
      tokens: 0,
      bytes: this.#bytes,
      sha256: this.#hash.digest('hex'),
      row_groups: 0,
    };
  }

  abort(): void {
    closeSync(this.#descriptor);
  }
}
