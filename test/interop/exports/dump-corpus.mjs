// Every row of every table of a corpus as JSON lines, read by the package itself, for the checks in Python:
//   node dump-corpus.mjs CORPUS OUT
import { createWriteStream, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , corpus, out] = process.argv;
const dist = resolve(import.meta.dirname, '../../../dist');
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const { readManifest, readShard, TABLES } = await load('index.js');

const plain = (value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
const { manifest } = await readManifest(corpus);
mkdirSync(out, { recursive: true });
const streams = new Map();
for (const file of manifest.files) {
  const name = `${file.table}-${file.split}`;
  const stream = streams.get(name) ?? createWriteStream(join(out, `${name}.jsonl`));
  streams.set(name, stream);
  for await (const row of readShard(join(corpus, file.path), TABLES[file.table])) {
    const values = Object.entries(row).map(([key, value]) => [key, plain(value)]);
    stream.write(`${JSON.stringify(Object.fromEntries(values))}\n`);
  }
}
for (const stream of streams.values()) stream.end();
