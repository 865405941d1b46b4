import type { CardPlan } from './card.js';
import type { ColumnSpec } from './column.js';
import { elementType } from './column-check.js';
import { type CorpusManifest, groupFiles, type ManifestFile } from './manifest.js';
import type { TableSpec } from './table-spec.js';
import { TABLES, type TableName } from './table-specs.js';

export const CROISSANT_NAME = 'croissant.json';

/** The JSON-LD context that the specification prescribes (MLCommons Croissant 1.1). */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  annotation: 'cr:annotation',
  arrayShape: 'cr:arrayShape',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  containedIn: 'cr:containedIn',
  cr: 'http://mlcommons.org/croissant/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  equivalentProperty: 'cr:equivalentProperty',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileObject: 'cr:fileObject',
  fileProperty: 'cr:fileProperty',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isArray: 'cr:isArray',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  parentField: 'cr:parentField',
  path: 'cr:path',
  rai: 'http://mlcommons.org/croissant/RAI/',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  samplingRate: 'cr:samplingRate',
  sc: 'https://schema.org/',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
} as const;

const DATA_TYPES: Readonly<Record<string, string>> = {
  string: 'sc:Text',
  json: 'sc:Text',
  bool: 'sc:Boolean',
  int8: 'cr:Int8',
  int32: 'cr:Int32',
  int64: 'cr:Int64',
  float32: 'cr:Float32',
  float64: 'cr:Float64',
};

const PARQUET = 'application/x-parquet';
const shardsOf = (table: TableName): string => `shards-of-${table}`;

function fileObject({ path, bytes, sha256 }: ManifestFile) {
  return {
    '@type': 'cr:FileObject',
    '@id': path,
    name: path,
    contentUrl: path,
    contentSize: `${bytes} B`,
    encodingFormat: PARQUET,
    sha256,
  };
}

/** All shards of a table, beside this file; nothing else lies in their folder. */
function fileSet(table: TableName) {
  return {
    '@type': 'cr:FileSet',
    '@id': shardsOf(table),
    name: shardsOf(table),
    encodingFormat: PARQUET,
    includes: `data/${table}/*.parquet`,
  };
}

function field(table: TableName, { name, type, doc }: ColumnSpec) {
  const element = elementType(type);
  return {
    '@type': 'cr:Field',
    '@id': `${table}/${name}`,
    name: `${table}/${name}`,
    description: doc,
    dataType: DATA_TYPES[element ?? type] ?? 'sc:Text',
    ...(element === null ? {} : { isArray: true, arrayShape: '-1' }),
    source: { fileSet: { '@id': shardsOf(table) }, extract: { column: name } },
  };
}

function recordSet(table: TableName) {
  const { doc, key, columns }: TableSpec = TABLES[table];
  return {
    '@type': 'cr:RecordSet',
    '@id': table,
    name: table,
    description: doc,
    ...(key === null ? {} : { key: { '@id': `${table}/${key}` } }),
    field: columns.map((column) => field(table, column)),
  };
}

/**
 * croissant.json of a corpus: what MLCommons Croissant 1.1 asks of a data set that consists of files, with the sums of the
 * manifest. It holds no times, so that the same corpus gives the same bytes.
 */
export function croissant(manifest: CorpusManifest, { body }: CardPlan): string {
  const tables = [...groupFiles(manifest.files, ({ table }) => table)];
  const metadata = {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    name: 'corpus-of-agent-trajectories',
    description:
      'Training rows made from raw logs of LLM agents, every row with the log it came from. ' +
      `Loss masks of policy ${body.config.mask.policy}, template ${body.config.template}. ` +
      `Made by trajmill ${manifest.tool_version}, plan ${manifest.plan_id}.`,
    keywords: ['agent', 'trajectories', 'trajmill'],
    version: `${manifest.schema_version}.0.0`,
    isLiveDataset: false,
    distribution: tables.flatMap(([table, files]) => [...files.map(fileObject), fileSet(table)]),
    recordSet: tables.map(([table]) => recordSet(table)),
  };
  return `${JSON.stringify(metadata, null, 2)}\n`;
}
