// Writes docs/tables.md and schemas/tables/*.json from the column specs. Needs a build: `npm run generate`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from '../dist/tables/table-docs.js';

const repository = fileURLToPath(new URL('..', import.meta.url));

for (const [path, content] of generatedFiles()) {
  const target = join(repository, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
  console.log(path);
}
