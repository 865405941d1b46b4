import { gzipSync } from 'fflate';
import type { HashedFile } from '../tables/hashed-file.js';
import type { ExportSink, WrittenFile } from './export-sink.js';
import type { TokenExporter, TokenSource } from './exporter.js';

/** Tokens of a part: 1 GiB of ids. */
const PART_TOKENS = 2 ** 28;

type Raw = { file: HashedFile; done: (sha256: string) => Omit<WrittenFile, 'path'> };

/** One part: ids and mask as headerless arrays, and where documents start and end, in tokens of the part. */
class Part {
  readonly #ids: Raw;
  readonly #mask: Raw;
  readonly #bounds: string[] = [];
  tokens = 0;

  constructor(ids: Raw, mask: Raw) {
    this.#ids = ids;
    this.#mask = mask;
  }

  static async open(sink: ExportSink, index: number): Promise<Part> {
    const number = partNumber(index);
    return new Part(
      await sink.raw(`token_ids_part_${number}.npy`),
      await sink.raw(`labels_mask_part_${number}.npy`),
    );
  }

  async append({ input_ids, loss_mask }: TokenSource, eos: number | null): Promise<void> {
    const length = input_ids.length + (eos === null ? 0 : 1);
    const ids = new Int32Array(length);
    ids.set(input_ids);
    const mask = new Int8Array(length);
    mask.set(loss_mask);
    if (eos !== null) ids[length - 1] = eos;
    await this.#ids.file.write(new Uint8Array(ids.buffer));
    await this.#mask.file.write(new Uint8Array(mask.buffer));
    this.#bounds.push(`${this.tokens},${this.tokens + length}\n`);
    this.tokens += length;
  }

  async close(sink: ExportSink, index: number): Promise<void> {
    this.#ids.done(await this.#ids.file.close());
    this.#mask.done(await this.#mask.file.close());
    const { file, done } = await sink.raw(`token_ids_part_${partNumber(index)}.csv.gz`);
    await file.write(gzipSync(Buffer.from(this.#bounds.join(''), 'latin1'), { mtime: 0 }));
    done(await file.close());
  }
}

const partNumber = (index: number): string => String(index).padStart(4, '0');

/** Rows in parts of about so many tokens; a row is never cut. */
export async function writeParts(
  rows: AsyncIterable<TokenSource>,
  {
    sink,
    eosToken,
    partTokens = PART_TOKENS,
  }: { sink: ExportSink; eosToken: number | null; partTokens?: number },
): Promise<{ parts: number }> {
  let index = 0;
  let part = await Part.open(sink, index);
  for await (const row of rows) {
    if (part.tokens > 0 && part.tokens + row.input_ids.length > partTokens) {
      await part.close(sink, index);
      part = await Part.open(sink, ++index);
    }
    await part.append(row, eosToken);
  }
  await part.close(sink, index);
  return { parts: index + 1 };
}

export const OLMO_CORE: TokenExporter = {
  name: 'olmo-core',
  title: 'OLMo-core, numpy shards',
  takes: 'tokens',
  files: [
    'token_ids_part_0000.npy: uint32, no header',
    'labels_mask_part_0000.npy: bool, no header, of token i itself',
    'token_ids_part_0000.csv.gz: start,end of each row',
  ],
  takesOptions: ['eosToken'],
  notes: [
    'The arrays are what numpy.memmap reads, not what numpy.load reads. dtype is uint32, whatever the vocabulary: say ' +
      'so, since OLMo-core takes uint16 for a vocabulary that fits.',
    'OLMo-core finds documents in local files by the EOS id of its tokenizer. Where the template ends rows with ' +
      'another token, --eos-token ID puts it after each row, untrained.',
  ],
  export: (rows, { sink, options }) => writeParts(rows, { sink, eosToken: options.eosToken }),
};
