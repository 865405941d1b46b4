import { compare, iterate, keyText, memberOf } from './operators.js';
import { callTest, isTest } from './tests.js';
import { Text } from './text.js';
import {
  type CallArguments,
  Dict,
  int,
  isEqual,
  isList,
  isTrue,
  Num,
  TemplateFault,
  toJson,
  toText,
  Undefined,
  type Value,
} from './value.js';

type Filter = (operand: Value, args: CallArguments) => Value;

/** The argument at a place or under a name. */
export function argument(args: CallArguments, place: number, name: string): Value | undefined {
  return place < args.positional.length ? args.positional[place] : args.named.get(name);
}

export function textArgument(args: CallArguments, place: number, name: string): Text {
  const value = argument(args, place, name);
  if (!(value instanceof Text)) throw new TemplateFault(`${name} must be a string`);
  return value;
}

function intArgument(args: CallArguments, place: number, name: string, otherwise: number): number {
  const value = argument(args, place, name);
  if (value === undefined || value === null) return otherwise;
  if (!(value instanceof Num)) throw new TemplateFault(`${name} must be a number`);
  return value.value;
}

const mapText =
  (change: (text: string) => string): Filter =>
  (operand) => {
    const text = toText(operand);
    return text.transformed(change(text.text));
  };

const length: Filter = (operand) => {
  if (operand instanceof Text) return int([...operand.text].length);
  if (operand instanceof Dict) return int(operand.size);
  if (operand instanceof Undefined) return int(0);
  if (isList(operand)) return int(operand.length);
  throw new TemplateFault('length of a value that has none');
};

const useDefault: Filter = (operand, args) => {
  const given = argument(args, 0, 'default_value');
  const otherwise = given === undefined ? new Text('') : given;
  const boolean = isTrue(argument(args, 1, 'boolean') ?? false);
  return operand instanceof Undefined || (boolean && !isTrue(operand)) ? otherwise : operand;
};

const join: Filter = (operand, args) => {
  const glue = argument(args, 0, 'd') ?? new Text('');
  return Text.join(iterate(operand).map(toText), toText(glue));
};

const json: Filter = (operand, args) => {
  const indent = argument(args, 1, 'indent');
  const separators = argument(args, 2, 'separators');
  let pair: [string, string] | null = null;
  if (separators !== undefined && separators !== null) {
    const [comma, colon] = isList(separators) ? separators : [];
    if (!(comma instanceof Text && colon instanceof Text))
      throw new TemplateFault('separators must be two strings');
    pair = [comma.text, colon.text];
  }
  return toJson(operand, {
    indent: indent instanceof Num ? indent.value : null,
    ensureAscii: isTrue(argument(args, 0, 'ensure_ascii') ?? false),
    separators: pair,
    sortKeys: isTrue(argument(args, 3, 'sort_keys') ?? false),
  });
};

const indent: Filter = (operand, args) => {
  const width = argument(args, 0, 'width') ?? int(4);
  const prefix = width instanceof Num ? new Text(' '.repeat(width.value)) : toText(width);
  const first = isTrue(argument(args, 1, 'first') ?? false);
  const blank = isTrue(argument(args, 2, 'blank') ?? false);
  const lines = toText(operand).split('\n');
  return Text.join(
    lines.map((line, i) =>
      (i === 0 ? first : blank || line.text !== '') ? Text.join([prefix, line]) : line,
    ),
    new Text('\n'),
  );
};

const items: Filter = (operand) => {
  if (operand instanceof Undefined) return [];
  if (!(operand instanceof Dict)) throw new TemplateFault('items of a value that is no mapping');
  return [...operand].map(([key, item]) => [keyText(operand, key), item]);
};

const dictsort: Filter = (operand) => {
  const pairs = items(operand, { positional: [], named: new Map() }) as readonly (readonly Value[])[];
  return pairs.toSorted((a, b) => compare(foldCase(a[0] ?? null), foldCase(b[0] ?? null)));
};

const foldCase = (value: Value): Value =>
  value instanceof Text ? new Text(value.text.toLowerCase()) : value;

