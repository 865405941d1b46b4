import { beforeAll, describe, expect, it } from 'vitest';
import { BpeEncoder } from '../../src/tokens/bpe/bpe-encoder.js';
import { compileTables } from '../../src/tokens/bpe/compile-tables.js';
import { ChunkTrail, type KeptChunks } from '../../src/tokens/chunk-trail.js';
import type { SpecialHandling, TokenSink } from '../../src/tokens/encoder.js';
import { readTokenizerFile, resolveTokenizer } from '../../src/tokens/tokenizer-file.js';
import { lineTexts } from './line-texts.js';
import { FAST_TOKENIZERS } from './tokenizers.js';

/** Makes encoders that share their tables and remember nothing of each other. */
function engineMaker(path: string): () => BpeEncoder {
  const file = readTokenizerFile(path);
  const compiled = compileTables(file.json);
  if ('refusal' in compiled) throw new Error(compiled.refusal);
  const { tables } = compiled;
  return () => new BpeEncoder(tables, file.json.addedTokens, file.sha256);
}

function idsOf(encoder: BpeEncoder, text: string, special: SpecialHandling): number[] {
  const sink = { ids: new Int32Array(16), length: 0 };
  encoder.encode(text, sink, special);
  return [...sink.ids.subarray(0, sink.length)];
}

/** The bytes and ids of entries, as they say themselves when first asked; kept for one generation. */
class Contents {
  readonly #known = new Map<number, { text: string; ids: number[] }>();
  #generation = -1;

  of(kept: KeptChunks, entry: number): { text: string; ids: number[] } | undefined {
    if (kept.generation !== this.#generation) this.#known.clear();
    this.#generation = kept.generation;
    kept.decodes(entry, (ids, view, { from, to, at, end }) => {
      const text = Buffer.from(view.buffer, view.byteOffset + at, end - at).toString('latin1');
      this.#known.set(entry, { text, ids: [...ids.subarray(from, to)] });
      return true;
    });
    return this.#known.get(entry);
  }
}

/** The bytes of ids as latin1. */
function bytesOf(encoder: BpeEncoder, ids: Int32Array): string {
  return Buffer.concat([...ids].map((id) => encoder.tokenBytes(id))).toString('latin1');
}

/** What is wrong with a trail: its chunks must follow each other, each with the ids and bytes that stand there. */
function wrongChunks(
  encoder: BpeEncoder,
  sink: TokenSink,
  contents: Contents,
): { wrong: string[]; chunks: number } {
  const known = sink.chunks?.known() ?? null;
  const wrong: string[] = [];
  let end = 0;
  known?.starts.forEach((start, k) => {
    const entry = known.entries[k] ?? -1;
    const content = contents.of(known.kept, entry);
    const ids = sink.ids.subarray(start, start + known.kept.idsOf(entry));
    const text = bytesOf(encoder, ids);
    const bytes = Buffer.from(text, 'latin1');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (start < end || start + ids.length > sink.length) wrong.push(`chunk ${k} is out of place`);
    if (content?.text !== text || text.length !== known.kept.bytesOf(entry))
      wrong.push(`bytes of chunk ${k}`);
    if (content?.ids.join() !== ids.join()) wrong.push(`ids of chunk ${k}`);
    if (!known.kept.holds(entry, sink.ids, start, view, 0)) wrong.push(`chunk ${k} does not hold its own`);
    end = start + ids.length;
  });
  return { wrong, chunks: known?.starts.length ?? 0 };
}

describe.each(FAST_TOKENIZERS)('the memory of %s', (_name, path) => {
  let fresh: () => BpeEncoder;
  let encoder: BpeEncoder;
  let texts: string[];

  beforeAll(() => {
    fresh = engineMaker(path);
    encoder = fresh();
    texts = lineTexts(
      41,
      250,
      encoder.addedTokens.map(({ content }) => content),
    );
  });

  it('changes no id, whatever was seen before', () => {
    const wrong: string[] = [];
    for (const [k, text] of texts.entries()) {
      const special = k % 2 === 0 ? 'match' : 'plain';
      const ids = idsOf(encoder, text, special);
      if (k % 10 < 2 && ids.join() !== idsOf(fresh(), text, special).join()) wrong.push(text);
    }
    // all of it again in another order, and line by line, which ends chunks elsewhere
    for (const text of [...texts].reverse()) {
      const alone = text.split(/(?<=\n)(?=[!-.0-~])/);
      const ids = alone.flatMap((line) => idsOf(encoder, line, 'match'));
      if (ids.join() !== idsOf(encoder, text, 'match').join()) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });

  it('leaves a trail of chunks with just the ids and bytes that stand there', () => {
    const sink = { ids: new Int32Array(16), length: 0, chunks: new ChunkTrail() };
    const contents = new Contents();
    let chunks = 0;
    const fresher = fresh();
    for (const [k, text] of texts.entries()) {
      sink.length = 0;
      sink.chunks.clear();
      // texts that follow each other in one sink, as pieces of a rendering do
      for (const piece of [text, texts[k >> 1] ?? '', text])
        fresher.encode(piece, sink, k % 2 === 0 ? 'plain' : 'match');
      const found = wrongChunks(fresher, sink, contents);
      expect(found.wrong).toEqual([]);
      chunks += found.chunks;
    }
    expect(chunks).toBeGreaterThan(texts.length * 5);
  });
});

describe('when the memory is full', () => {
  const make = engineMaker(resolveTokenizer('qwen3'));
  /** More different lines than there is room for. */
  const many = Array.from({ length: 140_000 }, (_, n) => `line ${n} is there\n`).join('');

  it('a trail from before says nothing more', () => {
    const encoder = make();
    const sink = { ids: new Int32Array(16), length: 0, chunks: new ChunkTrail() };
    encoder.encode(many.slice(0, 2000), sink, 'plain');
    const before = sink.chunks.known();
    expect(before?.starts.length).toBeGreaterThan(50);
    encoder.encode(many, { ids: new Int32Array(16), length: 0 }, 'plain');
    expect(before?.kept.generation).toBe(1);
    expect(sink.chunks.known()).toBeNull();
  });

  it('the ids go on as before, and the trail is of what is known then', () => {
    const encoder = make();
    const sink = { ids: new Int32Array(16), length: 0, chunks: new ChunkTrail() };
    encoder.encode(many, sink, 'plain');
    const found = wrongChunks(encoder, sink, new Contents());
    expect(found.wrong).toEqual([]);
    expect(found.chunks).toBeGreaterThan(5000);
    expect(found.chunks).toBeLessThan(20_000);
    expect(bytesOf(encoder, sink.ids.subarray(0, sink.length)) === many).toBe(true);
    // the same ids in parts that are never too many, each with a new encoder
    const lines = many.split(/(?<=\n)/);
    const parts: number[] = [];
    for (let from = 0; from < lines.length; from += 35_000) {
      for (const id of idsOf(make(), lines.slice(from, from + 35_000).join(''), 'plain')) parts.push(id);
    }
    expect(parts.length).toBe(sink.length);
    expect(parts.every((id, i) => id === sink.ids[i])).toBe(true);
  });
});
