import { TrajmillError } from '../errors.js';
import { SERVED_LINKS, withPageLinks } from '../report/html/page-links.js';
import { buildReportPage } from '../report/page/report-page.js';
import type { Pages } from '../report/serve/pages.js';
import { buildViewPage, openView, type ViewCorpus } from '../report/view/view-page.js';
import type { OpenCorpus } from './corpus-folder.js';
import { reportSource } from './report-source.js';

const TRAJECTORY_ID = /^[0-9a-f]{64}$/;

/** Keeps what was made once: a committed corpus does not change. What failed is made again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** Report and viewer of a corpus, as the server shows them. */
export function corpusPages(corpus: OpenCorpus): Pages {
  const viewer = { pattern: 'view/{id}', ids: null };
  const linked = (html: string): string => withPageLinks(html, SERVED_LINKS);
  const report = once(async () => linked(await buildReportPage(reportSource(corpus), { viewer })));
  const opened = once<ViewCorpus>(() => openView(corpus));
  return {
    report,
    view: async (id) => {
      if (!TRAJECTORY_ID.test(id)) return null;
      try {
        return linked(await buildViewPage(await opened(), id));
      } catch (error) {
        if (error instanceof TrajmillError && error.code === 'E_USAGE') return null;
        throw error;
      }
    },
  };
}
