// Fills in the generated parts of docs/*.md. Needs a build: `npm run generate`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fillPage, generatedBlocks } from './docs/blocks.mjs';
import { docsSources } from './docs/sources.mjs';

const docs = new URL('../docs/', import.meta.url);
const blocks = generatedBlocks(await docsSources((path) => import(`../dist/${path}.js`)));

for (const name of readdirSync(docs)) {
  if (!name.endsWith('.md')) continue;
  const page = new URL(name, docs);
  const { text, used } = fillPage(readFileSync(page, 'utf8'), blocks);
  if (used.length === 0) continue;
  writeFileSync(page, text);
  console.log(`docs/${name}: ${used.join(', ')}`);
}
