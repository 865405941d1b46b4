import type { DiffData, DiffTrajectory } from '../../browser/diff/data.js';
import type { ViewData } from '../../browser/view/data.js';
import { comparableConfig } from '../../pipeline/comparable-plan.js';
import { configDifferences } from '../../pipeline/config-difference.js';
import { type CorpusDigest, type RowDigest, readDigest } from '../compare/digest.js';
import type { ExplainedCorpus } from '../explain/explain-trajectory.js';
import { openView, readViewData, type ViewCorpus } from '../view/view-page.js';
import { differs, diffTrajectory } from './diff-trajectory.js';

export interface DiffRequest {
  readonly a: DiffedCorpus;
  readonly b: DiffedCorpus;
  /** one trajectory; null for all that differ */
  readonly id: string | null;
  /** trajectories to tell in full */
  readonly limit: number;
}

export interface DiffedCorpus {
  /** as the user named it */
  readonly name: string;
  readonly of: ExplainedCorpus;
}

/** Two corpora of the same logs: rows, texts and marks that differ. */
export async function diffCorpora({ a, b, id, limit }: DiffRequest): Promise<DiffData> {
  const [left, right] = [await openView(a.of), await openView(b.of)];
  const [digestA, digestB] = [await digestOf(a.of), await digestOf(b.of)];
  const candidates = differingIds(digestA, digestB).filter((each) => id === null || each === id);
  const trajectories: DiffTrajectory[] = [];
  for (const each of candidates.slice(0, limit)) {
    const found = diffTrajectory(
      each,
      await dataOf(left, { id: each, digest: digestA }),
      await dataOf(right, { id: each, digest: digestB }),
    );
    if (differs(found)) trajectories.push(found);
  }
  const all = new Set([...digestA.trajectories.keys(), ...digestB.trajectories.keys()]);
  return {
    a: a.name,
    b: b.name,
    settings: settingsOf(a.of, b.of),
    trajectories,
    left_out: Math.max(0, candidates.length - limit),
    same: (id === null ? all.size : 1) - candidates.length,
  };
}

const digestOf = ({ corpus, manifest }: ExplainedCorpus): Promise<CorpusDigest> =>
  readDigest(corpus, manifest);

async function dataOf(
  view: ViewCorpus,
  { id, digest }: { readonly id: string; readonly digest: CorpusDigest },
): Promise<ViewData | null> {
  return digest.trajectories.has(id) ? readViewData(view, id) : null;
}

/** Trajectories that are decided otherwise, or of which a row is missing or has other ids, masks or anchors. */
function differingIds(a: CorpusDigest, b: CorpusDigest): string[] {
  const rows = new Set<string>();
  for (const table of ['sft', 'rl'] as const) {
    for (const key of new Set([...a[table].keys(), ...b[table].keys()])) {
      if (!sameDigest(a[table].get(key), b[table].get(key))) rows.add(idOfRow(key));
    }
  }
  const ids = new Set([...a.trajectories.keys(), ...b.trajectories.keys()]);
  return [...ids].filter(
    (id) => a.trajectories.get(id) !== b.trajectories.get(id) || rows.has(id.slice(0, ROW_ID_LENGTH)),
  );
}

/** Rows begin with this much of the id of their trajectory, then a dot, or a plus and the number of a copy. */
const ROW_ID_LENGTH = 32;
const idOfRow = (key: string): string => key.slice(0, ROW_ID_LENGTH);

function sameDigest(a: RowDigest | undefined, b: RowDigest | undefined): boolean {
  return a?.ids === b?.ids && a?.mask === b?.mask && a?.anchor === b?.anchor;
}

function settingsOf(a: ExplainedCorpus, b: ExplainedCorpus): DiffData['settings'] {
  if (a.run === null || b.run === null) return null;
  const said = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));
  return configDifferences(comparableConfig(a.run.plan.body), comparableConfig(b.run.plan.body)).map(
    (each) => ({ path: each.path, a: said(each.a), b: said(each.b) }),
  );
}
