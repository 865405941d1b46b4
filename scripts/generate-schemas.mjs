// Writes schemas/*.json from the zod schemas. Run after a build: npm run generate
import { mkdirSync, writeFileSync } from 'node:fs';
import { jsonSchemas } from '../dist/pipeline/json-schemas.js';

const folder = new URL('../schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
}
