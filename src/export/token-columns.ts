import type { ColumnSpec } from '../tables/column.js';
import type { TableSpec } from '../tables/table-spec.js';

/** What a loss of cross entropy leaves out. */
export const IGNORED = -100;

/** Labels of a row: the token where it is trained, -100 elsewhere; unshifted, the model shifts. */
export function labelsOf(ids: Int32Array, mask: Int8Array): Int32Array {
  const labels = new Int32Array(ids.length).fill(IGNORED);
  for (let i = 0; i < ids.length; i++) if (mask[i] === 1) labels[i] = ids[i] ?? IGNORED;
  return labels;
}

/** Ones, as long as the ids: rows hold no padding. */
export const attentionOf = (ids: Int32Array): Int8Array => new Int8Array(ids.length).fill(1);

/**
 * The mask as a loss over positions takes it: entry i speaks of token i+1, the last is 0. The first token of a
 * sequence has no place in it, since nothing predicts it.
 */
export function shiftedMask(mask: Int8Array): Int8Array {
  const shifted = new Int8Array(mask.length);
  shifted.set(mask.subarray(1));
  return shifted;
}

/** A file format of list columns, the first of which are the ids. */
export function tokenSpec(name: string, columns: Readonly<Record<string, ColumnSpec['type']>>): TableSpec {
  const [first = 'input_ids'] = Object.keys(columns);
  return {
    name,
    doc: '',
    key: null,
    token_column: first,
    columns: Object.entries(columns).map(([column, type]) => ({
      name: column,
      type,
      nullable: false,
      doc: '',
    })),
  };
}
