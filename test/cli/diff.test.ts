import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DiffData } from '../../src/browser/diff/data.js';
import { artifactPath, describeInBrowser, openPage } from '../browser.js';
import { temporaryFolder, trajmill, writePipeline } from '../pipeline/child-run.js';
import { referenceTokenizer } from '../report/view/independent-marks.js';
import { duckRows } from '../tables/duck.js';
import { cli } from './harness.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The sample logs as usual, with another mask policy, and with another selection. */
const RUNS: Readonly<Record<string, (pipeline: string) => string>> = {
  a: (text) => text,
  policy: (text) => `${text}\nmask: {policy: trl}\n`,
  selection: (text) => text.replace('threshold: 0.05', 'threshold: 50').replace('median', 'silver'),
};

beforeAll(async () => {
  for (const [name, change] of Object.entries(RUNS)) {
    mkdirSync(join(home, `${name}-pipeline`));
    const pipeline = writePipeline(join(home, `${name}-pipeline`), change);
    const done = await trajmill(['run', pipeline, '--out', join(home, name), '--workers', '1']);
    expect(done.code, done.stderr).toBe(0);
  }
});

async function diff(...args: readonly string[]): Promise<DiffData> {
  const { code, out, err } = await cli(['diff', ...args, '--json'], { cwd: home });
  expect(code, err).toBe(0);
  return JSON.parse(out) as DiffData;
}

interface Masked {
  readonly id: string;
  readonly ids: number[];
  readonly mask: number[];
}

async function masked(dir: string, table: 'sft' | 'rl'): Promise<Map<string, Masked>> {
  const key = table === 'sft' ? 'row_id' : 'sequence_id';
  const rows = await duckRows(
    `select ${key} as id, input_ids as ids, loss_mask as mask from '${home}/${dir}/corpus/data/${table}/*.parquet'`,
  );
  return new Map((rows as unknown as Masked[]).map((row) => [row.id, row]));
}

describe('diff', () => {
  it('finds nothing between a corpus and itself', async () => {
    expect(await diff('a', 'a/corpus')).toMatchObject({ settings: [], trajectories: [], left_out: 0 });
  });

  it.each(['sft', 'rl'] as const)('tells of table %s the very tokens whose mask differs', async (table) => {
    const tokenizer = referenceTokenizer('qwen3');
    const [left, right] = [await masked('a', table), await masked('policy', table)];
    const expected = new Map<string, string[]>();
    for (const [id, { ids, mask }] of left) {
      const other = right.get(id);
      expect(other?.ids).toEqual(ids);
      const texts = ids.flatMap((token, i) =>
        mask[i] === other?.mask[i]
          ? []
          : [`${tokenizer.decode([token], { skip_special_tokens: false })} ${mask[i]}->${other?.mask[i]}`],
      );
      if (texts.length > 0) expected.set(id, texts);
    }
    const { trajectories, settings } = await diff('a', 'policy');
    expect(settings).toEqual([{ path: 'config.mask.policy', a: '"sampled"', b: '"trl"' }]);
    const told = new Map<string, string[]>();
    for (const row of trajectories.flatMap(({ rows }) => rows).filter((each) => each.table === table)) {
      const spans = row.turns.flatMap(({ segments }) =>
        segments.flatMap(({ a, b, text }) =>
          a === b ? [] : [`${text} ${Number(a === 'trained')}->${Number(b === 'trained')}`],
        ),
      );
      told.set(row.a?.id ?? '', spans);
    }
    expect([...told.keys()].sort()).toEqual([...expected.keys()].sort());
    // a span may hold several tokens: what is compared is the text
    const joined = (texts: readonly string[] | undefined): string =>
      (texts ?? []).map((text) => text.replace(/ \d->\d$/s, '')).join('');
    for (const [id, texts] of expected) expect(joined(told.get(id)), id).toBe(joined(texts));
    const flips = new Set([...told.values()].flat().map((text) => / (\d->\d)$/s.exec(text)?.[1]));
    expect(flips).toEqual(new Set(['0->1']));
  });

  it('pairs rows whose prefix ends elsewhere, and names rows and turns of one side', async () => {
    const { trajectories } = await diff('a', 'selection');
    const rows = trajectories.flatMap((each) => each.rows);
    const moved = rows.filter(({ a, b }) => a !== null && b !== null && a.anchor !== b.anchor);
    expect(moved.length).toBeGreaterThan(0);
    for (const { a, b, only_a, only_b } of moved) {
      const shorter = (a?.anchor ?? 0) < (b?.anchor ?? 0) ? only_a : only_b;
      expect(shorter).toEqual([]);
      expect(only_a.length + only_b.length).toBe(Math.abs((a?.anchor ?? 0) - (b?.anchor ?? 0)));
    }
    expect(rows.some(({ a, b }) => a !== null && b === null)).toBe(true);
    expect(trajectories.some(({ a, b }) => a === 'kept' && b.startsWith('filtered'))).toBe(true);
  });

  it('prints for people, one line a kind of difference, and for one trajectory where asked', async () => {
    const { code, out } = await cli(['diff', 'a', 'policy'], { cwd: home });
    expect(code).toBe(0);
    expect(out).toMatch(/separator +"\\n": masked -> trained, turns /);
    const { trajectories } = await diff('a', 'policy');
    const id = trajectories[1]?.trajectory_id ?? '';
    const one = await diff('a', 'policy', id.slice(0, 12));
    expect(one.trajectories).toEqual([trajectories[1]]);
    const limited = await diff('a', 'policy', '--limit', '2');
    expect(limited.trajectories.length + limited.left_out).toBe(trajectories.length);
    const nothing = await cli(['diff', 'a', 'policy', 'zzzz'], { cwd: home });
    expect([nothing.code, nothing.out]).toEqual([2, '']);
  });
});

