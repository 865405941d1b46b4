// Bundles the scripts of the pages (src/browser/<page>/main.ts) and their styles (src/browser/common/common.css, then
// src/browser/<page>/page.css) into dist/browser/<page>.js and .css: each is written into a page whole, which then needs
// nothing from outside.
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const source = fileURLToPath(new URL('../src/browser', import.meta.url));
const target = fileURLToPath(new URL('../dist/browser', import.meta.url));

const pages = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(source, entry.name, 'main.ts')))
  .map(({ name }) => name);

await mkdir(target, { recursive: true });
const common = await readFile(join(source, 'common', 'common.css'), 'utf8');
for (const page of pages) {
  await build({
    input: join(source, page, 'main.ts'),
    platform: 'browser',
    logLevel: 'warn',
    // an upgrade of the bundler must not change what the scripts may use
    transform: { target: 'es2022' },
    output: { file: join(target, `${page}.js`), format: 'iife', minify: true, comments: { legal: true } },
  });
  const style = join(source, page, 'page.css');
  const own = existsSync(style) ? await readFile(style, 'utf8') : '';
  await writeFile(join(target, `${page}.css`), `${common}\n${own}`);
}
