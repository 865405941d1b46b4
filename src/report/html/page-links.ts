import { escapeHtml } from './page.js';

/** Address and words of a link to another page of the corpus. */
export type PageLink = readonly [href: string, words: string];

/** Where the server has its pages. */
export const SERVED_LINKS: readonly PageLink[] = [
  ['/', 'Report'],
  ['/query', 'Query'],
];

/** A page with links to others, which it does not know of by itself. They stand behind the link that skips them. */
export function withPageLinks(html: string, links: readonly PageLink[]): string {
  const anchors = links.map(([href, words]) => `<a href="${escapeHtml(href)}">${escapeHtml(words)}</a>`);
  const nav = `<nav class="pages" aria-label="Pages">${anchors.join('')}</nav>\n`;
  return html.replace(/<body>\n(?:<a class="skip"[^\n]*\n)?/, (start) => `${start}${nav}`);
}
