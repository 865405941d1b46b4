// The keys of a JSON Schema as a table: what people write, with type, default and meaning.
import { code, table } from './markdown.mjs';

const isNull = (schema) => schema.type === 'null';

/** The schema without its null branch, and whether it had one. */
function withoutNull(schema) {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    const type = types.length === 1 ? types[0] : types;
    return { inner: { ...schema, type }, nullable: types.length < schema.type.length };
  }
  if (!Array.isArray(schema.anyOf)) return { inner: schema, nullable: false };
  const flat = schema.anyOf.flatMap((branch) => branch.anyOf ?? [branch]);
  const branches = flat.filter((branch) => !isNull(branch));
  const { anyOf: _, ...rest } = schema;
  const inner = branches.length === 1 ? { ...branches[0], ...rest } : { ...rest, anyOf: branches };
  return { inner, nullable: branches.length < flat.length };
}

/** What may be written, in words. */
function typeText(schema) {
  const { inner, nullable } = withoutNull(schema);
  return nullable ? `${baseText(inner)} or null` : baseText(inner);
}

function baseText(schema) {
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(String(value))).join(', ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(', or ');
  if (schema.type === 'array') return `list of ${baseText(schema.items ?? {})}`;
  if (schema.type === 'object') return objectText(schema);
  return { string: 'text', integer: 'whole number', boolean: '`true` or `false`' }[schema.type] ?? 'number';
}

function objectText(schema) {
  if (schema.properties === undefined) return `mapping to ${baseText(schema.additionalProperties ?? {})}`;
  return code(`{${Object.keys(schema.properties).join(', ')}}`);
}

/** The default as it would be written; nothing for mappings, whose keys have defaults of their own. */
function defaultText(schema, required) {
  if (required) return 'required';
  const value = schema.default;
  if (value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value)))
    return '';
  if (typeof value === 'string') return code(value);
  return code(JSON.stringify(value).replaceAll(',', ', ').replaceAll('"', ''));
}

/** The mapping inside a schema whose keys are rows of their own, and how they are named. */
function inside(schema, path) {
  const { inner } = withoutNull(schema);
  if (inner.type === 'array') return inside(inner.items ?? {}, `${path}[]`);
  if (inner.properties !== undefined) return { object: inner, path };
  const values = inner.additionalProperties;
  return typeof values === 'object' ? inside(values, `${path}.<name>`) : null;
}

function* rowsOf(schema, path) {
  const required = new Set(schema.required ?? []);
  for (const [key, value] of Object.entries(schema.properties)) {
    const name = path === '' ? key : `${path}.${key}`;
    yield [code(name), typeText(value), defaultText(value, required.has(key)), value.description ?? ''];
    const mapping = inside(value, name);
    if (mapping !== null) yield* rowsOf(mapping.object, mapping.path);
  }
}

/** Every key of a schema, in the order of the schema. */
export function schemaKeys(schema) {
  return table(['key', 'values', 'default', 'meaning'], [...rowsOf(schema, '')]);
}