describeInBrowser('the page of a difference', () => {
  it('sets both sides beside each other, differences framed, and loads nothing', async () => {
    const written = await trajmill([
      'diff',
      join(home, 'a'),
      join(home, 'policy'),
      '--html',
      join(home, 'd.html'),
    ]);
    expect(written.code, written.stderr).toBe(0);
    expect(readFileSync(join(home, 'd.html'), 'utf8')).not.toMatch(/https?:\/\/(?!www\.w3\.org)/);
    const opened = await openPage(join(home, 'd.html'), { viewport: { width: 1500, height: 1000 } });
    const { trajectories } = await diff('a', 'policy');
    const rows = trajectories.flatMap((each) => each.rows);
    expect(await opened.page.locator('details.row').count()).toBe(rows.length);
    const first = opened.page.locator('details.row').first();
    const segments = rows[0]?.turns.flatMap((turn) => turn.segments).filter(({ a, b }) => a !== b) ?? [];
    await first.locator('.differs').first().waitFor();
    // each stands on both sides
    expect(await first.locator('.differs').count()).toBe(2 * segments.length);
    expect(await first.locator('mark.trained.differs').count()).toBe(segments.length);
    expect(await first.getByText('separator masked').count()).toBe(
      segments.filter(({ part, a }) => part === 'separator' && a === 'masked').length,
    );
    await opened.page.screenshot({ path: artifactPath('diff.png') });
    expect(await opened.page.locator('.one-sided').count()).toBe(0);
    expect([opened.consoleErrors, opened.pageErrors, opened.requests]).toEqual([[], [], []]);
    await opened.close();
  });

  it('says of a row that one side does not have which side has it', async () => {
    const path = join(home, 'selection.html');
    const written = await trajmill(['diff', join(home, 'a'), join(home, 'selection'), '--html', path]);
    expect(written.code, written.stderr).toBe(0);
    const rows = (await diff('a', 'selection')).trajectories.flatMap((each) => each.rows);
    const expected = rows.flatMap(({ a, b }) =>
      a === null ? ['only in B'] : b === null ? ['only in A'] : [],
    );
    expect(expected.length).toBeGreaterThan(0);
    const opened = await openPage(path);
    const told = await opened.page.locator('.one-sided').allTextContents();
    expect(told.map((text) => /only in [AB]/.exec(text)?.[0])).toEqual(expected);
    expect(await opened.page.locator('details.row').count()).toBe(rows.length - expected.length);
    await opened.close();
  });
});
