import type { DiffData } from '../../browser/diff/data.js';
import { renderPage } from '../html/page.js';

/** The page of a difference, self-contained. */
export function buildDiffPage(data: DiffData): string {
  return renderPage({
    name: 'diff',
    title: `${data.a} and ${data.b} · trajmill`,
    data,
    body: [
      '<a class="skip" href="#rows">To the rows</a>',
      '<div id="app"><noscript><p>The rows are shown by a script of this page. It needs no network.</p></noscript></div>',
    ].join('\n'),
  });
}
