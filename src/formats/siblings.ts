import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { decodeText } from '../logs/json.js';
import { DEFAULT_LIMITS } from '../logs/limits.js';
import type { Sidecar } from '../trajectory/trajectory.js';
import type { Siblings } from './adapter.js';
import { type FolderListing, reportNames } from './report-places.js';

/** The files beside a log, as bytes: what a recording view of them is built on. */
export interface SiblingFolder {
  /** in order of code units, without the log itself */
  readonly names: readonly string[];
  /** null where it is missing, unreadable or above the limit */
  readBytes(name: string): Buffer | null;
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The folder on disk that holds `path` (relative to `root`). */
export function diskSiblings(root: string, path: string, limits = DEFAULT_LIMITS): SiblingFolder {
  let names: string[] = [];
  try {
    const entries = readdirSync(join(root, posix.dirname(path)), { withFileTypes: true });
    names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    names.push(...partsOnDisk(root, posix.dirname(path)));
    names.push(...reportNames(posix.dirname(path), diskListing(root)));
  } catch {
    // An unreadable folder has no companions; the log itself is opened, and reported, elsewhere.
  }
  return listedSiblings(root, path, names, limits);
}

/** Folders that lie side by side and hold parts of one run (the stages of AI-Scientist v2), each in a file of this name. */
const PART_FOLDER = /^stage_\d+_/;
const PART_FILE = 'journal.json';

/** Whether a folder with these files holds a part of a run. */
export function isPartFolder(folder: string, files: readonly string[]): boolean {
  return PART_FOLDER.test(posix.basename(folder)) && files.includes(PART_FILE);
}

/** Names, relative to a part's folder, of the other parts; `beside` are the part folders of the same parent. */
export function partNames(folder: string, beside: readonly string[]): string[] {
  if (!PART_FOLDER.test(posix.basename(folder))) return [];
  return beside.flatMap((other) => (other === folder ? [] : [`../${posix.basename(other)}/${PART_FILE}`]));
}

/** The folders of a disk, each looked into once. */
export function diskListing(root: string): FolderListing {
  const seen = new Map<string, { files: string[]; folders: string[] }>();
  const look = (folder: string): { files: string[]; folders: string[] } => {
    const known = seen.get(folder);
    if (known !== undefined) return known;
    const found = { files: [] as string[], folders: [] as string[] };
    try {
      for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
        if (entry.isFile()) found.files.push(entry.name);
        else if (entry.isDirectory()) found.folders.push(entry.name);
      }
    } catch {
      // a folder that is not there holds nothing
    }
    seen.set(folder, found);
    return found;
  };
  return { files: (folder) => look(folder).files, folders: (folder) => look(folder).folders };
}

function partsOnDisk(root: string, folder: string): string[] {
  if (!PART_FOLDER.test(posix.basename(folder))) return [];
  const parent = posix.dirname(folder);
  const folders = readdirSync(join(root, parent)).map((name) => posix.join(parent, name));
  return partNames(
    folder,
    folders.filter((other) =>
      isPartFolder(other, existsSync(join(root, other, PART_FILE)) ? [PART_FILE] : []),
    ),
  );
}

/** A list of names in order and as a set, made once for all the logs of a folder: there may be very many. */
const LISTS = new WeakMap<
  readonly string[],
  { readonly ordered: readonly string[]; readonly all: ReadonlySet<string> }
>();

function listOf(names: readonly string[]) {
  const known = LISTS.get(names);
  if (known !== undefined) return known;
  const list = { ordered: [...names].sort(byCodeUnit), all: new Set(names) };
  LISTS.set(names, list);
  return list;
}

/** A frozen list of names, so that a file which appears after planning changes nothing. */
export function listedSiblings(
  root: string,
  path: string,
  names: readonly string[],
  limits = DEFAULT_LIMITS,
): SiblingFolder {
  const own = posix.basename(path);
  const { ordered, all } = listOf(names);
  const folder = join(root, posix.dirname(path));
  let others: readonly string[] | null = null;
  return {
    // most formats never ask for them
    get names() {
      others ??= ordered.filter((name) => name !== own);
      return others;
    },
    readBytes(name) {
      if (name === own || !all.has(name)) return null;
      try {
        const file = join(folder, name);
        return statSync(file).size > limits.sidecar_bytes ? null : readFileSync(file);
      } catch {
        return null;
      }
    },
  };
}

export interface RecordingSiblings extends Siblings {
  /** what was read through it, in order of names */
  sidecars(): Sidecar[];
}

/** A view that remembers what an adapter read, with its sum; `path` is the log's own, relative to the root. */
export function recordSiblings(folder: SiblingFolder, path: string): RecordingSiblings {
  const base = posix.dirname(path);
  const read = new Map<string, Sidecar>();
  return {
    get names() {
      return folder.names;
    },
    readText(name, role = 'sidecar') {
      const bytes = folder.readBytes(name);
      if (bytes === null) return null;
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      read.set(name, { path: siblingPath(base, name), sha256, role });
      return decodeText(bytes).text;
    },
    sidecars: () => [...read.values()].sort((a, b) => byCodeUnit(a.path, b.path)),
  };
}

/** Path relative to the input root of a file named beside another. */
export function siblingPath(folder: string, name: string): string {
  return folder === '.' || folder === '' ? name : posix.normalize(`${folder}/${name}`);
}
