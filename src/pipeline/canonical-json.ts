import { createHash } from 'node:crypto';

/** JSON with keys in code-unit order and no spaces: equal values give equal bytes. Undefined fields are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return listJson(value);
  if (value !== null && typeof value === 'object') return objectJson(value as Record<string, unknown>);
  return JSON.stringify(value);
}

function listJson(list: readonly unknown[]): string {
  let json = '';
  for (const item of list) json += `${json === '' ? '[' : ','}${canonicalJson(item ?? null)}`;
  return json === '' ? '[]' : `${json}]`;
}

function objectJson(object: Readonly<Record<string, unknown>>): string {
  let json = '';
  for (const key of Object.keys(object).sort()) {
    const item = object[key];
    if (item !== undefined) json += `${json === '' ? '{' : ','}${JSON.stringify(key)}:${canonicalJson(item)}`;
  }
  return json === '' ? '{}' : `${json}}`;
}

/** sha256 (hex) of the canonical JSON of a value. */
export function canonicalSha256(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
