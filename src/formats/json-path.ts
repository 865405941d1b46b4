import { z } from 'zod';
import { isObject } from './shape.js';

const STEP = /[^.[\]\s"']+|\[\d+\]/g;
const PATH = /^(?:[^.[\]\s"']+|\[\d+\])(?:\.[^.[\]\s"']+|\[\d+\])*$/;

/** A path into JSON: keys joined by dots, `[0]` for an item of a list, such as `run.steps[0].text`. */
export const jsonPathSchema = z
  .string()
  .regex(PATH, 'a path such as run.steps[0].text: keys joined by dots, [n] for an item of a list');

/** The value at a path; undefined where a key or an item on the way is missing. Only an object's own keys count. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const [step] of path.matchAll(STEP)) {
    if (step.startsWith('['))
      at = Array.isArray(at) ? (at as unknown[])[Number(step.slice(1, -1))] : undefined;
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    if (at === undefined) return undefined;
  }
  return at;
}
