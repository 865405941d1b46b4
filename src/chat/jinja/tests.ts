import { Text } from './text.js';
import { Callable, Dict, isEqual, isList, Num, TemplateFault, Undefined, type Value } from './value.js';

type Test = (subject: Value, others: readonly Value[]) => boolean;

const equal: Test = (subject, [other]) => isEqual(subject, other ?? null);
const remainder = (subject: Value, by: number): number => {
  if (!(subject instanceof Num)) throw new TemplateFault('odd or even of a value that is no number');
  return Math.abs(subject.value % by);
};

const TESTS: Readonly<Record<string, Test>> = {
  boolean: (subject) => typeof subject === 'boolean',
  callable: (subject) => subject instanceof Callable,
  defined: (subject) => !(subject instanceof Undefined),
  eq: equal,
  equalto: equal,
  even: (subject) => remainder(subject, 2) === 0,
  false: (subject) => subject === false,
  float: (subject) => subject instanceof Num && subject.isFloat,
  in: (subject, [other]) =>
    other !== undefined && isList(other) && other.some((item) => isEqual(item, subject)),
  integer: (subject) => subject instanceof Num && !subject.isFloat,
  iterable: (subject) =>
    subject instanceof Text || subject instanceof Dict || isList(subject) || subject instanceof Undefined,
  mapping: (subject) => subject instanceof Dict,
  ne: (subject, others) => !equal(subject, others),
  none: (subject) => subject === null,
  number: (subject) => subject instanceof Num || typeof subject === 'boolean',
  odd: (subject) => remainder(subject, 2) === 1,
  sequence: (subject) =>
    subject instanceof Text || subject instanceof Dict || isList(subject) || subject instanceof Undefined,
  string: (subject) => subject instanceof Text,
  true: (subject) => subject === true,
  undefined: (subject) => subject instanceof Undefined,
};

export function isTest(name: string): boolean {
  return Object.hasOwn(TESTS, name);
}

/** Throws TemplateFault for a test outside the set. */
export function callTest(name: string, subject: Value, others: readonly Value[] = []): boolean {
  const test = TESTS[name];
  if (test === undefined) throw new TemplateFault(`test ${name} is not supported`);
  return test(subject, others);
}
