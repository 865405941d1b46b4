import type { ColumnSpec } from './column.js';
import { elementType } from './column-check.js';
import type { TableSpec } from './table-spec.js';

interface ValueFeature {
  readonly dtype: string;
  readonly _type: 'Value';
}

interface ListFeature {
  readonly feature: ValueFeature;
  readonly _type: 'List';
}

export type Feature = ValueFeature | ListFeature;

/** JSON columns are strings to readers: their content differs from row to row. */
export const dtypeOf = (type: string): string => (type === 'json' ? 'string' : type);

const valueFeature = (type: string): ValueFeature => ({ dtype: dtypeOf(type), _type: 'Value' });

function columnFeature(column: ColumnSpec): Feature {
  const element = elementType(column.type);
  return element === null ? valueFeature(column.type) : { feature: valueFeature(element), _type: 'List' };
}

/** Features of a table as the Hugging Face `datasets` library writes them. */
export function featuresOf(spec: TableSpec): Record<string, Feature> {
  return Object.fromEntries(spec.columns.map((column) => [column.name, columnFeature(column)]));
}

/** Value of the footer key `huggingface`, which makes `datasets` take the declared features. */
export const huggingfaceValue = (spec: TableSpec): string =>
  JSON.stringify({ info: { features: featuresOf(spec) } });
