import { stringify } from 'yaml';
import type { ColumnSpec } from './column.js';
import { elementType } from './column-check.js';
import { dtypeOf } from './features.js';
import { type CorpusManifest, groupFiles, type ManifestFile, shardTotals } from './manifest.js';
import { LINEAGE_COLUMNS } from './specs/lineage.js';
import { columnTable, ownColumns } from './table-docs.js';
import { TABLES, type TableName } from './table-specs.js';

/** What the card tells of the plan that made the corpus; a plan file has this shape. */
export interface CardPlan {
  readonly body: {
    readonly config: {
      readonly template: string;
      readonly tokenizer: string;
      readonly strategy: string;
      readonly mask: { readonly policy: string };
    };
    readonly template_sha256: string;
    readonly tokenizer_sha256: string;
  };
}

/** Size classes of dataset hubs by rows: below the bound, or the last. */
const SIZE_CATEGORIES = [
  [1e3, 'n<1K'],
  [1e4, '1K<n<10K'],
  [1e5, '10K<n<100K'],
  [1e6, '100K<n<1M'],
  [1e7, '1M<n<10M'],
  [1e8, '10M<n<100M'],
  [Number.POSITIVE_INFINITY, '100M<n<1B'],
] as const;

const sizeCategory = (rows: number): string => SIZE_CATEGORIES.find(([bound]) => rows < bound)?.[1] ?? 'n>1T';

function featureEntry(column: ColumnSpec): Record<string, string> {
  const element = elementType(column.type);
  return element === null
    ? { name: column.name, dtype: dtypeOf(column.type) }
    : { name: column.name, list: dtypeOf(element) };
}

function configEntry(table: TableName, files: readonly ManifestFile[], first: boolean) {
  const splits = [...groupFiles(files, (file) => file.split).keys()];
  return {
    config_name: table,
    ...(first ? { default: true } : {}),
    data_files: splits.map((split) => ({ split, path: `data/${table}/${split}-*` })),
  };
}

/** Loaders ignore splits without num_bytes, and never check it: it is the size of the shards here. */
function infoEntry(table: TableName, files: readonly ManifestFile[]) {
  const { bytes } = shardTotals(files);
  const splits = [...groupFiles(files, (file) => file.split)].map(([name, own]) => {
    const sums = shardTotals(own);
    return { name, num_bytes: sums.bytes, num_examples: sums.rows };
  });
  return {
    config_name: table,
    features: TABLES[table].columns.map(featureEntry),
    splits,
    download_size: bytes,
    dataset_size: bytes,
  };
}

/** Files by table. Splits without a row are left out: `load_dataset` fails on them. */
function loadableTables(files: readonly ManifestFile[]): [TableName, ManifestFile[]][] {
  const rows = new Map([...groupFiles(files, splitName)].map(([name, own]) => [name, shardTotals(own).rows]));
  return [
    ...groupFiles(
      files.filter((file) => rows.get(splitName(file)) !== 0),
      (file) => file.table,
    ),
  ];
}

const splitName = ({ table, split }: ManifestFile): string => `${table} | ${split}`;

/** The first table stands for the corpus: it is the default configuration and gives the size class. */
function frontMatter(tables: readonly [TableName, ManifestFile[]][]): string {
  const front = {
    task_categories: ['text-generation'],
    tags: ['agent', 'trajectories', 'trajmill'],
    size_categories: [sizeCategory(shardTotals(tables[0]?.[1] ?? []).rows)],
    configs: tables.map(([table, files], index) => configEntry(table, files, index === 0)),
    dataset_info: tables.map(([table, files]) => infoEntry(table, files)),
  };
  return `---\n${stringify(front, { lineWidth: 0 })}---`;
}

const grouped = (n: number): string => n.toLocaleString('en-US');

function sizeTable(files: readonly ManifestFile[]): string {
  const lines = [...groupFiles(files, splitName)].map(([name, own]) => {
    const { rows, tokens, bytes, files: shards } = shardTotals(own);
    return `| ${name} | ${grouped(rows)} | ${grouped(tokens)} | ${shards} | ${grouped(bytes)} |`;
  });
  return ['| table | split | rows | tokens | shards | bytes |', '|---|---|--:|--:|--:|--:|', ...lines].join(
    '\n',
  );
}

function countTable({ counts, rejects }: CorpusManifest): string {
  const lines = Object.entries({ ...counts, rejects }).map(([name, value]) => {
    const entries = typeof value === 'number' ? [grouped(value)] : Object.entries(value).map(named);
    return `| ${name} | ${entries.join(', ').replaceAll('|', '\\|') || '-'} |`;
  });
  return ['| count | value |', '|---|---|', ...lines].join('\n');
}

const named = ([name, n]: [string, number]): string => `${name} ${grouped(n)}`;

function maskSection({ body }: CardPlan): string {
  const { config, template_sha256, tokenizer_sha256 } = body;
  return [
    `Mask policy \`${config.mask.policy}\`: \`loss_mask\` is 1 only on tokens that the model itself generated (reasoning, ` +
      'text, tool calls) and 0 on prompts, tool feedback and template glue that it did not sample. The mask is ' +
      'unshifted: entry i speaks of token i, and a trainer that predicts the next token shifts it. ' +
      `Where the template rewrites earlier turns the strategy is \`${config.strategy}\`.`,
    `- template: ${config.template} (sha256 ${template_sha256})\n- tokenizer: ${config.tokenizer} (sha256 ${tokenizer_sha256})`,
  ].join('\n\n');
}

function loadSection(first: TableName): string {
  return [
    '```python',
    'from datasets import load_dataset',
    '',
    `${first} = load_dataset("path/to/this/folder", "${first}", split="train")`,
    '```',
    '',
    'or in SQL, for instance with DuckDB:',
    '',
    '```sql',
    `SELECT * FROM 'data/${first}/*.parquet';`,
    '```',
  ].join('\n');
}

/** README.md of a corpus: front matter for dataset hubs, then what people want to know. It holds no times. */
export function datasetCard(manifest: CorpusManifest, plan: CardPlan): string {
  const tables = [...groupFiles(manifest.files, (file) => file.table).keys()];
  const loadable = loadableTables(manifest.files);
  const first = loadable[0]?.[0];
  const sections = [
    frontMatter(loadable),
    '# Corpus of agent trajectories',
    'Training rows made from raw logs of LLM agents. Every row names the log it came from.',
    sizeTable(manifest.files),
    '## Loading',
    first === undefined ? 'No table has a row, so there is nothing to load.' : loadSection(first),
    '## Loss mask',
    maskSection(plan),
    '## Columns',
    'In every table:',
    columnTable(LINEAGE_COLUMNS),
    ...tables.flatMap((table) => [`### ${table}`, TABLES[table].doc, columnTable(ownColumns(TABLES[table]))]),
    '## What was counted',
    countTable(manifest),
    '## Made by',
    `trajmill ${manifest.tool_version}, plan \`${manifest.plan_id}\`, column lists version ${manifest.schema_version}. ` +
      '`manifest.json` lists every file with its sha256; what it does not name is no part of the corpus.',
  ];
  return `${sections.join('\n\n')}\n`;
}
