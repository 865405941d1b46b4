import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ATTEMPTS_DIR = join(dirname(fileURLToPath(import.meta.url)), 'attempts');

/** A program of attempts/, with passages replaced. Every passage must be there: a typing error is no variant. */
export function attempt(name, ...edits) {
  let code = readFileSync(join(ATTEMPTS_DIR, `${name}.py`), 'utf8').trimEnd();
  for (const [from, to] of edits) {
    if (!code.includes(from))
      throw new Error(`sample-runner: ${name}.py has no passage ${JSON.stringify(from)}`);
    code = code.replace(from, () => to);
  }
  return code;
}
