import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { TrajmillError } from '../errors.js';

const ioError = (path: string, cause: unknown): TrajmillError =>
  new TrajmillError('E_IO', `cannot write: ${cause instanceof Error ? cause.message : String(cause)}`, {
    place: path,
    cause,
  });

/** A file written from start to end whose sha256 is known when it closes. Failures are TrajmillError E_IO. */
export class HashedFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  bytes = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Creates or empties the file; its folder must exist. */
  static async create(path: string): Promise<HashedFile> {
    try {
      return new HashedFile(path, await open(path, 'w'));
    } catch (cause) {
      throw ioError(path, cause);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.bytes += bytes.length;
    try {
      // on a handle this writes all of it at the current position
      await this.#handle.writeFile(bytes);
    } catch (cause) {
      throw ioError(this.#path, cause);
    }
  }

  /** Flushes to disk, closes, and gives the sha256 (hex) of what was written. */
  async close(): Promise<string> {
    try {
      await this.#handle.sync();
      await this.#handle.close();
    } catch (cause) {
      throw ioError(this.#path, cause);
    }
    return this.#hash.digest('hex');
  }

  /** Closes and removes the file. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    await rm(this.#path, { force: true });
  }
}
