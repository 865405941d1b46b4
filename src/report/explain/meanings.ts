import { LOG_FLAGS } from '../../formats/log-flags.js';
import { TASK_FLAGS } from '../../grading/resolve.js';
import { REJECT_CODES } from '../../logs/reject.js';
import { DUPLICATE_REASONS, FILTER_REASONS } from '../../selection/decision.js';
import { SELECTION_FLAGS } from '../../selection/flags.js';
import { WINDOW_FLAGS } from '../../windows/flags.js';

const MEANINGS: readonly Readonly<Record<string, string>>[] = [
  FILTER_REASONS,
  DUPLICATE_REASONS,
  REJECT_CODES,
  WINDOW_FLAGS,
  SELECTION_FLAGS,
  TASK_FLAGS,
  LOG_FLAGS,
];

/** What a flag, filter reason, duplicate reason or reject code means; null for one that is nowhere described. */
export function meaningOf(name: string): string | null {
  // a flag with a value is `name:value`
  const plain = name.split(':')[0] ?? name;
  const table = MEANINGS.find((meanings) => Object.hasOwn(meanings, plain));
  return table?.[plain] ?? null;
}
