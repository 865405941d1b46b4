import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeTable, rowJsonSchema } from '../../src/tables/columns-json-schema.js';
import { generatedFiles } from '../../src/tables/table-docs.js';
import type { AnyRow, TableSpec } from '../../src/tables/table-spec.js';
import { SCHEMA_VERSION, TABLE_NAMES, TABLES } from '../../src/tables/table-specs.js';
import { ALL_TYPES } from './all-types.js';
import { rowsOf } from './arbitraries.js';
import { plain } from './duck.js';

const repository = new URL('../../', import.meta.url);
const read = (path: string): string | null => {
  const file = fileURLToPath(new URL(path, repository));
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
};

describe('files made from the column specs', () => {
  test.each([...generatedFiles()])('%s is current (else: npm run generate)', (path, content) => {
    expect(read(path)).toBe(content);
  });
});

/** Columns as the project's plan lists them, beside the lineage columns; names may be added, never changed. */
const PROMISED: Record<string, string> = {
  sft: `row_id stage source split rules stretch epoch anchor_turn anchor_score score_scale medal threshold_source
    weight input_ids loss_mask n_tokens n_trained n_turns cut_turns cut_tokens prefix off_path_turns off_path_tokens straddled_tokens mask_policy template_sha256 tokenizer_sha256
    strategy ids_differ_because proofs messages tools`,
  rl: `sequence_id split input_ids loss_mask window_index window_rewards window_n_trained rollout_log_probs
    weight_version policy_data`,
  windows: `window_id sequence_id token_start token_end turn_start turn_end execution_id outcome score score_scale
    previous_score trend medal threshold_source reward reward_name n_trained seconds completed_at parent_window`,
  expanded: `window_id sequence_id token_start token_end turn_start turn_end execution_id outcome score score_scale
    previous_score trend medal threshold_source reward reward_name n_trained seconds completed_at parent_window
    split window n_windows input_ids loss_mask rollout_log_probs weight_version policy_data is_correction
    sequence_flags tail_ids tail_log_probs`,
  executions: `execution_id order call_turn feedback_turn kind status exit_code seconds submitted gradable score_test
    score_validation score_self_reported medal parent_execution invalidated`,
  trajectories: `byte_start byte_end sha256 n_turns n_calls n_executions n_submissions first_score best_score
    last_score termination feedback_exposes_test_score stage source decision reason duplicate_of detail`,
};
const LINEAGE = 'trajectory_id task_id source_path source_format adapter_version scaffold model flags';
const words = (text: string): string[] => text.split(/\s+/);

describe('the tables', () => {
  test.each(TABLE_NAMES)('%s has the promised columns, lineage first, each once', (name) => {
    const columns = TABLES[name].columns.map((column) => column.name);
    expect(columns).toEqual([...words(LINEAGE), ...words(PROMISED[name] ?? '')]);
    expect(TABLES[name].name).toBe(name);
  });

  test.each(TABLE_NAMES)('%s is described as plain data', (name) => {
    const described = describeTable(name);
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
    expect(described).toMatchObject({ table: name, schema_version: SCHEMA_VERSION });
    expect(described.columns.map((column) => column.name)).toEqual(TABLES[name].columns.map((c) => c.name));
  });

  test('no column text ends with a stop: the docs add it', () => {
    for (const spec of Object.values<TableSpec>(TABLES)) {
      for (const column of spec.columns) expect(column.doc).not.toMatch(/[.;, ]$/);
    }
  });
});

describe('JSON Schema of a row', () => {
  const compile = (spec: TableSpec) => new Ajv2020({ strict: false }).compile(rowJsonSchema(spec));

  test.each([ALL_TYPES, ...Object.values(TABLES)])(
    'of $name takes every row that the writer takes',
    (spec) => {
      const validate = compile(spec);
      fc.assert(
        fc.property(rowsOf(spec), (rows) => {
          for (const row of rows) expect(validate(plain(row)), JSON.stringify(validate.errors)).toBe(true);
        }),
        { numRuns: 30 },
      );
    },
  );

  test('refuses what the writer refuses', () => {
    const validate = compile(ALL_TYPES);
    const row: AnyRow = Object.fromEntries(ALL_TYPES.columns.map(({ name }) => [name, null]));
    const good = { ...row, id: 'a', ids: [1] };
    expect(validate(good)).toBe(true);
    const bad = [
      { id: null },
      { ids: null },
      { ids: [null] },
      { ids: [2 ** 31] },
      { li8: [128] },
      { b: 0 },
      { i32: 0.5 },
      { i64: '1' },
      { ls: 'x' },
      { more: 1 },
    ];
    for (const change of bad) expect(validate({ ...good, ...change }), JSON.stringify(change)).toBe(false);
    const sft = compile(TABLES.sft);
    expect(sft({ strategy: 'guess' })).toBe(false);
  });
});
