import type { ViewData } from '../../browser/view/data.js';
import { type ExplainedCorpus, explainTrajectory, tablesOf } from '../explain/explain-trajectory.js';
import { rowsNamed } from '../explain/stored-rows.js';
import { escapeHtml, renderPage } from '../html/page.js';
import { type Engines, openEngines } from './engines.js';
import { TokenIndex } from './token-index.js';
import { viewData } from './view-data.js';

/** A corpus made ready for pages: one column of its token tables was read, and its tokenizer opened. */
export interface ViewCorpus {
  readonly of: ExplainedCorpus;
  readonly index: TokenIndex;
  readonly engines: Engines;
}

export async function openView(of: ExplainedCorpus): Promise<ViewCorpus> {
  return { of, index: await TokenIndex.open(of.corpus, of.manifest), engines: openEngines(of) };
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
export async function readViewData({ of, index, engines }: ViewCorpus, id: string): Promise<ViewData> {
  const named = await rowsNamed(tablesOf(of), id);
  const reading = await explainTrajectory(of, { named, id });
  return viewData({ reading, engines, sft: await index.sft(id), rl: await index.rl(id) });
}
