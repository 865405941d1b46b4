import type { ViewData } from '../../browser/view/data.js';
import type { Reject } from '../../logs/reject.js';
import { type ExplainedCorpus, explainTrajectory, tablesOf } from '../explain/explain-trajectory.js';
import { inputsOfTrajectory, rejectLines } from '../explain/stored-rows.js';
import { escapeHtml, renderPage } from '../html/page.js';
import { RowIndex } from '../row-index.js';
import { type Engines, openEngines } from './engines.js';
import { viewData } from './view-data.js';

/** A corpus made ready for pages: one column of its tables and its rejects were read, and its tokenizer opened. */
export interface ViewCorpus {
  readonly of: ExplainedCorpus;
  readonly index: RowIndex;
  /** rejects of trajectories, by their id */
  readonly rejects: ReadonlyMap<string, readonly Reject[]>;
  readonly engines: Engines;
}

export async function openView(of: ExplainedCorpus): Promise<ViewCorpus> {
  const [index, rejects] = [await RowIndex.open(of.corpus, of.manifest), await rejectsById(of)];
  return { of, index, rejects, engines: openEngines(of) };
}

async function rejectsById(of: ExplainedCorpus): Promise<Map<string, Reject[]>> {
  const found = new Map<string, Reject[]>();
  const { rejects } = tablesOf(of);
  for await (const reject of rejects === null ? [] : rejectLines(rejects)) {
    const { trajectory_id: id } = reject;
    if (id !== null) found.set(id, [...(found.get(id) ?? []), reject]);
  }
  return found;
}

/**
 * The page of one trajectory, self-contained; `id` is its whole trajectory_id. Throws TrajmillError E_USAGE where the
 * corpus has no such trajectory.
 */
export async function buildViewPage(view: ViewCorpus, id: string): Promise<string> {
  const data = await readViewData(view, id);
  const name = data.trajectory_id.slice(0, 12);
  return renderPage({
    name: 'view',
    title: `${name} · ${data.task ?? 'unknown task'} · trajmill`,
    data,
    body: [
      '<a class="skip" href="#turns">To the turns</a>',
      '<div id="app">',
      `<h1>Trajectory ${escapeHtml(name)}</h1>`,
      '<noscript><p>The turns are shown by a script of this page. It needs no network.</p></noscript>',
      '</div>',
    ].join('\n'),
  });
}

/** What such a page carries. */
export async function readViewData(view: ViewCorpus, id: string): Promise<ViewData> {
  const { of, index, engines } = view;
  const trajectories = await inputsOfTrajectory(of, { id, index });
  const named = { trajectories, rejects: view.rejects.get(id) ?? [] };
  const reading = await explainTrajectory(of, { named, id, index });
  return viewData({ reading, engines, sft: await index.sft(id), rl: await index.rl(id) });
}
