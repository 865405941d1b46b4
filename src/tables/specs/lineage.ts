import type { ColumnSpec } from '../column.js';

/** Where a row comes from; the same columns stand first in every table. */
export const LINEAGE_COLUMNS = [
  {
    name: 'trajectory_id',
    type: 'string',
    nullable: false,
    doc: 'sha256 (hex) over role, origin, kind and text of the canonical turns',
  },
  { name: 'task_id', type: 'string', nullable: true, doc: 'id of the task record; null where unknown' },
  {
    name: 'source_path',
    type: 'string',
    nullable: false,
    doc: 'raw log, relative to the input root, with forward slashes',
  },
  { name: 'source_format', type: 'string', nullable: false, doc: 'name of the raw format' },
  { name: 'adapter_version', type: 'string', nullable: false, doc: "version of that format's adapter" },
  { name: 'scaffold', type: 'string', nullable: true, doc: 'agent scaffold, as the log names it' },
  {
    name: 'model',
    type: 'string',
    nullable: true,
    doc: 'model that generated the turns, as the log names it',
  },
  {
    name: 'flags',
    type: 'list<string>',
    nullable: false,
    doc: 'what is unusual about the trajectory or the row; empty where nothing is',
  },
] as const satisfies readonly ColumnSpec[];
