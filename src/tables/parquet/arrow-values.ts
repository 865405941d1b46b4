import { Bool, type Data, Utf8 } from 'apache-arrow';
import { boolValues } from './bool-values.js';
import { byteValues } from './byte-values.js';
import type { Places } from './column-shape.js';
import type { PlainValues } from './column-values.js';
import { itemsAt, type NumberArray, numberValues } from './number-values.js';
import { textValues } from './text-values.js';

/** The values at some places of Arrow data of one of the types that schema.ts stores; lists aside. */
export function valuesAt(data: Data, places: Places): PlainValues {
  if (data.type instanceof Bool) return boolValues(data, places);
  if (data.type instanceof Utf8) return textValues(data.values as Uint8Array, data.valueOffsets, places);
  const items = itemsAt(data.values as NumberArray | Int8Array, places);
  return items instanceof Int8Array ? byteValues(items) : numberValues(items);
}
