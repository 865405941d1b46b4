/** `2GB` or `512MB` as MiB. */
export function parseMemory(input: string): number {
  const [, digits = '', unit = ''] = /^(\d+)\s*(MB|GB)$/i.exec(input) ?? [];
  const size = Number(digits) * (unit.toUpperCase() === 'GB' ? 1024 : 1);
  if (!Number.isSafeInteger(size) || size < 64)
    throw new Error('expected a size such as 512MB or 2GB, from 64MB');
  return size;
}

/** `name=value`; the value may be empty and may hold more equals signs. */
export function parseParameter(input: string): readonly [string, string] {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(input) ?? [];
  if (name === undefined || value === undefined) throw new Error('expected NAME=VALUE');
  return [name, value];
}
