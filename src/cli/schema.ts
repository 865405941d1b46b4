import { buildChoiceParser, buildCommand } from '@stricli/core';
import { TABLE_NAMES, type TableName } from '../tables/table-specs.js';
import type { CliContext } from './context.js';
import { describeCommand, JSON_FLAG } from './flags.js';
import { printJson } from './output.js';
import { paintFor } from './style.js';
import { formatTable } from './table.js';

/** Prints the columns of the tables that a corpus holds. */
export const schemaCommand = buildCommand<{ readonly json: boolean }, [TableName?], CliContext>({
  docs: {
    brief: 'Print the columns of a table, or list the tables',
    fullDescription: describeCommand(
      'Every column with its type and meaning; with --json the JSON Schema of a row (of all tables by name where\n' +
        'none is named).',
      ['trajmill schema', 'trajmill schema sft', 'trajmill schema windows --json > windows.schema.json'],
    ),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: `Table: ${TABLE_NAMES.join(', ')}`,
          parse: buildChoiceParser(TABLE_NAMES),
          placeholder: 'TABLE',
          optional: true,
        },
      ],
    },
    flags: { json: JSON_FLAG },
  },
  async func({ json }, table) {
    const [{ TABLES }, { describeTable, rowJsonSchema }] = await Promise.all([
      import('../tables/table-specs.js'),
      import('../tables/columns-json-schema.js'),
    ]);
    if (json) {
      const all = Object.fromEntries(TABLE_NAMES.map((name) => [name, rowJsonSchema(TABLES[name])]));
      printJson(this, table === undefined ? all : rowJsonSchema(TABLES[table]));
      return;
    }
    const { stdout, env } = this.process;
    const paint = paintFor(stdout, env);
    const heading = (text: string): string => paint('bold', text);
    if (table === undefined) {
      const rows = TABLE_NAMES.map((name) => [name, String(TABLES[name].columns.length), TABLES[name].doc]);
      const columns = [
        { title: 'table' },
        { title: 'columns', align: 'right' as const },
        { title: 'a row is' },
      ];
      stdout.write(formatTable(columns, rows, { heading }));
      return;
    }
    const { doc, columns } = describeTable(table);
    stdout.write(`${heading(table)}: ${doc}\n\n`);
    const rows = columns.map((column) => [
      column.name,
      column.type,
      column.nullable ? 'null' : '',
      column.values === null ? column.doc : `${column.doc} (${column.values.join(', ')})`,
    ]);
    const titles = [{ title: 'column' }, { title: 'type' }, { title: 'may be' }, { title: 'meaning' }];
    stdout.write(formatTable(titles, rows, { heading }));
  },
});
