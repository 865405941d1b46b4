/** A setting that differs: its path with dots, and both values, undefined where one has none. */
export interface ConfigDifference {
  readonly path: string;
  readonly a: unknown;
  readonly b: unknown;
}

/** Where two JSON values differ, down to the first list or plain value; paths in the order of both. */
export function configDifferences(a: unknown, b: unknown, path = ''): ConfigDifference[] {
  if (isRecord(a) && isRecord(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    return names.flatMap((name) =>
      configDifferences(a[name], b[name], path === '' ? name : `${path}.${name}`),
    );
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ path, a, b }];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
