import type { ParameterValue, QueryParameters } from './query-job.js';
import { SqlMistake } from './sql-mistake.js';

const PARAMETER_TYPES = ['text', 'number'] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];

export interface QuestionParameter {
  readonly name: string;
  readonly type: ParameterType;
  /** null stands for "any" in every question */
  readonly default: ParameterValue;
  readonly meaning: string;
}

/** A named question: a file of data/queries. */
export interface Question {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: readonly QuestionParameter[];
  readonly sql: string;
}

const PARAMETER = /^param (\w+) (text|number)(?: = (\S+))?: (.+)$/;

/**
 * Reads a file of a question: comment lines first, then one SELECT. The first comment line is the title, those that
 * begin with `param` are `param NAME TYPE [= DEFAULT]: meaning`, the others are the description. Throws SqlMistake.
 */
export function parseQuestion(name: string, text: string): Question {
  const lines = text.split('\n');
  const body = lines.findIndex((line) => !line.startsWith('--'));
  const [title = '', ...rest] = lines
    .slice(0, body === -1 ? lines.length : body)
    .map((line) => line.slice(2).trim());
  const sql = body === -1 ? '' : lines.slice(body).join('\n').trim();
  if (title === '' || sql === '')
    throw new SqlMistake(`question ${name}: expected a title as a comment, then SQL`);
  const parameters = rest
    .filter((line) => line.startsWith('param '))
    .map((line) => parseParameter(name, line));
  const description = rest.filter((line) => !line.startsWith('param ')).join(' ');
  return { name, title, description, parameters, sql };
}

function parseParameter(question: string, line: string): QuestionParameter {
  const [, name, type, value, meaning] = PARAMETER.exec(line) ?? [];
  if (name === undefined || meaning === undefined) {
    throw new SqlMistake(`question ${question}: not a parameter: ${line}`);
  }
  const kind: ParameterType = type === 'number' ? 'number' : 'text';
  const given = value === undefined ? null : typedValue({ name, type: kind }, value);
  return { name, type: kind, default: given, meaning };
}

function typedValue({ name, type }: Pick<QuestionParameter, 'name' | 'type'>, text: string): ParameterValue {
  if (type === 'text') return text;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value))
    throw new SqlMistake(`parameter ${name} takes a number, not ${JSON.stringify(text)}`);
  return value;
}

/** Values of all parameters of a question out of texts by name. Throws SqlMistake. */
export function questionParameters(
  question: Question,
  given: Readonly<Record<string, string>>,
): QueryParameters {
  const known = new Set(question.parameters.map(({ name }) => name));
  for (const name of Object.keys(given)) {
    if (!known.has(name)) {
      const names = [...known].join(', ');
      throw new SqlMistake(
        `@${question.name} has no parameter ${name}${names === '' ? '' : ` (it has ${names})`}`,
      );
    }
  }
  return Object.fromEntries(
    question.parameters.map((parameter) => {
      const text = Object.hasOwn(given, parameter.name) ? given[parameter.name] : undefined;
      return [parameter.name, text === undefined ? parameter.default : typedValue(parameter, text)];
    }),
  );
}

/** Values for SQL that a user wrote: numbers, true, false and null as such, everything else as text. */
export function freeParameters(given: Readonly<Record<string, string>>): QueryParameters {
  const words: Readonly<Record<string, ParameterValue>> = { true: true, false: false, null: null };
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      if (Object.hasOwn(words, text)) return [name, words[text] ?? null];
      return [name, /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? exactNumber(text) : text];
    }),
  );
}

/** A whole number that a double does not hold stays text, which DuckDB casts. */
function exactNumber(text: string): ParameterValue {
  const value = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value;
}
