/** What the system says of one file, as opposed to faults of the whole machine (no descriptors, no memory). */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'gone since it was listed, or not named in UTF-8',
  ENOTDIR: 'gone since it was listed',
  EISDIR: 'a folder lies in its place',
  ELOOP: 'a link that leads to itself',
  ENAMETOOLONG: 'its path is too long',
  EIO: 'the disk cannot read it',
  ENXIO: 'its device is gone',
  ENODEV: 'its device is gone',
  ESTALE: 'its network folder is gone',
};

/** Why one file cannot be read, in words, or null where the error says something else. */
export function fileFault(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return FILE_FAULTS[code] ?? null;
}
