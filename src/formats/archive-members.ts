import type { ReadLimits } from '../logs/limits.js';
import { RejectError } from '../logs/reject.js';
import type { TarMember } from '../logs/tar.js';
import { removeUnpacked, unpackFolder, unpackMembers } from '../logs/unpack-members.js';
import type { Place } from './adapter.js';
import { type ReadResult, rejectResult } from './record.js';

/** What stands between the path of an archive and that of a member in it. */
export const MEMBER_MARK = '!';

/**
 * Everything that the files of an archive hold, each read as a file of its own whose path is `archive!member`; the
 * members beside it are its companions. An archive that is damaged, unsafe or above a limit yields one reject.
 */
export async function* readMembers(request: {
  /** of the archive, relative to the input root */
  readonly path: string;
  readonly members: AsyncIterable<TarMember>;
  readonly limits: ReadLimits;
  readonly place: () => Promise<Place>;
  readonly read: (root: string, path: string) => AsyncGenerator<ReadResult>;
}): AsyncGenerator<ReadResult> {
  const root = unpackFolder();
  try {
    const unpacked = await unpackMembers(root, request.members, request.limits);
    if (unpacked.names.length === 0) throw new RejectError('bad_archive', 'an archive without files');
    for (const name of unpacked.names) {
      for await (const result of request.read(root, name)) yield inArchive(request.path, result);
    }
  } catch (error) {
    if (!(error instanceof RejectError)) throw error;
    yield rejectResult(error, { place: await request.place(), stage: 'read' });
  } finally {
    removeUnpacked(root);
  }
}

/** The result with its paths seen from outside of the archive. */
function inArchive(archive: string, result: ReadResult): ReadResult {
  const outside = (path: string): string => `${archive}${MEMBER_MARK}${path}`;
  if (result.kind === 'sidecar') {
    return { ...result, path: outside(result.path), of: outside(result.of) };
  }
  if (result.kind === 'reject') {
    return { ...result, reject: { ...result.reject, source: outside(result.reject.source) } };
  }
  const { source } = result.trajectory;
  const sidecars = source.sidecars.map((sidecar) => ({ ...sidecar, path: outside(sidecar.path) }));
  return {
    ...result,
    trajectory: { ...result.trajectory, source: { ...source, path: outside(source.path), sidecars } },
  };
}
