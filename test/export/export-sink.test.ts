import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { MessageReader, type Table, tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { ExportSink, type RowFile } from '../../src/export/export-sink.js';
import type { ExportOptions, TokenSource } from '../../src/export/exporter.js';
import { LLAMA_FACTORY } from '../../src/export/llama-factory.js';
import { writeParts } from '../../src/export/olmo-core.js';
import { MESSAGES_SCHEMA, messagesRow } from '../../src/export/plain-messages.js';
import { tokenSpec } from '../../src/export/token-columns.js';
import type { TableSpec } from '../../src/tables/table-spec.js';
import { duckRows } from '../tables/duck.js';
import { newFolder } from './corpus.js';

const SPEC = tokenSpec('t', { input_ids: 'list<int32>', loss_mask: 'list<int8>' });

/** Rows of 2 tokens, the first of which is the number of the row. */
const row = (i: number) => ({ input_ids: Int32Array.of(i, 7), loss_mask: Int8Array.of(0, 1) });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

async function* sources(count: number): AsyncGenerator<TokenSource> {
  for (const i of numbers(count)) yield { row_id: String(i), ...row(i) };
}

const OPTIONS: ExportOptions = { pack: null, overlong: 'error', eosToken: null, denominator: 'window' };

function schemasIn(stream: Uint8Array): number {
  const reader = new MessageReader(stream);
  let schemas = 0;
  for (const message of reader) {
    if (message.isSchema()) schemas++;
    else reader.readMessageBody(message.bodyLength);
  }
  return schemas;
}

const idsIn = async (path: string): Promise<unknown[]> =>
  (await duckRows(`SELECT input_ids[1] AS id FROM '${path}'`)).map(({ id }) => id);

describe('rows that are cut into files', () => {
  it('are each in one of them, in order, and no file is longer than it may be', async () => {
    const dir = newFolder();
    const sink = new ExportSink(dir);
    const file = sink.parquetParts(SPEC, { rows: 2, partTokens: 8 });
    for (const i of numbers(11)) await file.append(row(i));
    await file.close();
    const names = readdirSync(dir).sort();
    expect(names).toEqual(['part-00000.parquet', 'part-00001.parquet', 'part-00002.parquet']);
    const found = await Promise.all(names.map((name) => idsIn(join(dir, name))));
    expect(found).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8, 9, 10],
    ]);
    expect(sink.files.map(({ path }) => path)).toEqual(names);
    for (const { path, bytes } of sink.files) expect(readFileSync(join(dir, path)).length).toBe(bytes);
  });

  it('are small row groups, which ranks can share', async () => {
    const dir = newFolder();
    const file = new ExportSink(dir).parquetParts(SPEC);
    for (const i of numbers(600)) await file.append(row(i));
    await file.close();
    const path = join(dir, 'part-00000.parquet');
    const groups = await duckRows(
      `SELECT DISTINCT row_group_id AS id, row_group_num_rows AS n FROM parquet_metadata('${path}') ORDER BY id`,
    );
    expect(groups.map(({ n }) => Number(n))).toEqual([256, 256, 88]);
    expect(await idsIn(path)).toEqual(numbers(600));
  });

  it('of many tokens make row groups of fewer rows', async () => {
    const dir = newFolder();
    const file = new ExportSink(dir).parquetParts(SPEC);
    for (const i of numbers(3)) {
      const length = 900_000;
      await file.append({ input_ids: new Int32Array(length).fill(i), loss_mask: new Int8Array(length) });
    }
    await file.close();
    const groups = await duckRows(
      `SELECT DISTINCT row_group_id AS id, row_group_num_rows AS n FROM parquet_metadata('${join(dir, 'part-00000.parquet')}') ORDER BY id`,
    );
    expect(groups.map(({ n }) => Number(n))).toEqual([2, 1]);
  });

  it('are lines once each, also where a line is longer than what waits to be written', async () => {
    const dir = newFolder();
    const file = await new ExportSink(dir).jsonLines('a.jsonl');
    const lines = numbers(4).map((i) => ({ text: String(i).repeat(700_000) }));
    for (const line of lines) await file.append(line);
    await file.close();
    const text = readFileSync(join(dir, 'a.jsonl'), 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(lines);
  });

  it('make one Arrow stream a file, of many batches under one schema', async () => {
    const dir = newFolder();
    const file = new ExportSink(dir).arrowParts(SPEC, (index) => `data-${index}.arrow`, {
      rows: 2,
      partTokens: 12,
    });
    for (const i of numbers(8)) await file.append(row(i));
    await file.close();
    expect(readdirSync(dir).sort()).toEqual(['data-0.arrow', 'data-1.arrow']);
    const tables = ['data-0.arrow', 'data-1.arrow'].map(
      (name): Table => tableFromIPC(readFileSync(join(dir, name))),
    );
    expect(tables.map(({ batches }) => batches.length)).toEqual([3, 1]);
    // Arrow for JavaScript passes over a schema that comes again; other readers refuse the stream
    expect(schemasIn(readFileSync(join(dir, 'data-0.arrow')))).toBe(1);
    const ids = tables.flatMap((table) =>
      table.toArray().map((each) => (each as { input_ids: number[] }).input_ids),
    );
    expect(ids.map((list) => [...list][0])).toEqual(numbers(8));
  });

  it('keep messages whole over row groups', async () => {
    const dir = newFolder();
    const file = new ExportSink(dir).nestedParquetParts(MESSAGES_SCHEMA);
    for (const i of numbers(300)) {
      await file.append(messagesRow([{ role: 'user', content: `m${i}` }], i % 2 === 0 ? null : '[]'));
    }
    await file.close();
    const rows = await duckRows(
      `SELECT messages[1].content AS content, tools FROM '${join(dir, 'part-00000.parquet')}'`,
    );
    expect(rows).toEqual(numbers(300).map((i) => ({ content: `m${i}`, tools: i % 2 === 0 ? null : '[]' })));
  });

  it('are all named by what LLaMA-Factory reads beside them', async () => {
    class SmallParts extends ExportSink {
      override arrowParts(spec: TableSpec, name: (index: number) => string): RowFile {
        return super.arrowParts(spec, name, { rows: 1, partTokens: 3 });
      }
    }
    const dir = newFolder();
    await LLAMA_FACTORY.export(sources(3), { sink: new SmallParts(dir), options: OPTIONS });
    const state = JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8')) as { _data_files: object[] };
    const names = readdirSync(dir).filter((name) => name.endsWith('.arrow'));
    expect(names).toHaveLength(3);
    expect(state._data_files).toEqual(names.sort().map((filename) => ({ filename })));
  });

  it('olmo-core: each part counts from its own start', async () => {
    const dir = newFolder();
    const made = await writeParts(sources(3), { sink: new ExportSink(dir), eosToken: 9, partTokens: 5 });
    expect(made).toEqual({ parts: 2 });
    const part = (number: string) => {
      const raw = readFileSync(join(dir, `token_ids_part_${number}.npy`));
      const bounds = gunzipSync(readFileSync(join(dir, `token_ids_part_${number}.csv.gz`))).toString();
      return {
        ids: Array.from({ length: raw.length / 4 }, (_, i) => raw.readUInt32LE(4 * i)),
        mask: [...readFileSync(join(dir, `labels_mask_part_${number}.npy`))],
        bounds,
      };
    };
    expect(part('0000')).toEqual({ ids: [0, 7, 9, 1, 7, 9], mask: [0, 1, 0, 0, 1, 0], bounds: '0,3\n3,6\n' });
    expect(part('0001')).toEqual({ ids: [2, 7, 9], mask: [0, 1, 0], bounds: '0,3\n' });
  });

  it('make one file of no rows where there are none', async () => {
    const dir = newFolder();
    await new ExportSink(dir).parquetParts(SPEC).close();
    expect(existsSync(join(dir, 'part-00000.parquet'))).toBe(true);
    expect(await idsIn(join(dir, 'part-00000.parquet'))).toEqual([]);
  });
});
