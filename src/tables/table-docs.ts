import type { ColumnSpec } from './column.js';
import { rowJsonSchema } from './columns-json-schema.js';
import { LINEAGE_COLUMNS } from './specs/lineage.js';
import type { TableSpec } from './table-spec.js';
import { SCHEMA_VERSION, TABLES } from './table-specs.js';

const cell = (text: string): string => text.replaceAll('|', '\\|');

function columnLine(column: ColumnSpec): string {
  const values =
    column.values === undefined ? '' : ` One of ${column.values.map((v) => `\`${v}\``).join(', ')}.`;
  const nulls = column.nullable ? 'yes' : column.nullable_elements === true ? 'elements' : 'no';
  return `| \`${column.name}\` | \`${column.type}\` | ${nulls} | ${cell(`${column.doc}.${values}`)} |`;
}

/** The columns as a Markdown table. */
export function columnTable(columns: readonly ColumnSpec[]): string {
  return ['| column | type | null | meaning |', '|---|---|---|---|', ...columns.map(columnLine)].join('\n');
}

/** Columns of a table that are its own, without those of every table. */
export function ownColumns(spec: TableSpec): readonly ColumnSpec[] {
  const shared = new Set<string>(LINEAGE_COLUMNS.map(({ name }) => name));
  return spec.columns.filter(({ name }) => !shared.has(name));
}

function tableSection(spec: TableSpec): string {
  const key = spec.key === null ? '' : ` \`${spec.key}\` is unique in the corpus.`;
  return [`## ${spec.name}`, `${spec.doc}${key}`, columnTable(ownColumns(spec))].join('\n\n');
}

/** docs/tables.md: every column of every table. */
export function tablesMarkdown(): string {
  const sections = [
    '# Tables',
    `Column lists, version ${SCHEMA_VERSION}. This page is generated from the column specs in src/tables (\`npm run generate\`). ` +
      'Names may be added, never changed.',
    'In Parquet every column and every list element is optional, because readers drop the declared features of ' +
      'required ones; the writer itself refuses a null where the column below says no. `json` is a string that holds ' +
      'JSON. Floats are finite: there is no NaN. Token lists are unshifted: index i speaks of token i.',
    'Files are zstd, in data pages of version 1 that end at rows and hold about 1 MiB; token ids, masks and values that ' +
      'repeat go through a dictionary (`RLE_DICTIONARY`). Row groups carry the bounds of single values, so that ' +
      'readers can skip; lists, JSON and texts above 256 bytes have none.',
    '## In every table',
    columnTable(LINEAGE_COLUMNS),
    ...Object.values(TABLES).map(tableSection),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Files of the repository that are made from the column specs: path to content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map([['docs/tables.md', tablesMarkdown()]]);
  for (const spec of Object.values(TABLES)) {
    files.set(`schemas/tables/${spec.name}.json`, `${JSON.stringify(rowJsonSchema(spec), null, 2)}\n`);
  }
  return files;
}
