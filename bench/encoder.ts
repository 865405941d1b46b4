import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { BpeEncoder } from '../src/tokens/bpe/bpe-encoder.js';
import type { Encoder, TokenSink } from '../src/tokens/encoder.js';
import { loadEncoder, openLibraryEncoder } from '../src/tokens/load-encoder.js';
import { readTokenizerFile, resolveTokenizer } from '../src/tokens/tokenizer-file.js';
import { cheapest } from './clock.js';
import type { BenchResult, BenchRow } from './figures.js';
import { benchTexts } from './texts.js';

const TOKENIZER = 'qwen3';
const TEXT_BYTES = 6e6;
/** Runs of each engine after warming up, of which the cheapest counts; the library is too slow for more. */
const RUNS = { ours: 3, native: 3, library: 1 };
/** The figures with loading are those of a corpus of this size at the measured speeds. */
const CORPUS_MEGABYTES = 100;
const WARM_UP_TEXTS = 20;
const BATCH = 256;

/**
 * Encodes the same text with our engine, the native binding of Hugging Face tokenizers and their JavaScript library, on
 * one core: MB of UTF-8 a CPU second, and ours over the native one, without and with the time to load (for a corpus of 100 MB).
 * Ours remembers lines, so that each run has an engine that has seen none; what is remembered of the same text is told apart.
 */
export async function benchEncoder(): Promise<BenchResult> {
  // One thread for the native binding, read when it first encodes.
  process.env['RAYON_NUM_THREADS'] = '1';
  const path = resolveTokenizer(TOKENIZER);
  const texts = benchTexts(TEXT_BYTES);
  const oursLoad = await cheapest(1, () => loadEncoder({ tokenizer: TOKENIZER }));
  const nativeLoad = await cheapest(1, () => NativeTokenizer.fromFile(path));
  const loaded = loadEncoder({ tokenizer: TOKENIZER });
  if (!(loaded instanceof BpeEncoder)) throw new Error(`${TOKENIZER} has no engine of ours`);
  const unread = (): BpeEncoder => new BpeEncoder(loaded.tables, loaded.addedTokens, loaded.sha256);
  const native = NativeTokenizer.fromFile(path);
  const library = openLibraryEncoder(readTokenizerFile(path));

  const rows: BenchRow[] = [
    { what: `text (${texts.source})`, value: texts.bytes / 1e6, unit: 'MB' },
    { what: 'load, ours (proof included)', value: oursLoad, unit: 'CPU s' },
    { what: 'load, native', value: nativeLoad, unit: 'CPU s' },
  ];
  const figures: Record<string, number> = {};
  for (const [name, list] of [
    ['whole', texts.wholes],
    ['pieces', texts.pieces],
  ] as const) {
    const megabytes = list.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
    const warm = list.slice(0, WARM_UP_TEXTS);
    encodeAll(unread(), warm);
    const oursTime = await cheapest(RUNS.ours, () => encodeAll(unread(), list));
    const reader = unread();
    encodeAll(reader, list);
    const againTime = await cheapest(RUNS.ours, () => encodeAll(reader, list));
    await encodeNatively(native, warm);
    const oneByOne = await cheapest(RUNS.native, () => encodeNatively(native, list));
    const batched = await cheapest(RUNS.native, () => encodeNativeBatches(native, list));
    const nativeTime = Math.min(oneByOne, batched);
    encodeAll(library, warm);
    const libraryTime = await cheapest(RUNS.library, () => encodeAll(library, list));
    rows.push(
      { what: `${name}, ours`, value: megabytes / oursTime, unit: 'MB/CPU s' },
      { what: `${name}, ours, text that it has seen`, value: megabytes / againTime, unit: 'MB/CPU s' },
      { what: `${name}, native binding`, value: megabytes / nativeTime, unit: 'MB/CPU s' },
      { what: `${name}, @huggingface/tokenizers`, value: megabytes / libraryTime, unit: 'MB/CPU s' },
    );
    figures[`encoder_vs_native_${name}`] = nativeTime / oursTime;
    const scale = CORPUS_MEGABYTES / megabytes;
    figures[`encoder_vs_native_${name}_with_load`] =
      (nativeTime * scale + nativeLoad) / (oursTime * scale + oursLoad);
  }
  return { figures, rows };
}

function encodeAll(encoder: Encoder, texts: readonly string[]): void {
  const sink: TokenSink = { ids: new Int32Array(1 << 16), length: 0 };
  for (const text of texts) {
    sink.length = 0;
    encoder.encode(text, sink, 'match');
  }
}

async function encodeNatively(tokenizer: NativeTokenizer, texts: readonly string[]): Promise<void> {
  for (const text of texts) (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
}

async function encodeNativeBatches(tokenizer: NativeTokenizer, texts: readonly string[]): Promise<void> {
  for (let k = 0; k < texts.length; k += BATCH) {
    const encodings = await tokenizer.encodeBatch(texts.slice(k, k + BATCH), { addSpecialTokens: false });
    for (const encoding of encodings) encoding.getIds();
  }
}
