import { argument, callFilter, textArgument } from './filters.js';
import { memberOf } from './operators.js';
import { isPythonSpace, Text } from './text.js';
import { type CallArguments, Dict, int, isList, Num, TemplateFault, Undefined, type Value } from './value.js';

type TextMethod = (text: Text, args: CallArguments) => Value;
type DictMethod = (dict: Dict, args: CallArguments) => Value;

const strip =
  (left: boolean, right: boolean): TextMethod =>
  (text, args) => {
    const characters = argument(args, 0, 'chars') ?? null;
    if (characters !== null && !(characters instanceof Text))
      throw new TemplateFault('strip argument must be a string');
    return text.strip(characters?.text ?? null, { left, right });
  };

const matches =
  (at: (text: string, part: string) => boolean): TextMethod =>
  (text, { positional: [parts] }) => {
    const list = parts !== undefined && isList(parts) ? parts : [parts];
    return list.some((part) => {
      if (!(part instanceof Text)) throw new TemplateFault('startswith and endswith take strings');
      return at(text.text, part.text);
    });
  };

const split: TextMethod = (text, args) => {
  const separator = argument(args, 0, 'sep') ?? null;
  const limit = argument(args, 1, 'maxsplit');
  const most = limit instanceof Num ? limit.value : -1;
  if (separator === null) {
    if (most >= 0) throw new TemplateFault('split at blanks with a limit is not supported');
    return splitAtBlanks(text);
  }
  if (!(separator instanceof Text) || separator.text === '')
    throw new TemplateFault('split needs a separator');
  return text.split(separator.text, most);
};

function splitAtBlanks(text: Text): Text[] {
  const words: Text[] = [];
  let start = -1;
  for (let at = 0; at <= text.text.length; at++) {
    const blank = at === text.text.length || isPythonSpace(text.text[at] ?? '');
    if (blank && start >= 0) words.push(text.slice(start, at));
    if (blank) start = -1;
    else if (start < 0) start = at;
  }
  return words;
}

const rsplit: TextMethod = (text, args) => {
  const separator = textArgument(args, 0, 'sep').text;
  const limit = argument(args, 1, 'maxsplit');
  const parts = text.split(separator);
  if (!(limit instanceof Num) || parts.length <= limit.value + 1) return parts;
  const kept = parts.slice(parts.length - limit.value);
  return [Text.join(parts.slice(0, parts.length - limit.value), new Text(separator)), ...kept];
};

const filter =
  (name: string): TextMethod =>
  (text, args) =>
    callFilter(name, text, args);

const TEXT_METHODS: Readonly<Record<string, TextMethod>> = {
  capitalize: filter('capitalize'),
  count: (text, args) => int(text.split(textArgument(args, 0, 'sub').text).length - 1),
  endswith: matches((text, part) => text.endsWith(part)),
  find: (text, args) => {
    const at = text.text.indexOf(textArgument(args, 0, 'sub').text);
    return int(at < 0 ? -1 : [...text.text.slice(0, at)].length);
  },
  join: (text, { positional: [items] }) =>
    callFilter('join', items ?? null, { positional: [text], named: new Map() }),
  lower: filter('lower'),
  lstrip: strip(true, false),
  removeprefix: (text, args) => {
    const prefix = textArgument(args, 0, 'prefix').text;
    return text.text.startsWith(prefix) ? text.slice(prefix.length) : text;
  },
  removesuffix: (text, args) => {
    const suffix = textArgument(args, 0, 'suffix').text;
    const cut = suffix !== '' && text.text.endsWith(suffix);
    return cut ? text.slice(0, text.text.length - suffix.length) : text;
  },
  replace: filter('replace'),
  rsplit,
  rstrip: strip(false, true),
  split,
  startswith: matches((text, part) => text.startsWith(part)),
  strip: strip(true, true),
  upper: filter('upper'),
};

const DICT_METHODS: Readonly<Record<string, DictMethod>> = {
  get: (dict, { positional: [key, otherwise] }) => {
    const found = memberOf(dict, key ?? null);
    return found instanceof Undefined ? (otherwise ?? null) : found;
  },
  items: (dict) => callFilter('items', dict, { positional: [], named: new Map() }),
  keys: (dict) => callFilter('list', dict, { positional: [], named: new Map() }),
  values: (dict) => [...dict.values()],
};

export function isMethod(name: string): boolean {
  return Object.hasOwn(TEXT_METHODS, name) || Object.hasOwn(DICT_METHODS, name);
}

/** value.name(...) of a string or a dict; undefined where the value has no such method. */
export function callMethod(value: Value, name: string, args: CallArguments): Value | undefined {
  if (value instanceof Text && Object.hasOwn(TEXT_METHODS, name)) return TEXT_METHODS[name]?.(value, args);
  if (value instanceof Dict && Object.hasOwn(DICT_METHODS, name)) return DICT_METHODS[name]?.(value, args);
  return undefined;
}

/** Attributes that every Python dict has, so that value.items is never the key `items`. */
export const DICT_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...Object.keys(DICT_METHODS),
  ...['clear', 'copy', 'fromkeys', 'pop', 'popitem', 'setdefault', 'update'],
]);
