import { makeSubmission } from '../trajectory/build.js';
import type { Submission } from '../trajectory/execution.js';
import { asNumber, isObject, type JsonObject } from './shape.js';

/** Marks of Inspect's scorers: correct, incorrect, partial, no answer. */
const MARKS: Readonly<Record<string, number>> = { C: 1, I: 0, P: 0.5, N: 0 };
const VERDICTS: Readonly<Record<string, boolean>> = { C: true, I: false, N: false };

/**
 * The scores of a sample: its final answer, graded against a target that the agent never saw. A scorer that gives
 * several values has no one score; each stands as a flag `value:<name>=<value>`.
 */
export function sampleScores(sample: JsonObject): { submissions: Submission[]; resolved: boolean | null } {
  const scores = isObject(sample['scores']) ? sample['scores'] : oldScore(sample);
  const entries = Object.entries(scores).flatMap(([scorer, score]) =>
    isObject(score) ? [{ scorer, value: score['value'] }] : [],
  );
  const submissions = entries.map(({ scorer, value }, order) => {
    const score = numeric(value);
    const several = isObject(value) || Array.isArray(value);
    return makeSubmission(
      { execution_id: null, order, gradable: score !== null || several, score, scale: 'test' },
      {
        grader: scorer,
        flags: several ? Object.entries(value).map(([name, one]) => `value:${name}=${flat(one)}`) : [],
      },
    );
  });
  const [only, ...others] = entries;
  return { submissions, resolved: only === undefined || others.length > 0 ? null : verdict(only.value) };
}

function oldScore(sample: JsonObject): JsonObject {
  return isObject(sample['score']) ? { score: sample['score'] } : {};
}

function numeric(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' && Object.hasOwn(MARKS, value)) return MARKS[value] ?? null;
  return asNumber(value);
}

function verdict(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 0) return value === 1;
  return typeof value === 'string' && Object.hasOwn(VERDICTS, value) ? (VERDICTS[value] ?? null) : null;
}

function flat(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
