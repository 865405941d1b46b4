const FIRST_TOKENS = 1 << 16;

/**
 * Memory for the token lists of the rows that wait to be written: copies lie side by side in two arrays that are used
 * again for the next trajectory, so that no row asks the heap for lists of its own.
 */
export class TokenArena {
  #ids = new Int32Array(FIRST_TOKENS);
  #masks = new Int8Array(FIRST_TOKENS);
  #idsUsed = 0;
  #masksUsed = 0;

  /** Forgets all copies: their memory is written over by the next. */
  clear(): void {
    this.#idsUsed = 0;
    this.#masksUsed = 0;
  }

  /** A copy that lives until the next `clear`. */
  copyIds(ids: Int32Array): Int32Array {
    if (this.#idsUsed + ids.length > this.#ids.length) {
      // copies that were given out keep the old memory alive
      this.#ids = new Int32Array(Math.max(this.#ids.length * 2, ids.length));
      this.#idsUsed = 0;
    }
    const copy = this.#ids.subarray(this.#idsUsed, this.#idsUsed + ids.length);
    copy.set(ids);
    this.#idsUsed += ids.length;
    return copy;
  }

  /** A copy of a mask of 0 and 1, in the type of the column, that lives until the next `clear`. */
  copyMask(mask: Uint8Array): Int8Array {
    if (this.#masksUsed + mask.length > this.#masks.length) {
      this.#masks = new Int8Array(Math.max(this.#masks.length * 2, mask.length));
      this.#masksUsed = 0;
    }
    const copy = this.#masks.subarray(this.#masksUsed, this.#masksUsed + mask.length);
    copy.set(new Int8Array(mask.buffer, mask.byteOffset, mask.length));
    this.#masksUsed += mask.length;
    return copy;
  }
}
