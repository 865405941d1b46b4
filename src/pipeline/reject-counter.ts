const LINE_END = 0x0a;

/** Counts the lines of rejects.jsonl by their code, however the file was cut into chunks. */
export class RejectCounter {
  readonly #counts: Record<string, number> = {};
  #rest: Buffer = Buffer.alloc(0);
  #isBroken = false;

  take(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_END, from);
      if (end === -1) break;
      this.#line(Buffer.concat([this.#rest, chunk.subarray(from, end)]));
      this.#rest = Buffer.alloc(0);
      from = end + 1;
    }
    this.#rest = Buffer.concat([this.#rest, chunk.subarray(from)]);
  }

  /** By code, or null where a line is no reject or has no end. */
  counts(): Readonly<Record<string, number>> | null {
    return this.#isBroken || this.#rest.length > 0 ? null : this.#counts;
  }

  #line(line: Buffer): void {
    try {
      const { code } = JSON.parse(line.toString('utf8')) as { code?: unknown };
      if (typeof code === 'string') this.#counts[code] = (this.#counts[code] ?? 0) + 1;
      else this.#isBroken = true;
    } catch {
      this.#isBroken = true;
    }
  }
}
