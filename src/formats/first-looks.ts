import type { LogFile } from '../logs/bytes.js';
import type { Chosen } from './judge.js';

/** What a first look at a file of rows found; it holds for every range of the file. */
export interface FirstLook {
  readonly file: LogFile;
  readonly chosen: Chosen;
}

/**
 * The first look at the file of rows that was read last: its next range then needs none of its own. To be shared only by
 * requests that differ in nothing but file and range.
 */
export class FirstLooks {
  #last: { readonly absolute: string; readonly look: FirstLook } | null = null;

  of(absolute: string): FirstLook | null {
    return this.#last?.absolute === absolute ? this.#last.look : null;
  }

  keep(absolute: string, look: FirstLook): void {
    this.#last = { absolute, look };
  }
}
