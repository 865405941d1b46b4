import type { z } from 'zod';
import { allowedInWords, keysAt, nearestWord, nodesAt, type SchemaNode, textsAt } from './schema-words.js';

type Issue = z.core.$ZodIssue;

/** One thing that is wrong in a file of options. */
export interface ConfigFault {
  /** of an unknown key the key itself */
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

interface Checked {
  /** JSON Schema of what people write */
  readonly schema: SchemaNode;
  /** what they wrote */
  readonly value: unknown;
}

/** What an issue says, in words: what is allowed, what was written instead, and what may have been meant. */
export function configFaults(
  issue: Issue,
  checked: Checked,
  under: readonly PropertyKey[] = [],
): ConfigFault[] {
  const path = [...under, ...issue.path];
  const where = path.length > 0 ? `${path.map(String).join('.')}: ` : '';
  const { schema } = checked;
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = keysAt(schema, path);
      return issue.keys.map((key) => ({
        path: [...path, key],
        text: `${where}unknown key '${key}'${suggestion(key, known) || ';'} allowed: ${known.join(', ')}`,
      }));
    }
    case 'invalid_union': {
      const chosen = chosenBranch(issue, valueAt(checked.value, path));
      if (chosen !== null) return chosen.flatMap((each) => configFaults(each, checked, path));
      return [{ path, text: `${where}${mustBe(checked, path)}${meantInstead(checked, path)}` }];
    }
    case 'invalid_value': {
      const values = issue.values.map((value) => JSON.stringify(value)).join(', ');
      const written = valueAt(checked.value, path);
      const needed = issue.values.length === 1 ? values : `one of ${values}`;
      if (written === undefined) return [{ path, text: `${where}is missing; it must be ${needed}` }];
      const known = issue.values.map(String);
      const isNumber = typeof written === 'string' && known.includes(written);
      const meant = typeof written === 'string' && !isNumber ? suggestion(written, known) : '';
      return [{ path, text: `${where}must be ${needed}${meant || `; it is ${shown(written)}`}` }];
    }
    case 'invalid_type':
    case 'too_small':
    case 'too_big':
      return [{ path, text: `${where}${mustBe(checked, path)}` }];
    default:
      return [{ path, text: `${where}${issue.message}` }];
  }
}

function suggestion(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === null ? '' : `: did you mean ${nearest}?`;
}

/** What a text, or a key of a mapping, of no alternative may have been. */
function meantInstead({ schema, value }: Checked, path: readonly PropertyKey[]): string {
  const written = valueAt(value, path);
  if (typeof written === 'string') return suggestion(written, textsAt(schema, path));
  if (typeof written !== 'object' || written === null) return '';
  const known = keysAt(schema, path);
  const unknown = Object.keys(written).find((key) => !known.includes(key));
  return unknown === undefined ? '' : suggestion(unknown, known);
}

function mustBe({ schema, value }: Checked, path: readonly PropertyKey[]): string {
  const words = allowedInWords(nodesAt(schema, path));
  const written = valueAt(value, path);
  return written === undefined
    ? `is missing; it must be ${words}`
    : `must be ${words}; it is ${shown(written)}`;
}

/**
 * The issues of the alternative that was meant: the only one whose kind of value was written. Null where none or
 * several are; of several mappings the one that knows a key of the value.
 */
function chosenBranch(
  { errors }: Extract<Issue, { code: 'invalid_union' }>,
  value: unknown,
): readonly Issue[] | null {
  const open = errors.filter(
    (issues) =>
      !issues.some(
        ({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value'),
      ),
  );
  const [first, ...others] = open;
  if (first === undefined) return null;
  if (others.length === 0) return first;
  if (typeof value !== 'object' || value === null) return null;
  const written = Object.keys(value).length;
  const knowing = open.filter(
    (issues) =>
      issues.reduce(
        (n, issue) =>
          n + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0),
        0,
      ) < written,
  );
  return knowing.length === 1 ? (knowing[0] ?? null) : null;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<PropertyKey, unknown>)[key];
  }
  return found;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
