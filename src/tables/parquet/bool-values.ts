import type { Data } from 'apache-arrow';
import type { ByteWriter } from './byte-writer.js';
import type { Places } from './column-shape.js';
import { ENCODING, type PlainValues, type ValueRange } from './column-values.js';

/** Eight bools a byte, lowest bit first: no dictionary can be smaller. */
class BoolValues implements PlainValues {
  readonly encoding = ENCODING.plain;
  readonly #bools: Uint8Array;

  constructor(bools: Uint8Array) {
    this.#bools = bools;
  }

  get count(): number {
    return this.#bools.length;
  }

  bytes(from: number, to: number): number {
    return (to - from + 7) >> 3;
  }

  write(from: number, to: number, out: ByteWriter): void {
    for (let start = from; start < to; start += 8) {
      let byte = 0;
      for (let i = start; i < Math.min(to, start + 8); i++) byte |= (this.#bools[i] ?? 0) << (i - start);
      out.byte(byte);
    }
  }

  range(): ValueRange | null {
    if (this.count === 0) return null;
    const bound = (all: boolean): Uint8Array => Uint8Array.of(all ? 1 : 0);
    return { least: bound(!this.#bools.includes(0)), greatest: bound(this.#bools.includes(1)) };
  }

  dictionary(): null {
    return null;
  }
}

export function boolValues({ values, offset }: Data, places: Places): PlainValues {
  const bits = values as Uint8Array;
  const bit = (at: number): number => ((bits[(offset + at) >> 3] ?? 0) >> ((offset + at) & 7)) & 1;
  if (places instanceof Int32Array) return new BoolValues(Uint8Array.from(places, bit));
  const { from, to } = places;
  return new BoolValues(Uint8Array.from({ length: to - from }, (_, i) => bit(from + i)));
}
