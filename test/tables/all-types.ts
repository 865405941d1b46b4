import type { TableSpec } from '../../src/tables/table-spec.js';

/** A table with every column type, nullable and not. */
export const ALL_TYPES = {
  name: 'all_types',
  doc: 'Every column type.',
  key: 'id',
  token_column: 'ids',
  columns: [
    { name: 'id', type: 'string', nullable: false, doc: 'key' },
    { name: 's', type: 'string', nullable: true, doc: 's' },
    { name: 'j', type: 'json', nullable: true, doc: 'j' },
    { name: 'b', type: 'bool', nullable: true, doc: 'b' },
    { name: 'i32', type: 'int32', nullable: true, doc: 'i32' },
    { name: 'i64', type: 'int64', nullable: true, doc: 'i64' },
    { name: 'f64', type: 'float64', nullable: true, doc: 'f64' },
    { name: 'ids', type: 'list<int32>', nullable: false, doc: 'ids' },
    { name: 'li32', type: 'list<int32>', nullable: true, doc: 'li32' },
    { name: 'li8', type: 'list<int8>', nullable: true, doc: 'li8' },
    { name: 'lf32', type: 'list<float32>', nullable: true, nullable_elements: true, doc: 'lf32' },
    { name: 'lf64', type: 'list<float64>', nullable: true, nullable_elements: true, doc: 'lf64' },
    { name: 'ls', type: 'list<string>', nullable: true, nullable_elements: true, doc: 'ls' },
  ],
} as const satisfies TableSpec;
