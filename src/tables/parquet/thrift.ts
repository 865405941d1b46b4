import type { ByteWriter } from './byte-writer.js';

/** A value in Thrift's compact protocol, as much of it as Parquet's headers and footers hold. */
export interface ThriftValue {
  /** code of the type as it stands in the header of a field */
  readonly type: number;
  write(out: ByteWriter): void;
}

const LIST = 9;
const STRUCT = 12;

/** Signed integers by size: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

const integer =
  (type: number) =>
  (value: number): ThriftValue => ({ type, write: (out) => out.varint(zigzag(value)) });

export const i16 = integer(4);
export const i32 = integer(5);
/** a safe integer */
export const i64 = integer(6);

export const i8 = (value: number): ThriftValue => ({ type: 3, write: (out) => out.byte(value & 0xff) });

/** As a field of a struct, where the type says it all. */
export const bool = (value: boolean): ThriftValue => ({ type: value ? 1 : 2, write: () => {} });

export const binary = (bytes: Uint8Array): ThriftValue => ({
  type: 8,
  write(out) {
    out.varint(bytes.length);
    out.put(bytes);
  },
});

export const text = (value: string): ThriftValue => binary(Buffer.from(value, 'utf8'));

/** A list of one type at least one long, or of structs. */
export const list = (items: readonly ThriftValue[]): ThriftValue => ({
  type: LIST,
  write(out) {
    const type = items[0]?.type ?? STRUCT;
    const isShort = items.length < 15;
    out.byte(((isShort ? items.length : 15) << 4) | type);
    if (!isShort) out.varint(items.length);
    for (const item of items) item.write(out);
  },
});

/** A struct by the ids of its fields, which stand in ascending order; undefined ones are left out. */
export const struct = (fields: Readonly<Record<number, ThriftValue | undefined>>): ThriftValue => ({
  type: STRUCT,
  write(out) {
    let last = 0;
    for (const [key, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      const id = Number(key);
      // all of Parquet's ids lie less than 16 apart
      out.byte(((id - last) << 4) | value.type);
      value.write(out);
      last = id;
    }
    out.byte(0);
  },
});
