import { Text } from './text.js';
import { Callable, Dict, int, Namespace, Num, TemplateFault, toText, type Value } from './value.js';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
];
MONTHS.push('November', 'December');
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The functions that Hugging Face gives to templates. `date` is what strftime_now tells; without it, it raises. */
export function templateGlobals(date: Date | null): Map<string, Value> {
  return new Map<string, Value>([
    ['namespace', new Callable(({ positional, named }) => makeNamespace(positional[0], named))],
    ['dict', new Callable(({ named }) => new Dict(named))],
    ['range', new Callable(({ positional }) => makeRange(positional))],
    [
      'raise_exception',
      new Callable(({ positional }) => {
        throw new TemplateFault(toText(positional[0] ?? null).text);
      }),
    ],
    [
      'strftime_now',
      new Callable(({ positional: [format] }) => {
        if (date === null) throw new TemplateFault('the template asks for the date and none was given');
        return new Text(strftime(toText(format ?? null).text, date));
      }),
    ],
  ]);
}

function makeNamespace(first: Value | undefined, named: ReadonlyMap<string, Value>): Namespace {
  const namespace = new Namespace();
  if (first instanceof Dict) for (const [name, value] of first) namespace.values.set(name, value);
  for (const [name, value] of named) namespace.values.set(name, value);
  return namespace;
}

function makeRange(bounds: readonly Value[]): Value[] {
  const numbers = bounds.map((bound) => {
    if (!(bound instanceof Num)) throw new TemplateFault('range takes numbers');
    return bound.value;
  });
  const [start = 0, stop = 0, step = 1] = numbers.length === 1 ? [0, numbers[0]] : numbers;
  const values: Value[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) values.push(int(at));
  return values;
}

/** The directives that chat templates use, in UTC. Throws TemplateFault for another. */
function strftime(format: string, date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const month = MONTHS[date.getUTCMonth()] ?? '';
  const day = DAYS[date.getUTCDay()] ?? '';
  const parts: Readonly<Record<string, string>> = {
    a: day.slice(0, 3),
    A: day,
    b: month.slice(0, 3),
    B: month,
    d: two(date.getUTCDate()),
    H: two(date.getUTCHours()),
    m: two(date.getUTCMonth() + 1),
    M: two(date.getUTCMinutes()),
    S: two(date.getUTCSeconds()),
    y: two(date.getUTCFullYear() % 100),
    Y: String(date.getUTCFullYear()),
    '%': '%',
  };
  return format.replace(/%(.)/gs, (_, directive: string) => {
    const part = parts[directive];
    if (part === undefined) throw new TemplateFault(`strftime directive %${directive} is not supported`);
    return part;
  });
}
