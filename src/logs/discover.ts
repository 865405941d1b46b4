import { type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import fastGlob from 'fast-glob';
import { TrajmillError } from '../errors.js';
import { fileFault } from './file-fault.js';

export interface InputFile {
  /** relative to the input root, forward slashes */
  readonly path: string;
  /** 0 where it cannot be looked at: whoever opens it says why */
  readonly bytes: number;
}

export interface DiscoverRequest {
  /** files, folders or patterns; relative ones start at `cwd` */
  readonly globs: readonly string[];
  /** patterns relative to the root, absolute, or with a leading `..` from `cwd` */
  readonly ignore?: readonly string[];
  /** input root; by default the deepest folder that holds every pattern's fixed part */
  readonly root?: string | null;
  readonly cwd?: string;
}

export interface Discovered {
  /** absolute */
  readonly root: string;
  /** in order of their paths' UTF-16 code units, which no locale changes */
  readonly files: readonly InputFile[];
  /** one for each pattern that matched nothing */
  readonly warnings: readonly string[];
}

/** A pattern as its fixed folder and what follows, the latter escaped where it names one file. */
interface Pattern {
  readonly glob: string;
  readonly base: string;
  readonly rest: string;
  readonly named: boolean;
}

/** Where the fixed part of a pattern ends, at the latest. */
const GLOB_CHARACTER = /(?<!\\)[*?[{(]/;

/**
 * Finds the input files: regular files only, no dotfiles unless named, links are not followed unless named.
 *
 * @throws TrajmillError E_NO_INPUT when nothing matches, E_USAGE for a file outside a given root, E_IO for a folder that
 *   cannot be listed
 */
export async function discover(request: DiscoverRequest): Promise<Discovered> {
  const cwd = resolve(request.cwd ?? '.');
  const patterns = request.globs.map((glob) => toPattern(glob, cwd));
  if (patterns.length === 0) throw new TrajmillError('E_NO_INPUT', 'no input pattern is given');
  const root =
    request.root === undefined || request.root === null
      ? inputRoot(request.globs, cwd)
      : resolve(cwd, request.root);

  const ignore = (request.ignore ?? []).flatMap((glob) => ignorePatterns(glob, { root, cwd }));
  const found = new Map<string, number>();
  const warnings: string[] = [];
  for (const pattern of patterns) {
    const matches = await matchPattern(pattern, { root, ignore });
    if (matches.length === 0) warnings.push(`no file matches ${pattern.glob}`);
    for (const path of matches) found.set(path, sizeOf(resolve(root, path)));
  }
  if (found.size === 0) {
    throw new TrajmillError('E_NO_INPUT', `no file matches ${patterns.map((p) => p.glob).join(', ')}`);
  }
  const files = [...found].map(([path, bytes]) => ({ path, bytes }));
  files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { root, files, warnings };
}

/** What a pattern names, or null where it names nothing that can be looked at. */
function statOf(absolute: string): Stats | null {
  try {
    return statSync(absolute);
  } catch {
    return null;
  }
}

/** The deepest folder that holds the fixed part of every pattern, absolute. */
export function inputRoot(globs: readonly string[], cwd: string): string {
  return commonFolder(globs.map((glob) => toPattern(glob, cwd).base));
}

/** A file that is listed but cannot be looked at (gone, closed to us, not named in UTF-8) must not hide its neighbours. */
function sizeOf(absolute: string): number {
  return statOf(absolute)?.size ?? 0;
}

function toPattern(glob: string, cwd: string): Pattern {
  const absolute = resolve(cwd, glob);
  const stats = statOf(absolute);
  if (stats?.isFile() === true) {
    return { glob, base: dirname(absolute), rest: fastGlob.escapePath(basename(absolute)), named: true };
  }
  if (stats?.isDirectory() === true) return { glob, base: absolute, rest: '**/*', named: false };

  const slashed = toSlashes(glob);
  const magic = slashed.search(GLOB_CHARACTER);
  const split = slashed.lastIndexOf('/', magic === -1 ? undefined : magic);
  const prefix = unescapeGlob(slashed.slice(0, split + 1));
  return { glob, base: resolve(cwd, prefix), rest: slashed.slice(split + 1), named: false };
}

async function matchPattern(
  pattern: Pattern,
  options: { root: string; ignore: readonly string[] },
): Promise<string[]> {
  const { root, ignore } = options;
  const prefix = toSlashes(relative(root, pattern.base));
  if (prefix === '..' || prefix.startsWith('../') || isAbsolute(prefix)) {
    throw new TrajmillError('E_USAGE', `${pattern.glob} lies outside the input root ${root}`);
  }
  if (statSync(root, { throwIfNoEntry: false }) === undefined) return [];
  // No `stats` here: one file that cannot be found would lose its whole folder, without a word.
  const matches = fastGlob(joinGlob(prefix, pattern.rest), {
    cwd: root,
    ignore: [...ignore],
    // A named file is taken at its word: dotfile or link.
    dot: pattern.named,
    followSymbolicLinks: pattern.named,
    onlyFiles: true,
    unique: true,
  });
  // What a folder holds that cannot be listed is not known, so that it cannot be counted either.
  return matches.catch((cause: unknown) => {
    const fault = fileFault(cause);
    if (fault === null) throw cause;
    const place = (cause as NodeJS.ErrnoException).path ?? pattern.glob;
    throw new TrajmillError('E_IO', `cannot be listed: ${fault}; leave it out with inputs[].ignore`, {
      place,
      cause,
    });
  });
}

function ignorePatterns(glob: string, at: { root: string; cwd: string }): string[] {
  const slashed = toSlashes(glob);
  if (isAbsolute(glob) || slashed.startsWith('../')) {
    const pattern = toPattern(glob, at.cwd);
    return [joinGlob(toSlashes(relative(at.root, pattern.base)), pattern.rest)];
  }
  return [slashed.includes('/') ? slashed : `**/${slashed}`];
}

function commonFolder(folders: readonly string[]): string {
  const [first = sep, ...others] = folders;
  let common = first.split(sep);
  for (const folder of others) {
    const parts = folder.split(sep);
    let shared = 0;
    while (shared < common.length && shared < parts.length && common[shared] === parts[shared]) shared++;
    common = common.slice(0, shared);
  }
  const joined = common.join(sep);
  return joined === '' ? sep : joined;
}

function joinGlob(folder: string, rest: string): string {
  return folder === '' ? rest : `${fastGlob.escapePath(folder)}/${rest}`;
}

function toSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

function unescapeGlob(text: string): string {
  return text.replace(/\\([!*?|()[\]{}])/g, '$1');
}
