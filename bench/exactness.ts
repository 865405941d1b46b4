import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadEncoder } from '../src/tokens/load-encoder.js';
import { readTokenizerFile, resolveTokenizer } from '../src/tokens/tokenizer-file.js';
import { hostileTexts } from '../test/tokens/hostile-text.js';
import { NativeReference } from '../test/tokens/native-encoder.js';

const BATCH_BYTES = 4e6;
const HOSTILE_SHARE = 0.4;
const PIECE_CHARACTERS = 200_000;

/**
 * `exactness.js TOKENIZER MEGABYTES [SEED] FOLDER...`: encodes every text file of the folders (logs, sources), then hostile
 * text from the seed, with our engine and with the reference, special tokens matched and plain, and counts
 * differences. Ends with code 1 if there is any.
 */
async function main(args: readonly string[]): Promise<void> {
  const [tokenizer = 'qwen3', megabytes = '10', seed = '1', ...folders] = args;
  const limit = Number(megabytes) * 1e6;
  const path = resolveTokenizer(tokenizer);
  const encoder = loadEncoder({ tokenizer, onWarning: console.warn });
  const reference = new NativeReference(path);
  const contents = readTokenizerFile(path).json.addedTokens.map((token) => token.content);
  const totals = { texts: 0, bytes: 0, tokens: 0, differences: 0 };
  const sink = { ids: new Int32Array(1 << 16), length: 0 };

  const check = async (batch: readonly string[]): Promise<void> => {
    for (const special of ['match', 'plain'] as const) {
      const expected = await reference.encode(batch, special);
      for (const [k, text] of batch.entries()) {
        sink.length = 0;
        const count = encoder.encode(text, sink, special);
        const ids = expected[k] ?? [];
        totals.tokens += count;
        if (count === ids.length && ids.every((id, i) => sink.ids[i] === id)) continue;
        if (totals.differences++ < 10) console.log(`${special}: ${JSON.stringify(text).slice(0, 200)}`);
      }
    }
  };
  const run = async (texts: Iterable<string>, bytes: number): Promise<void> => {
    let batch: string[] = [];
    let pending = 0;
    const end = totals.bytes + bytes;
    for (const text of texts) {
      const size = Buffer.byteLength(text);
      batch.push(text);
      pending += size;
      totals.bytes += size;
      totals.texts++;
      if (pending < BATCH_BYTES && totals.bytes < end) continue;
      await check(batch);
      batch = [];
      pending = 0;
      if (totals.bytes >= end) return;
    }
    await check(batch);
  };
  await run(piecesUnder(folders), limit * (1 - HOSTILE_SHARE));
  console.log(`files: ${JSON.stringify(totals)}`);
  await run(hostileTexts(Number(seed), contents), limit - totals.bytes);
  console.log(`${tokenizer} (${encoder.engine}): ${JSON.stringify(totals)}`);
  if (totals.differences > 0) process.exitCode = 1;
}

function* filesOf(folder: string): Generator<string> {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const stat = statSync(path);
    if (stat.isDirectory()) yield* filesOf(path);
    else if (/\.(md|[cm]?[jt]s|py|json|jsonl|txt|traj|log|tsv|ipynb|ya?ml)$/.test(name)) yield path;
  }
}

function* piecesUnder(folders: readonly string[]): Generator<string> {
  for (const folder of folders) {
    for (const path of filesOf(folder)) {
      const text = readFileSync(path, 'utf8');
      for (let k = 0; k < text.length; k += PIECE_CHARACTERS) yield text.slice(k, k + PIECE_CHARACTERS);
    }
  }
}

await main(process.argv.slice(2));
