import type { TableSpec } from '../../tables/table-spec.js';
import { TABLES } from '../../tables/table-specs.js';
import { REJECTS_VIEW, SIDE_VIEWS } from './side-views.js';

/** Everything that SQL can ask, in the order in which it is listed: tables first, then what lies beside them. */
export const QUERY_VIEWS: readonly TableSpec[] = [
  ...Object.values(TABLES),
  REJECTS_VIEW,
  ...SIDE_VIEWS.map(({ spec }) => spec),
];
