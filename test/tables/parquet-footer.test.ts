import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { beforeAll, describe, expect, test } from 'vitest';
import { addKeyValues, footerBytes, splitFooter } from '../../src/tables/parquet-footer.js';
import { openShardWriter } from '../../src/tables/shard-writer.js';
import { ALL_TYPES } from './all-types.js';
import { duckRows } from './duck.js';
import { temporaryFolder } from './temporary.js';

const folder = temporaryFolder();
const path = join(folder, 'base.parquet');
let file: Uint8Array;

beforeAll(async () => {
  const writer = await openShardWriter({ path, spec: ALL_TYPES, metadata: {}, rowGroup: { maxRows: 1 } });
  for (let i = 0; i < 20; i++) {
    await writer.append({
      ...{ id: `${i}`, s: null, j: null, b: null, i32: null, i64: -i, f64: -0.5, ids: [i] },
      ...{ li32: null, li8: null, lf32: null, lf64: null, ls: ['é'] },
    });
  }
  await writer.close();
  file = readFileSync(path);
});

const metadataOf = (bytes: Uint8Array) => {
  const {
    metadata_length: _,
    key_value_metadata: keys,
    ...rest
  } = parquetMetadata(Uint8Array.from(bytes).buffer);
  return { keys: (keys ?? []).map(({ key, value }) => [key, value]), rest };
};

/** What the reader makes of a text: lone surrogates replaced, a byte order mark dropped. */
const asDecoded = (text: string) => new TextDecoder().decode(Buffer.from(text));

describe('addKeyValues', () => {
  test('adds pairs in front, however many and long, and leaves all else as it was', () => {
    const before = metadataOf(file);
    const { data, metadata } = splitFooter(file);
    const pair = fc.tuple(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.string({ unit: 'binary', maxLength: 400 }),
    );
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 40, size: 'max' }), (pairs) => {
        const added = addKeyValues(metadata, pairs);
        const after = metadataOf(Buffer.concat([data, footerBytes(added)]));
        const texts = pairs.map((each) => each.map((text) => asDecoded(text)));
        expect(after.keys).toEqual([...texts, ...before.keys]);
        expect(after.rest).toEqual(before.rest);
      }),
      { numRuns: 60 },
    );
  });

  test('gives a file that DuckDB reads', async () => {
    const { data, metadata } = splitFooter(file);
    const pairs = Array.from({ length: 20 }, (_, i) => [`k${i}`, 'v'.repeat(i * 50)] as const);
    const target = join(folder, 'more.parquet');
    writeFileSync(target, Buffer.concat([data, footerBytes(addKeyValues(metadata, pairs))]));
    const keys = await duckRows(`SELECT decode(key) AS key FROM parquet_kv_metadata('${target}')`);
    expect(keys.slice(0, 20).map((each) => each['key'])).toEqual(pairs.map(([key]) => key));
    expect(await duckRows(`SELECT sum(i64)::INT AS n FROM '${target}'`)).toEqual([{ n: -190 }]);
  });
});

describe('splitFooter', () => {
  test('refuses what does not end as a Parquet file', () => {
    for (const bytes of [new Uint8Array(0), Buffer.from('PAR1'), file.subarray(0, -1), file.subarray(-20)]) {
      expect(() => splitFooter(bytes)).toThrow('no Parquet footer');
    }
  });
});
