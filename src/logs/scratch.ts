import { rmSync } from 'node:fs';

/** Folders of unfinished work; what they hold may be a raw log, with the credentials in it. */
const folders = new Set<string>();

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** Has a folder removed when the process ends before it is released: an interrupt may end it anywhere. */
export function holdScratch(folder: string): void {
  if (folders.size === 0) process.once('exit', removeAll);
  folders.add(folder);
}

/** The folder was removed, or is scratch no longer. */
export function releaseScratch(folder: string): void {
  folders.delete(folder);
  if (folders.size === 0) process.off('exit', removeAll);
}
