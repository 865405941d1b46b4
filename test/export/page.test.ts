import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXPORTERS } from '../../src/export/exporters.js';

const page = readFileSync(new URL('../../docs/exports.md', import.meta.url), 'utf8');

/** The text below a heading of the third level. */
function section(name: string): string | undefined {
  const [, ...sections] = page.split(/^### `/m);
  return sections.find((text) => text.startsWith(`${name}\``))?.split(/^## /m)[0];
}

describe('docs/exports.md', () => {
  it.each(EXPORTERS.map((exporter) => [exporter.name, exporter] as const))(
    'tells of %s',
    (name, { files }) => {
      const text = section(name);
      expect(text).toBeDefined();
      for (const file of files) {
        const [path = '', columns = ''] = file.replace('../', '').split(':');
        expect(text).toContain(path);
        for (const [column] of columns.matchAll(/\b[a-z]+_[a-z_]+\b/g)) expect(text).toContain(column);
      }
    },
  );

  it('tells what was opened of each', () => {
    const opened = page.split('## What was opened by the real thing')[1] ?? '';
    for (const { name } of EXPORTERS) expect(opened).toContain(`\`${name}\``);
  });
});
