import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { TrajmillError } from '../errors.js';
import { type DecontaminationList, decontaminationListSchema, type ShippedList } from './decontamination.js';

/** data/decontamination of the package: two folders up from here in src and in dist alike. */
const folder = fileURLToPath(new URL('../../data/decontamination/', import.meta.url));

/** A list that the package ships. */
export function shippedList(name: ShippedList): DecontaminationList {
  return parseDecontaminationList(readFileSync(`${folder}${name}.json`, 'utf8'), `${name}.json`);
}

/** Reads a list of tasks, JSON or YAML. `path` is for messages. Throws E_CONFIG where it is none. */
export function parseDecontaminationList(text: string, path: string): DecontaminationList {
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw new TrajmillError('E_CONFIG', 'neither JSON nor YAML', { place: path, cause });
  }
  const parsed = decontaminationListSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = (issue?.path ?? []).map(String).join('.');
  throw new TrajmillError(
    'E_CONFIG',
    `not a decontamination list: ${field === '' ? '' : `${field}: `}${issue?.message ?? ''}`,
    { place: path },
  );
}
