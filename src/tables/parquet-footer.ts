import { TrajmillError } from '../errors.js';
import { CompactReader, encodeListHeader, encodeStringStruct, STRUCT_TYPE } from './compact-thrift.js';

/** Field of Parquet's FileMetaData that lists the key-value pairs. */
const KEY_VALUES = 5;
const TRAILER = 8;

export type KeyValue = readonly [key: string, value: string];

/** Splits the last bytes of a Parquet file into what stands before its footer and the footer's Thrift bytes. */
export function splitFooter(tail: Uint8Array): { data: Uint8Array; metadata: Uint8Array } {
  const magic = Buffer.from(tail.subarray(-4)).toString('latin1');
  const size = tail.length < TRAILER ? -1 : Buffer.from(tail.subarray(-TRAILER)).readUInt32LE(0);
  const start = tail.length - TRAILER - size;
  if (magic !== 'PAR1' || size < 0 || start < 0) {
    throw new TrajmillError('E_INTERNAL', `no Parquet footer in the last ${tail.length} bytes of the file`);
  }
  return { data: tail.subarray(0, start), metadata: tail.subarray(start, tail.length - TRAILER) };
}

/**
 * Puts key-value pairs, in the order given, before those that the footer has. The library that writes the file
 * takes them as a hash map of random order, which would give equal rows unequal bytes.
 */
export function addKeyValues(metadata: Uint8Array, pairs: readonly KeyValue[]): Uint8Array {
  const added = pairs.map((pair) => encodeStringStruct(pair));
  for (const field of new CompactReader(metadata).fields()) {
    if (field.id !== KEY_VALUES) continue;
    const list = new CompactReader(metadata, field.value);
    const { size } = list.listHeader();
    return Buffer.concat([
      metadata.subarray(0, field.value),
      encodeListHeader(STRUCT_TYPE, size + pairs.length),
      ...added,
      metadata.subarray(list.position),
    ]);
  }
  throw new TrajmillError('E_INTERNAL', 'the Parquet footer has no key-value list');
}

/** The footer as it stands at the end of a file: Thrift bytes, their length, the magic number. */
export function footerBytes(metadata: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(metadata.length);
  return Buffer.concat([metadata, length, Buffer.from('PAR1', 'latin1')]);
}
