import type { RecordedOutcome } from './session-run.js';

/** What the outcome of a call is once the exit code of its command is known: a code other than 0 is an error. */
export function exitOutcome(exit_code: number | null, recorded: RecordedOutcome): RecordedOutcome {
  if (exit_code === null) return recorded;
  return { ...recorded, exit_code, status: exit_code === 0 && recorded.status !== 'error' ? 'ok' : 'error' };
}

/** The exit code that a harness printed into a result, by the first group of its pattern. */
export function printedExit(text: string, pattern: RegExp): number | null {
  const code = pattern.exec(text)?.[1];
  return code === undefined ? null : Number(code);
}

/** How Gemini CLI and Qwen Code print it, among the fields of a shell command's result. */
export const EXIT_FIELD = /^Exit Code: (-?\d+)\s*$/m;
