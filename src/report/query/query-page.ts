import type { QueryPageData } from '../../browser/query/data.js';
import { renderPage } from '../html/page.js';
import type { QueryLimits } from './query-job.js';
import { namedQuestions } from './question-files.js';
import { QUERY_VIEWS } from './view-list.js';

/** The page that asks: named questions, the columns of every view, and an editor. It holds nothing of a corpus. */
export function queryPage({ limits }: { readonly limits: QueryLimits }): string {
  const data: QueryPageData = {
    questions: namedQuestions(),
    views: QUERY_VIEWS.map(({ name, doc, columns }) => ({
      name,
      doc,
      columns: columns.map(({ name: column, type, doc: meaning }) => ({ name: column, type, doc: meaning })),
    })),
    seconds: limits.seconds,
    rows: limits.rows,
  };
  return renderPage({
    name: 'query',
    title: 'Query: trajmill',
    data,
    body: '<div id="app"><noscript>This page needs its script: use trajmill query.</noscript></div>',
    connect: 'self',
  });
}
