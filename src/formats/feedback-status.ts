const TRACEBACK = 'Traceback (most recent call last):';
const FRAME = /^[ \t]*File ".*", line \d+.*$/gm;
const EXCEPTION_LINE = /^([A-Za-z_][\w.]*)(?::|$)/;

/**
 * The exception that a Python traceback in a text ends with; `type` is null where the text hides it. A traceback
 * whose head was cut off counts by its frames and exception line, as a SyntaxError prints it too. Null where the
 * text shows none. A program that prints a traceback and goes on is not told apart from one that died of it.
 */
export function pythonException(text: string): { readonly type: string | null } | null {
  const frame = [...text.matchAll(FRAME)].at(-1);
  if (frame === undefined) return text.includes(TRACEBACK) ? { type: null } : null;
  const after = text.slice(frame.index + frame[0].length).split('\n');
  // The source line and its marker are indented; the exception is the first line that is not.
  const line = after.find((candidate) => /^\S/.test(candidate));
  const type = EXCEPTION_LINE.exec(line?.trimEnd() ?? '')?.[1] ?? null;
  return text.includes(TRACEBACK) || type !== null ? { type } : null;
}
