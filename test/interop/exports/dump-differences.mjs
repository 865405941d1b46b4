// What the exports of messages count as trained otherwise, row by row, for the checks in Python:
//   node dump-differences.mjs RUN OUT
// OUT holds for each export and row of `train` the tokens that the trainer trains alone, and those that our mask does.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , run, out] = process.argv;
const dist = resolve(import.meta.dirname, '../../../dist');
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const { EXPORTERS, readManifest } = await load('index.js');
const { enginesOf } = await load('cli/prove-rows.js');
const { conversations } = await load('export/sft-sources.js');
const { TokenDifference } = await load('export/token-difference.js');

const { corpus, manifest } = await readManifest(run);
const own = manifest.files.filter(({ table, split }) => table === 'sft' && split === 'train');
const paths = own.map(({ path }) => join(corpus, path));
const engines = enginesOf(run);
const found = {};
for (const exporter of EXPORTERS.filter(({ takes }) => takes === 'messages')) {
  found[exporter.name] = [];
  for await (const row of conversations(paths)) {
    const difference = new TokenDifference(exporter, engines);
    difference.add(row);
    const counts = difference.counts();
    if (counts.rows_not_counted_in_tokens > 0) throw new Error(`${exporter.name}: a row is not counted`);
    const { tokens_trained_by_the_trainer_alone: theirs, tokens_trained_by_our_mask_alone: ours } = counts;
    found[exporter.name].push([theirs, ours]);
  }
}
writeFileSync(out, JSON.stringify(found));