const map: Filter = (operand, args) => {
  const attribute = args.named.get('attribute');
  if (attribute instanceof Text) {
    return iterate(operand).map((item) => {
      const found = memberOf(item, attribute);
      return found instanceof Undefined ? (args.named.get('default') ?? found) : found;
    });
  }
  const [name, ...rest] = args.positional;
  if (!(name instanceof Text)) throw new TemplateFault('map needs an attribute or a filter');
  return iterate(operand).map((item) => callFilter(name.text, item, { positional: rest, named: args.named }));
};

const choose =
  (wanted: boolean, byAttribute: boolean): Filter =>
  (operand, { positional }) => {
    const names = byAttribute ? positional.slice(1) : positional;
    const [test, ...rest] = names;
    return iterate(operand).filter((item) => {
      const subject = byAttribute ? memberOf(item, positional[0] ?? null) : item;
      const holds = test instanceof Text ? testValue(test.text, subject, rest) : isTrue(subject);
      return holds === wanted;
    });
  };

function testValue(name: string, subject: Value, rest: readonly Value[]): boolean {
  if (!isTest(name)) throw new TemplateFault(`test ${name} is not supported`);
  return callTest(name, subject, rest);
}

const unique: Filter = (operand) => {
  const kept: Value[] = [];
  for (const item of iterate(operand))
    if (!kept.some((other) => isEqual(foldCase(other), foldCase(item)))) kept.push(item);
  return kept;
};

const toInt: Filter = (operand, args) => {
  if (operand instanceof Num) return int(Math.trunc(operand.value));
  if (typeof operand === 'boolean') return int(Number(operand));
  const text = toText(operand).text.trim();
  return /^[+-]?\d+$/.test(text) ? int(Number(text)) : (argument(args, 0, 'default') ?? int(0));
};

const toFloat: Filter = (operand, args) => {
  const value = operand instanceof Num ? operand.value : Number(toText(operand).text.trim() || 'x');
  return Number.isNaN(value) ? (argument(args, 0, 'default') ?? new Num(0, true)) : new Num(value, true);
};

const FILTERS: Readonly<Record<string, Filter>> = {
  abs: (operand) => {
    if (!(operand instanceof Num)) throw new TemplateFault('abs of a value that is no number');
    return new Num(Math.abs(operand.value), operand.isFloat);
  },
  capitalize: mapText((text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()),
  count: length,
  d: useDefault,
  default: useDefault,
  dictsort,
  first: (operand) => iterate(operand)[0] ?? new Undefined('first of nothing'),
  float: toFloat,
  indent,
  int: toInt,
  items,
  join,
  last: (operand) => iterate(operand).at(-1) ?? new Undefined('last of nothing'),
  length,
  list: (operand) => iterate(operand),
  lower: mapText((text) => text.toLowerCase()),
  map,
  reject: choose(false, false),
  rejectattr: choose(false, true),
  replace: (operand, args) => {
    const limit = intArgument(args, 2, 'count', -1);
    return Text.join(
      toText(operand).split(textArgument(args, 0, 'old').text, limit),
      textArgument(args, 1, 'new'),
    );
  },
  reverse: (operand) => (operand instanceof Text ? reversed(operand) : iterate(operand).toReversed()),
  safe: (operand) => operand,
  select: choose(true, false),
  selectattr: choose(true, true),
  sort: (operand) => iterate(operand).toSorted((a, b) => compare(foldCase(a), foldCase(b))),
  string: (operand) => toText(operand),
  tojson: json,
  trim: (operand, args) => {
    const characters = argument(args, 0, 'chars');
    return toText(operand).strip(characters instanceof Text ? characters.text : null, {
      left: true,
      right: true,
    });
  },
  unique,
  upper: mapText((text) => text.toUpperCase()),
};

function reversed(text: Text): Text {
  return text.transformed([...text.text].reverse().join(''));
}

export function isFilter(name: string): boolean {
  return Object.hasOwn(FILTERS, name);
}

/** Throws TemplateFault for a filter outside the set, and where Python would raise. */
export function callFilter(name: string, operand: Value, args: CallArguments): Value {
  const filter = isFilter(name) ? FILTERS[name] : undefined;
  if (filter === undefined) throw new TemplateFault(`filter ${name} is not supported`);
  return filter(operand, args);
}
