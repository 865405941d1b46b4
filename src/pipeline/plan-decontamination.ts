import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import fastGlob from 'fast-glob';
import { TrajmillError } from '../errors.js';
import type { DecontaminationOptions } from '../selection/decontamination.js';
import { parseDecontaminationList, shippedList } from '../selection/decontamination-lists.js';
import type { Location, Plan, PlanBody } from './plan.js';

/** The lists of a pipeline, frozen by their ids, and its texts, frozen by their sums; and where those texts lie. */
export function planDecontamination(
  options: DecontaminationOptions,
  home: string,
): { frozen: PlanBody['decontamination']; texts: Location['texts'] } {
  if (options === 'none') return { frozen: { lists: [], texts: [] }, texts: [] };
  const lists = [
    ...options.lists.map(shippedList),
    ...options.files.map((file) => parseDecontaminationList(readText(resolve(home, file)), file)),
  ];
  const texts = options.texts.flatMap((pattern) => textFiles(pattern, home));
  return {
    frozen: {
      lists: lists.map(({ name, ids }) => ({ name, ids })),
      texts: texts.map((path) => ({ name: basename(path), sha256: sumOf(readText(path)) })),
    },
    texts,
  };
}

/** The texts of a plan, read again. A text that changed since is refused with E_INPUT_CHANGED. */
export function plannedTexts(plan: Plan, location: Location): { name: string; text: string }[] {
  return plan.body.decontamination.texts.map(({ name, sha256 }, index) => {
    const text = readText(location.texts[index] ?? name);
    if (sumOf(text) !== sha256) {
      throw new TrajmillError(
        'E_INPUT_CHANGED',
        'its content changed since it was planned; plan again into a new folder',
        { place: name },
      );
    }
    return { name, text };
  });
}

function textFiles(pattern: string, home: string): string[] {
  if (!fastGlob.isDynamicPattern(pattern)) return [resolve(home, pattern)];
  const found = fastGlob.sync(pattern, { cwd: home, absolute: true }).sort();
  if (found.length > 0) return found;
  throw new TrajmillError('E_CONFIG', `decontamination.texts: no file matches ${pattern}`);
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new TrajmillError('E_CONFIG', `cannot read ${basename(path)}, which decontamination names`, {
      cause,
    });
  }
}
