import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TrajmillError } from '../../src/errors.js';
import { loadEncoder } from '../../src/tokens/load-encoder.js';
import { openSharedEncoder, shareEncoder } from '../../src/tokens/share-encoder.js';
import { resolveTokenizer } from '../../src/tokens/tokenizer-file.js';
import { type SmallTokenizer, smallTokenizer } from './small-tokenizer.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trajmill-tokenizer-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  mkdirSync(join(folder, name), { recursive: true });
  const path = join(folder, name, 'tokenizer.json');
  writeFileSync(path, text);
  return path;
}

function idsOf(tokenizer: string, text: string, warnings: string[] = []): number[] {
  const sink = { ids: new Int32Array(0), length: 0 };
  loadEncoder({ tokenizer, onWarning: (warning) => warnings.push(warning) }).encode(text, sink, 'match');
  return [...sink.ids.subarray(0, sink.length)];
}

function failure(action: () => unknown): TrajmillError {
  try {
    action();
  } catch (error) {
    if (error instanceof TrajmillError) return error;
  }
  throw new Error('no TrajmillError');
}

describe('a tokenizer is found', () => {
  it('by file, by folder, relative to a folder', () => {
    const path = write('own', smallTokenizer());
    expect(resolveTokenizer(path)).toBe(path);
    expect(resolveTokenizer(join(folder, 'own'))).toBe(path);
    expect(resolveTokenizer('./own', folder)).toBe(path);
  });

  it('by the name of an installed package', () => {
    expect(resolveTokenizer('qwen3')).toMatch(/tokenizer-qwen3[/\\]models[/\\]tokenizer\.json$/);
  });

  it('in the Hugging Face cache', () => {
    const blob = write('blobs', smallTokenizer());
    const model = join(folder, 'hub', 'models--owner--model');
    mkdirSync(join(model, 'refs'), { recursive: true });
    mkdirSync(join(model, 'snapshots', 'abc'), { recursive: true });
    writeFileSync(join(model, 'refs', 'main'), 'abc\n');
    symlinkSync(blob, join(model, 'snapshots', 'abc', 'tokenizer.json'));
    const before = process.env['HF_HUB_CACHE'];
    process.env['HF_HUB_CACHE'] = join(folder, 'hub');
    try {
      expect(resolveTokenizer('owner/model')).toBe(join(model, 'snapshots', 'abc', 'tokenizer.json'));
    } finally {
      if (before === undefined) delete process.env['HF_HUB_CACHE'];
      else process.env['HF_HUB_CACHE'] = before;
    }
  });

  it.each(['no-such-tokenizer', './nowhere', 'owner/unknown'])('or refused in one line: %s', (name) => {
    const error = failure(() => loadEncoder({ tokenizer: name, baseDir: folder }));
    expect(error.code).toBe('E_TOKENIZER');
    expect(error.message).toContain(`'${name}'`);
    expect(error.message).not.toContain('\n');
  });

  it.each([
    ['not JSON', '{'],
    ['no model', '{}'],
    ['model.vocab', '{"model": {"type": "BPE", "vocab": 3, "merges": []}}'],
    ['model.merges', '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a"]}}'],
    [
      'added_tokens.0.content',
      '{"added_tokens": [{"id": 1}], "model": {"type": "BPE", "vocab": {}, "merges": []}}',
    ],
  ])('and refused with its path where the file has %s', (what, text) => {
    const path = write('bad', text);
    const error = failure(() => loadEncoder({ tokenizer: path }));
    expect([error.code, error.place]).toEqual(['E_TOKENIZER', path]);
    expect(error.message).toContain(what);
  });
});

