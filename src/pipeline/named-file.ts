import { readFileSync } from 'node:fs';
import { type ErrorCode, TrajmillError } from '../errors.js';

/** A name that is wrong, as opposed to a file that cannot be read. */
const WRONG_NAME: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'it is a folder',
};

/**
 * The bytes of a file that a user named.
 *
 * @throws TrajmillError `code` where the name is wrong, E_IO where the file cannot be read; the message holds `what`, the
 * name as it was given, and why
 */
export function readNamedFile(path: string, as: { what: string; named: string; code: ErrorCode }): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const mistake = WRONG_NAME[code];
    throw new TrajmillError(
      mistake === undefined ? 'E_IO' : as.code,
      `cannot read the ${as.what} ${as.named}: ${mistake ?? message}`,
      { cause },
    );
  }
}
