import { Text } from './text.js';
import {
  asNumber,
  Dict,
  isEqual,
  isList,
  Namespace,
  Num,
  TemplateFault,
  toText,
  Undefined,
  type Value,
} from './value.js';

/** What `for` runs over. Throws TemplateFault where Python cannot iterate. */
export function iterate(value: Value): readonly Value[] {
  if (isList(value)) return value;
  if (value instanceof Undefined) return [];
  if (value instanceof Dict) return [...value.keys()].map((key) => keyText(value, key));
  if (value instanceof Text) {
    let at = 0;
    return [...value.text].map((character) => {
      const start = at;
      at += character.length;
      return value.slice(start, at);
    });
  }
  throw new TemplateFault('a value that cannot be iterated');
}

/** A key as text; a key of data is data. */
export function keyText(dict: Dict, key: string): Text {
  return dict.origin === null ? new Text(key) : Text.of(key, dict.origin).transformed(key);
}

/** value.name and value['name'] for data; methods are looked up elsewhere. */
export function memberOf(value: Value, key: Value): Value {
  if (value instanceof Undefined) throw new TemplateFault(`${value.path} is undefined`);
  if (key instanceof Text) {
    const name = key.text;
    if (value instanceof Dict) return value.get(name) ?? missing(value.has(name), name);
    if (value instanceof Namespace) return value.values.get(name) ?? missing(value.values.has(name), name);
    return new Undefined(name);
  }
  if (key instanceof Num && (isList(value) || value instanceof Text)) {
    const items = isList(value) ? value : iterate(value);
    return items.at(key.value) ?? missing(key.value < items.length && key.value >= -items.length, key.text);
  }
  return new Undefined('item');
}

/** A key that is there with None, or not there. */
function missing(present: boolean, name: string): Value {
  return present ? null : new Undefined(name);
}

/** value[start:stop:step] with Python's rules; indices of a text count characters. */
export function sliceOf(value: Value, bounds: { start: Value; stop: Value; step: Value }): Value {
  const step = bound(bounds.step) ?? 1;
  if (step === 0) throw new TemplateFault('slice step cannot be zero');
  const items = value instanceof Text ? [...value.text] : iterate(value);
  const size = items.length;
  const [low, high] = step > 0 ? [0, size] : [-1, size - 1];
  const place = (at: number | null, otherwise: number): number =>
    at === null ? otherwise : Math.min(Math.max(at < 0 ? at + size : at, low), high);
  const from = place(bound(bounds.start), step > 0 ? low : high);
  const to = place(bound(bounds.stop), step > 0 ? high : low);
  const chosen: (string | Value)[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) chosen.push(items[at] ?? null);
  if (!(value instanceof Text)) return chosen as Value[];
  const text = chosen.join('');
  if (step !== 1) return value.transformed(text);
  const start = items.slice(0, from).join('').length;
  return value.slice(start, start + text.length);
}

function bound(value: Value): number | null {
  if (value === null || value instanceof Undefined) return null;
  if (!(value instanceof Num)) throw new TemplateFault('slice indices must be integers');
  return value.value;
}

/** -1, 0 or 1. Throws TemplateFault for what Python cannot order. */
export function compare(one: Value, other: Value): number {
  if (one instanceof Text && other instanceof Text) {
    const [left, right] = [[...one.text], [...other.text]];
    for (let i = 0; i < Math.min(left.length, right.length); i++) {
      const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
      if (difference !== 0) return Math.sign(difference);
    }
    return Math.sign(left.length - right.length);
  }
  const [left, right] = [asNumber(one), asNumber(other)];
  if (left !== null && right !== null) return Math.sign(left - right);
  if (isList(one) && isList(other)) {
    for (let i = 0; i < Math.min(one.length, other.length); i++) {
      const order = compare(one[i] ?? null, other[i] ?? null);
      if (order !== 0) return order;
    }
    return Math.sign(one.length - other.length);
  }
  throw new TemplateFault('values that cannot be ordered');
}

function isIn(item: Value, container: Value): boolean {
  if (container instanceof Text) {
    if (!(item instanceof Text)) throw new TemplateFault("'in <string>' requires a string");
    return container.text.includes(item.text);
  }
  if (container instanceof Dict) return item instanceof Text && container.has(item.text);
  if (isList(container)) return container.some((other) => isEqual(other, item));
  if (container instanceof Undefined) return false;
  throw new TemplateFault("argument of 'in' is not iterable");
}

function add(one: Value, other: Value): Value {
  if (one instanceof Text && other instanceof Text) return Text.join([one, other]);
  if (isList(one) && isList(other)) return [...one, ...other];
  return arithmetic(one, other, (a, b) => a + b);
}

function multiply(one: Value, other: Value): Value {
  if (one instanceof Text && other instanceof Num) {
    return Text.join(Array.from({ length: Math.max(0, other.value) }, () => one));
  }
  return arithmetic(one, other, (a, b) => a * b);
}

function arithmetic(one: Value, other: Value, operate: (a: number, b: number) => number): Value {
  const [a, b] = [asNumber(one), asNumber(other)];
  if (a === null || b === null) throw new TemplateFault('unsupported operand types');
  const float = (one instanceof Num && one.isFloat) || (other instanceof Num && other.isFloat);
  return new Num(operate(a, b), float);
}

function divide(one: Value, other: Value, operate: (a: number, b: number) => number): Value {
  if (asNumber(other) === 0) throw new TemplateFault('division by zero');
  return arithmetic(one, other, operate);
}

const OPERATORS: Readonly<Record<string, (one: Value, other: Value) => Value>> = {
  '==': isEqual,
  '!=': (one, other) => !isEqual(one, other),
  '<': (one, other) => compare(one, other) < 0,
  '>': (one, other) => compare(one, other) > 0,
  '<=': (one, other) => compare(one, other) <= 0,
  '>=': (one, other) => compare(one, other) >= 0,
  in: isIn,
  'not in': (one, other) => !isIn(one, other),
  '+': add,
  '-': (one, other) => arithmetic(one, other, (a, b) => a - b),
  '*': multiply,
  '/': (one, other) => new Num(asNumber(divide(one, other, (a, b) => a / b)) ?? 0, true),
  '//': (one, other) => divide(one, other, (a, b) => Math.floor(a / b)),
  '%': (one, other) => divide(one, other, (a, b) => a - b * Math.floor(a / b)),
  '~': (one, other) => Text.join([toText(one), toText(other)]),
};

export function isOperator(name: string): boolean {
  return name === 'and' || name === 'or' || Object.hasOwn(OPERATORS, name);
}

/** A binary operation on values; `and` and `or` are the evaluator's. */
export function operate(name: string, one: Value, other: Value): Value {
  const operator = OPERATORS[name];
  if (operator === undefined) throw new TemplateFault(`operator ${name} is not supported`);
  return operator(one, other);
}
