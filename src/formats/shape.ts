/** Small readers of untyped JSON: a value of the wrong type is absent, never coerced. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Finite numbers only. */
export function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

const NUMERAL = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*$/;

/** A number, also where a writer made text of one that its JSON did not know, as of numpy's smaller floats. */
export function asNumeral(value: unknown): number | null {
  return asNumber(typeof value === 'string' && NUMERAL.test(value) ? Number(value) : value);
}

export function asBoolean(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether an object has every one of the keys as its own. */
export function hasKeys(value: unknown, ...keys: string[]): value is JsonObject {
  return isObject(value) && keys.every((key) => Object.hasOwn(value, key));
}

/** A non-empty string or a number as an id. */
export function asId(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The first id under one of the keys, asked in order of the sources. */
export function firstId(sources: readonly JsonObject[], keys: readonly string[]): string | null {
  for (const source of sources) {
    for (const key of keys) {
      const id = asId(source[key]);
      if (id !== null) return id;
    }
  }
  return null;
}
