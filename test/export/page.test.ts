import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Exporter } from '../../src/export/exporter.js';
import { EXPORTER_NAMES, EXPORTERS } from '../../src/export/exporters.js';
import { codeBlocks } from '../docs/pages.js';

const docs = new URL('../../docs/', import.meta.url);
const index = readFileSync(new URL('exports.md', docs), 'utf8');
const pageOf = (name: string): URL => new URL(`exports/${name}.md`, docs);

/** The text of each section of a page, by heading. */
function sections(text: string): Map<string, string> {
  const [, ...parts] = text.split(/^## /m);
  return new Map(parts.map((part) => [part.split('\n', 1)[0] ?? '', part]));
}

const HEADINGS: Record<Exporter['takes'], readonly string[]> = {
  tokens: ['What it writes', 'In the trainer', 'What is lost', 'Opened by'],
  messages: ['What it writes', 'In the trainer', 'What is lost', 'Opened by'],
  rl: ['What it writes', 'In the trainer', 'What one window counts', 'What is lost', 'Opened by'],
  stored: ['What it writes', 'In the trainer', 'What one window counts', 'What is lost', 'Opened by'],
};

describe('the page of an export', () => {
  it.each(EXPORTERS.map((exporter) => [exporter.name, exporter] as const))(
    '%s says what is written, how, for whom, and what opened it',
    (name, { title, files, takes }) => {
      const text = readFileSync(pageOf(name), 'utf8');
      expect(text).toMatch(new RegExp(`^# \`${name}\`: `));
      expect(title).not.toBe('');
      const parts = sections(text);
      expect([...parts.keys()]).toEqual(HEADINGS[takes]);
      for (const file of files) {
        const [path = '', columns = ''] = file.split(':');
        expect(parts.get('What it writes')).toContain(path.replace('../', ''));
        for (const [column] of columns.matchAll(/\b[a-z]+_[a-z_]+\b/g)) expect(text).toContain(column);
      }
      // blocks of language sh are run by test/docs/blocks.test.ts
      const commands = codeBlocks({ path: name, text }).filter(
        ({ language, mark }) => language === 'sh' && mark === '',
      );
      expect(commands.map((block) => block.text).join('\n')).toContain(`export out/demo --to ${name} `);
      expect(parts.get('Opened by')?.match(/^\| .+ \| .+ \|$/gm)?.length).toBeGreaterThan(1);
    },
  );

  it('of a trainer that was run names a version, a date and a suite that is there', () => {
    const runs = EXPORTER_NAMES.flatMap((name) => [
      ...readFileSync(pageOf(name), 'utf8').matchAll(/suite `([a-z-]+)`, (\d{4}-\d\d-\d\d)/g),
    ]);
    expect(runs.length).toBeGreaterThan(20);
    const suites = new URL('../interop/exports/', import.meta.url);
    for (const [, suite = ''] of runs) {
      if (suite === 'core') continue;
      expect(existsSync(new URL(`requirements-${suite}.txt`, suites)), suite).toBe(true);
      expect(existsSync(new URL(`check_${suite.replaceAll('-', '_')}.py`, suites)), suite).toBe(true);
    }
  });

  it('is in the index, and there are no others', () => {
    const pages = readdirSync(new URL('exports/', docs)).map((file) => file.replace('.md', ''));
    expect(pages.sort()).toEqual([...EXPORTER_NAMES].sort());
    for (const name of EXPORTER_NAMES) expect(index).toContain(`](exports/${name}.md)`);
  });
});
