import { MEDALS } from '../../grading/task-record.js';
import { EXECUTION_STATUSES } from '../../trajectory/execution.js';
import { EXECUTION_KINDS } from '../../trajectory/execution-kind.js';
import type { TableSpec } from '../table-spec.js';
import { LINEAGE_COLUMNS } from './lineage.js';

export const EXECUTIONS_TABLE = {
  name: 'executions',
  doc: 'One thing that an agent ran, with its outcome and its scores on every scale.',
  key: null,
  token_column: null,
  columns: [
    ...LINEAGE_COLUMNS,
    { name: 'execution_id', type: 'string', nullable: false, doc: 'unique in the trajectory' },
    { name: 'order', type: 'int32', nullable: false, doc: 'order of launch, from 0' },
    { name: 'call_turn', type: 'int32', nullable: false, doc: 'index of the turn that launched it' },
    {
      name: 'feedback_turn',
      type: 'int32',
      nullable: true,
      doc: 'index of the turn that shows its result; null if cut off',
    },
    {
      name: 'kind',
      type: 'string',
      nullable: false,
      values: EXECUTION_KINDS,
      doc: 'experiment, a call that only scores, or neither',
    },
    {
      name: 'status',
      type: 'string',
      nullable: false,
      values: EXECUTION_STATUSES,
      doc: "error and timeout are the agent's own; infrastructure is a fault of the harness or the machine",
    },
    { name: 'exit_code', type: 'int32', nullable: true, doc: 'exit code of the process, where logged' },
    { name: 'seconds', type: 'float64', nullable: true, doc: 'wall seconds' },
    { name: 'submitted', type: 'bool', nullable: false, doc: 'an answer event is linked to it' },
    { name: 'gradable', type: 'bool', nullable: false, doc: 'one of its submissions could be graded' },
    { name: 'score_test', type: 'float64', nullable: true, doc: 'score on hidden labels' },
    { name: 'score_validation', type: 'float64', nullable: true, doc: "score on the agent's own split" },
    {
      name: 'score_self_reported',
      type: 'float64',
      nullable: true,
      doc: 'score that a model read in the output',
    },
    {
      name: 'medal',
      type: 'string',
      nullable: true,
      values: [...MEDALS, 'none'],
      doc: 'medal of the test score; none is graded and below bronze, null is unknown',
    },
    {
      name: 'parent_execution',
      type: 'string',
      nullable: true,
      doc: 'execution_id of its parent in a search tree',
    },
    { name: 'invalidated', type: 'bool', nullable: false, doc: 'declared void by the log' },
  ],
} as const satisfies TableSpec;