describe('the engine steps aside', () => {
  const REFUSED: ReadonlyArray<readonly [what: string, options: SmallTokenizer]> = [
    ['byte_fallback', { model: { byte_fallback: true } }],
    ['added tokens with lstrip', { added: [['<m>', { lstrip: true }]] }],
    ['added tokens with rstrip', { added: [['<m>', { rstrip: true }]] }],
    ['normalizer NFKC', { normalizer: { type: 'NFKC' } }],
  ];

  it.each(REFUSED)('by name for %s', (what, options) => {
    const warnings: string[] = [];
    const path = write('refused', smallTokenizer(options));
    idsOf(path, 'text', warnings);
    expect(warnings).toEqual([`${path}: encoding with @huggingface/tokenizers, which is slow (${what})`]);
  });

  it('for an unknown pre-tokenizer', () => {
    const json = JSON.parse(smallTokenizer());
    json.pre_tokenizer.pretokenizers[0].pattern.Regex = '\\p{L}+|\\P{L}';
    const warnings: string[] = [];
    idsOf(write('unknown', JSON.stringify(json)), 'text', warnings);
    expect(warnings[0]).toContain('(an unknown pre-tokenizer)');
  });

  it('not without need: ignore_merges, NFC and single words are its own', () => {
    const options: SmallTokenizer = {
      normalizer: { type: 'NFC' },
      added: [['wd', { single_word: true }]],
      merges: [
        ['a', 'b'],
        ['c', 'd'],
        ['ab', 'cd'],
      ],
      model: { ignore_merges: true },
    };
    const warnings: string[] = [];
    expect(idsOf(write('fine', smallTokenizer(options)), 'abcd wd xwd', warnings)).toEqual([
      258, 32, 1000, 32, 0x78, 0x77, 0x64,
    ]);
    expect(warnings).toEqual([]);
  });
});

describe('an encoder', () => {
  it('appends to what the sink holds and returns how many ids it added', () => {
    const encoder = loadEncoder({ tokenizer: 'qwen3' });
    expect(encoder.engine).toBe('bpe');
    const sink = { ids: new Int32Array(2), length: 0 };
    expect(encoder.encode('Hello', sink, 'match')).toBe(1);
    expect(encoder.encode('', sink, 'match')).toBe(0);
    expect(encoder.encode(' world<|im_end|>\n', sink, 'match')).toBe(3);
    expect([...sink.ids.subarray(0, sink.length)]).toEqual([9707, 1879, 151645, 198]);
    expect(encoder.specials.get('<|im_start|>')).toBe(151644);
    expect(encoder.specials.has('<think>')).toBe(false);
    expect(Buffer.from(encoder.tokenBytes(151667)).toString()).toBe('<think>');
    expect(encoder.normalize('e\u0301')).toBe('\u00e9');
  });

  it.each(['qwen3', 'small'])('is shared with workers by its memory or its path: %s', (name) => {
    const path =
      name === 'small' ? write('shared', smallTokenizer({ model: { byte_fallback: true } })) : name;
    const encoder = loadEncoder({ tokenizer: path });
    const share = shareEncoder(encoder);
    const twin = openSharedEncoder(structuredClone(share));
    const texts = ['def f():\n    return "\u4e2d\u6587 e\u0301"<|im_end|>', '<think>'];
    for (const text of texts) {
      const a = { ids: new Int32Array(4), length: 0 };
      const b = { ids: new Int32Array(4), length: 0 };
      encoder.encode(text, a, 'plain');
      twin.encode(text, b, 'plain');
      expect([...b.ids.subarray(0, b.length)]).toEqual([...a.ids.subarray(0, a.length)]);
    }
    expect([twin.engine, twin.sha256]).toEqual([encoder.engine, encoder.sha256]);
    if (share.engine === 'bpe') expect(share.buffer.byteLength).toBeLessThan(30e6);
  });

  it('is not opened from a file that changed since', () => {
    const path = write('changing', smallTokenizer({ model: { byte_fallback: true } }));
    const share = shareEncoder(loadEncoder({ tokenizer: path }));
    write('changing', smallTokenizer({ model: { byte_fallback: true, fuse_unk: true } }));
    expect(failure(() => openSharedEncoder(share)).code).toBe('E_INPUT_CHANGED');
  });
});
