const LINKS =
  '<nav aria-label="Pages" style="display: flex; gap: 1.25rem; padding: 0.5rem 1.25rem 0">' +
  '<a href="/">Report</a><a href="/query">Query</a></nav>\n';

/** A page with links to the others of the server, which it does not know of when it is a file. */
export function withPageLinks(html: string): string {
  return html.replace('<body>\n', `<body>\n${LINKS}`);
}
