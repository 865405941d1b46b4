import { describe, expect, it } from 'vitest';
import { PAGES } from './pages.js';

interface Generator {
  generatedBlocks(sources: unknown): ReadonlyMap<string, string>;
  fillPage(text: string, blocks: ReadonlyMap<string, string>): { text: string; used: string[] };
}

interface SourceReader {
  docsSources(load: (path: string) => Promise<unknown>): Promise<Record<string, unknown>>;
}

const scripts = new URL('../../scripts/docs/', import.meta.url);
const load = (url: URL): Promise<unknown> => import(/* @vite-ignore */ url.href);

const { generatedBlocks, fillPage } = (await load(new URL('blocks.mjs', scripts))) as Generator;
const { docsSources } = (await load(new URL('sources.mjs', scripts))) as SourceReader;
const sources = await docsSources((path) => load(new URL(`../../src/${path}.ts`, import.meta.url)));
const blocks = generatedBlocks(sources);

describe('generated parts of the docs', () => {
  it.each(PAGES)('of $path are current (else: npm run generate)', ({ text }) => {
    expect(fillPage(text, blocks).text).toBe(text);
  });

  it('each stand in a page', () => {
    const used = PAGES.flatMap(({ text }) => fillPage(text, blocks).used);
    expect([...used].sort()).toEqual([...blocks.keys()].sort());
  });

  it('hold every key, code and command', () => {
    expect(blocks.get('pipeline-keys')).toContain(
      '| `selection.degradation.threshold` | number | required |',
    );
    expect(blocks.get('pipeline-keys')).toContain(
      '| `strategy` | `follow`, `preserve`, `split`, `reject` | `split` |',
    );
    expect(blocks.get('commands')).toContain('### trajmill verify');
    for (const name of Object.keys(sources['rejectCodes'] as object)) {
      expect(blocks.get('reject-codes')).toContain(`| \`${name}\` |`);
    }
    for (const text of blocks.values()) expect(text).not.toMatch(/undefined|\[object Object\]/);
  });

  it('leave no cell of a table open', () => {
    for (const [name, text] of blocks) {
      const rows = text.split('\n').filter((line) => line.startsWith('|'));
      const widths = new Set(rows.map((row) => row.replaceAll('\\|', '').split('|').length));
      expect(widths.size, name).toBeLessThanOrEqual(1);
    }
  });
});

describe('a page', () => {
  it('with an unknown part is refused', () => {
    const text = '<!-- generated: nothing -->\n<!-- end of generated -->';
    expect(() => fillPage(text, blocks)).toThrow('nothing');
  });

  it('is filled in twice the same', () => {
    const text = 'a\n<!-- generated: rewards -->\nold\n<!-- end of generated -->\nb\n';
    const once = fillPage(text, blocks).text;
    expect(once).toContain('| `gold` | 1.8 | 2 | 2.2 |');
    expect(fillPage(once, blocks).text).toBe(once);
  });
});
