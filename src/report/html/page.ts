import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface PageOptions {
  /** folder of src/browser whose script and style the page carries */
  readonly name: string;
  readonly title: string;
  /** what the script reads: `JSON.parse(document.getElementById('data').textContent)` */
  readonly data: unknown;
  /** markup that stands before any script has run; already escaped */
  readonly body: string;
  readonly lang?: string;
  /** where the script may send requests: nowhere, or to the page's own host */
  readonly connect?: 'none' | 'self';
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as the content of an element or of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => ESCAPES[letter] ?? letter);
}

/**
 * A value as JSON that may stand inside of a script element: no text of it can close the element or open a comment.
 * Lone surrogates stay as escapes, so that they survive UTF-8.
 */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The bundled script and style of a page. Built by scripts/bundle-browser.mjs. */
function bundled(name: string): { script: string; style: string } {
  const here = import.meta.url;
  // tests run from the source
  const folder = new URL(here.endsWith('.ts') ? '../../../dist/browser/' : '../../browser/', here);
  const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
  return { script: read(`${name}.js`), style: read(`${name}.css`) };
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * One self-contained page. Its content security policy lets run this very script and this very style and nothing
 * else: what a log says cannot run, load or send anything, even if it came through as markup.
 */
export function renderPage({ name, title, data, body, lang = 'en', connect = 'none' }: PageOptions): string {
  const { script, style } = bundled(name);
  // a closing tag inside of a string of the script would end it early
  const safeScript = script.replaceAll('</script', '<\\/script');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(safeScript)}`,
    `style-src ${hashOf(style)}`,
    // charts place their labels by style attributes
    "style-src-attr 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    ...(connect === 'self' ? ["connect-src 'self'"] : []),
  ].join('; ');
  return `<!doctype html>
<html lang="${escapeHtml(lang)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
<script type="application/json" id="data">${embedJson(data)}</script>
<script>${safeScript}</script>
</body>
</html>
`;
}
