/**
 * As much of Thrift's compact protocol as it takes to step over the fields of a Parquet footer and to write
 * key-value pairs. Values are never interpreted, so nothing is lost or re-encoded on the way.
 */

const TYPE = {
  true: 1,
  false: 2,
  byte: 3,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;

export const STRUCT_TYPE = TYPE.struct;

/** A field of a struct: where its header and its value lie. */
export interface ThriftField {
  readonly id: number;
  readonly type: number;
  readonly header: number;
  readonly value: number;
  readonly end: number;
}

/** Steps through bytes in the compact protocol. Throws RangeError where they end too early. */
export class CompactReader {
  readonly #bytes: Uint8Array;
  position: number;

  constructor(bytes: Uint8Array, position = 0) {
    this.#bytes = bytes;
    this.position = position;
  }

  byte(): number {
    const value = this.#bytes[this.position++];
    if (value === undefined) throw new RangeError(`Thrift data end at byte ${this.#bytes.length}`);
    return value;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  listHeader(): { type: number; size: number } {
    const byte = this.byte();
    const short = byte >> 4;
    return { type: byte & 0x0f, size: short === 15 ? this.varint() : short };
  }

  /** The fields of the struct at the position, which then stands behind its stop byte. */
  *fields(): Generator<ThriftField> {
    let id = 0;
    for (;;) {
      const header = this.position;
      const byte = this.byte();
      if (byte === 0) return;
      const type = byte & 0x0f;
      const delta = byte >> 4;
      id = delta === 0 ? this.#zigzag() : id + delta;
      const value = this.position;
      this.skip(type);
      yield { id, type, header, value, end: this.position };
    }
  }

  /** Moves behind a value of a struct field. */
  skip(type: number): void {
    if (type === TYPE.true || type === TYPE.false) return;
    this.#skipElement(type);
  }

  #skipElement(type: number): void {
    switch (type) {
      case TYPE.true:
      case TYPE.false:
      case TYPE.byte:
        this.byte();
        return;
      case TYPE.double:
        this.position += 8;
        return;
      case TYPE.binary: {
        const size = this.varint();
        this.position += size;
        return;
      }
      case TYPE.list:
      case TYPE.set: {
        const { type: element, size } = this.listHeader();
        for (let i = 0; i < size; i++) this.#skipElement(element);
        return;
      }
      case TYPE.map: {
        const size = this.varint();
        if (size === 0) return;
        const types = this.byte();
        for (let i = 0; i < size; i++) {
          this.#skipElement(types >> 4);
          this.#skipElement(types & 0x0f);
        }
        return;
      }
      case TYPE.struct:
        for (const _ of this.fields());
        return;
      default:
        this.varint();
    }
  }

  #zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/** Header of a list; sizes from 15 on follow as a varint. */
export function encodeListHeader(type: number, size: number): Uint8Array {
  if (size < 15) return Uint8Array.of((size << 4) | type);
  return Buffer.concat([Uint8Array.of(0xf0 | type), encodeVarint(size)]);
}

/** A struct of string fields with the ids 1, 2, ... */
export function encodeStringStruct(values: readonly string[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const value of values) {
    const bytes = Buffer.from(value, 'utf8');
    parts.push(Uint8Array.of((1 << 4) | TYPE.binary), encodeVarint(bytes.length), bytes);
  }
  return Buffer.concat([...parts, Uint8Array.of(0)]);
}
