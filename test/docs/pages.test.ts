import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, PAGES, prose, repository } from './pages.js';

interface Link {
  readonly path: string;
  readonly anchor: string;
}

/** Relative links of a page, resolved against the repository. */
function linksOf(page: (typeof PAGES)[number]): Link[] {
  return [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#');
      return { path: file === '' ? page.path : join(dirname(page.path), file), anchor };
    });
}

/** Anchors as code hosts make them: lower case, no punctuation, hyphens for spaces. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('every page', () => {
  it.each(PAGES)('$path has links that lead somewhere', (page) => {
    for (const { path, anchor } of linksOf(page)) {
      const file = join(repository, path);
      expect(existsSync(file), `${page.path} links ${path}`).toBe(true);
      if (anchor === '') continue;
      expect([...anchorsOf(readFileSync(file, 'utf8'))], `${page.path} links ${path}`).toContain(anchor);
    }
  });

  it.each(PAGES)('$path speaks of the project alone', ({ text }) => {
    expect(text).not.toMatch(/(?:^|[\s"'`(=])\/(?:work|root|home|tmp|Users)\b/m);
    expect(text).not.toMatch(/registry\.npmjs|localhost|127\.0\.0\.1/);
    expect(text).not.toMatch(
      /\b(?:AI|language[- ]model|coding) (?:assistant|helper)s?\b|\bChatGPT\b|\bCopilot chat\b/i,
    );
    expect(text).not.toMatch(/\b[iI]n this session\b|\b[aA]s an AI\b|\bTODO\b|\bFIXME\b/);
  });

  it.each(PAGES)('$path has whole fences, each with a language', (page) => {
    const fences = page.text.match(/^```/gm) ?? [];
    expect(fences.length % 2).toBe(0);
    const bare = codeBlocks(page).filter(({ language }) => language === '');
    if (!page.path.startsWith('data/')) expect(bare).toEqual([]);
  });
});

describe('the README', () => {
  const readme = PAGES.find(({ path }) => path === 'README.md');

  it('leads to every page of docs, at once or by way of another', () => {
    const found = new Set<string>();
    const follow = (path: string): void => {
      const page = PAGES.find((each) => each.path === path);
      if (page === undefined || found.has(path)) return;
      found.add(path);
      for (const link of linksOf(page)) follow(link.path);
    };
    follow('README.md');
    const docs = PAGES.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    expect(docs.filter((path) => !found.has(path))).toEqual([]);
  });

  it('shows both commands before anything else', () => {
    const blocks = readme === undefined ? [] : codeBlocks(readme);
    expect(blocks.slice(0, 2).map(({ text }) => text.split('#')[0]?.trim())).toEqual([
      'npm ci && npm start',
      'npm ci && npm test',
    ]);
  });
});

describe('docs/determinism.md', () => {
  const page = PAGES.find(({ path }) => path === 'docs/determinism.md');
  const rows = [...(page?.text ?? '').matchAll(/^\| G\d+ \|.*\| \[.*\]\((.+)\) "(.+)" \|$/gm)];

  it('names a test for every guarantee, and the test is there', () => {
    expect(rows.length).toBe(page?.text.match(/^\| G\d+ /gm)?.length);
    expect(rows.length).toBeGreaterThan(10);
    for (const [, path = '', title = ''] of rows) {
      expect(readFileSync(join(repository, 'docs', path), 'utf8'), path).toContain(`'${title}'`);
    }
  });
});
