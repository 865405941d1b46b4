/** A JSON Schema, or a part of one. */
export type SchemaNode = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is SchemaNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The alternatives of a schema, those of its alternatives among them. */
function branchesOf(node: SchemaNode): SchemaNode[] {
  const { anyOf } = node;
  return Array.isArray(anyOf) ? anyOf.filter(isNode).flatMap(branchesOf) : [node];
}

/** What a schema says of the value at a path; several where it has alternatives, none where it says nothing. */
export function nodesAt(schema: SchemaNode, path: readonly PropertyKey[]): SchemaNode[] {
  let nodes = branchesOf(schema);
  for (const key of path) {
    nodes = nodes
      .flatMap(({ properties, additionalProperties, items }) => {
        if (typeof key === 'number') return [items];
        const own = isNode(properties) ? properties[String(key)] : undefined;
        return [own ?? additionalProperties];
      })
      .filter(isNode)
      .flatMap(branchesOf);
  }
  return nodes;
}

/** The keys that mappings at a path may have, in the order of the schema. */
export function keysAt(schema: SchemaNode, path: readonly PropertyKey[]): string[] {
  const keys = nodesAt(schema, path).flatMap(({ properties }) =>
    isNode(properties) ? Object.keys(properties) : [],
  );
  return [...new Set(keys)];
}

/** The texts that a list allows at a path. */
export function textsAt(schema: SchemaNode, path: readonly PropertyKey[]): string[] {
  return nodesAt(schema, path).flatMap(({ const: only, enum: values }) =>
    [only, ...(Array.isArray(values) ? values : [])].filter((value) => typeof value === 'string'),
  );
}

/** What may be written at a path, in words: `median, bronze, {score} or {quantile}`. */
export function allowedInWords(nodes: readonly SchemaNode[]): string {
  const words = [...new Set(nodes.flatMap(wordsOf))];
  const last = words.pop();
  return words.length === 0 ? (last ?? 'nothing') : `${words.join(', ')} or ${last}`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function wordsOf(node: SchemaNode): string[] {
  const { const: only, enum: values, type, properties, items } = node;
  if (only !== undefined) return [String(only)];
  if (Array.isArray(values)) return values.map(String);
  if (type === 'array') {
    const inner = isNode(items) ? allowedInWords(branchesOf(items)) : 'values';
    const least = typeof node['minItems'] === 'number' && node['minItems'] > 0 ? ' that is not empty' : '';
    return [`a list${least} of: ${inner}`];
  }
  if (isNode(properties)) return [`{${Object.keys(properties).join(', ')}}`];
  if (type === 'object') return ['a mapping'];
  if (node['format'] === 'date') return ['a date such as 2026-01-31'];
  const name = TYPES[String(type)] ?? 'a value';
  return [`${name}${rangeOf(node)}`];
}

/** Bounds that safe integers have anyway are not worth a word. */
const isBound = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;

function rangeOf({ minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below }: SchemaNode): string {
  const from = isBound(minimum) ? ` from ${minimum}` : isBound(above) ? ` above ${above}` : '';
  const to = isBound(maximum) ? ` to ${maximum}` : isBound(below) ? ` below ${below}` : '';
  return `${from}${from === '' && isBound(maximum) ? ` up to ${maximum}` : to}`;
}

/** The known word nearest to one that was written, or null where none is near. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(Math.max(word.length, 4) / 3));
  let best: string | null = null;
  let least = limit + 1;
  for (const other of known) {
    const distance = editDistance(word.toLowerCase(), other.toLowerCase());
    if (distance < least) [best, least] = [other, distance];
  }
  return best;
}

/** Letters to put in, take out, replace, or swap with the next (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (same ? 0 : 1),
        swapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(a.length, b.length);
}
