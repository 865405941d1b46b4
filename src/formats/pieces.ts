import { RejectError } from '../logs/reject.js';
import type { ReadContext } from './adapter.js';

/** Reads one piece of a file of many (a row, a sample): a fault refuses that piece alone, named by its path. */
export function readPiece<T>(context: ReadContext, path: string, read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    const message = error.message.startsWith(path) ? error.message : `${path}: ${error.message}`;
    context.refuse(new RejectError(error.code, message));
    return [];
  }
}
