import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { artifactPath, describeInBrowser, openPage } from '../../browser.js';
import { temporaryFolder, trajmill, writePipeline } from '../../pipeline/child-run.js';
import { duckRows } from '../../tables/duck.js';
import { runChats, viewPage } from './chat-log.js';

const home = temporaryFolder();
const run = join(home, 'run');
afterAll(() => rmSync(home, { recursive: true, force: true }));

const textOf = async (place: Locator): Promise<string> => (await place.textContent()) ?? '';

const rowsOf = (table: string, rest = ''): Promise<Record<string, unknown>[]> =>
  duckRows(`select * from '${run}/corpus/data/${table}/*.parquet' ${rest}`);

describeInBrowser('the page of a trajectory', () => {
  /** a run with a degraded tail: its best row cuts it */
  let id = '';
  let row: Record<string, unknown> = {};
  let page = '';
  beforeAll(async () => {
    const done = await trajmill(['run', writePipeline(home), '--out', run, '--workers', '1']);
    expect(done.code, done.stderr).toBe(0);
    const submissions = `select count(*) from '${run}/corpus/data/executions/*.parquet' as execution
      where execution.trajectory_id = row.trajectory_id and submitted`;
    [row = {}] = await duckRows(
      `select * from '${run}/corpus/data/sft/*.parquet' as row where cut_turns > 0 and list_contains(rules, 'best')
       order by (${submissions}) desc, row_id`,
    );
    id = String(row['trajectory_id']);
    page = await viewPage(run, id);
  });

  it('shows windows with their outcome, trend and reward, the anchor, and the tail as cut', async () => {
    const opened = await openPage(page);
    const windows = await rowsOf('windows', `where trajectory_id = '${id}' order by window_id`);
    expect(windows.length).toBeGreaterThan(1);
    expect(await opened.page.locator('.window').count()).toBe(windows.length);
    for (const window of windows) {
      const turn = opened.page.locator(`#turn-${Number(window['turn_start'])} .window`);
      const label = await textOf(turn);
      expect(label).toContain(String(window['outcome']).replaceAll('_', ' '));
      if (window['trend'] !== null) expect(label).toContain(String(window['trend']));
      const reward = window['reward'] as number | null;
      expect(label).toContain(reward === null ? 'pays nothing' : reward.toFixed(1));
    }
    await opened.page.selectOption('#row', String(row['row_id']));
    const anchor = Number(row['anchor_turn']);
    await opened.page.locator(`#turn-${anchor} .anchor`).waitFor();
    expect(await opened.page.locator('.anchor strong').count()).toBe(1);
    expect(await opened.page.locator('.turn.cut').count()).toBe(Number(row['cut_turns']));
    expect(await opened.page.locator(`#turn-${anchor + 1}`).getAttribute('class')).toContain('cut');
    await opened.close();
  });

  it('is walked by keys alone: errors, submissions, trained turns, best, help', async () => {
    const opened = await openPage(page);
    const executions = await rowsOf('executions', `where trajectory_id = '${id}' order by "order"`);
    const feedback = (wanted: (execution: Record<string, unknown>) => boolean): string[] => [
      ...new Set(
        executions.filter(wanted).map((e) => `#turn-${Number(e['feedback_turn'] ?? e['call_turn'])}`),
      ),
    ];
    const walked = async (key: string, steps: number): Promise<string[]> => {
      await opened.page.keyboard.press('g');
      const hashes: string[] = [];
      for (let i = 0; i < steps; i++) {
        await opened.page.keyboard.press(key);
        hashes.push(await opened.page.evaluate<string>('location.hash'));
      }
      return hashes;
    };
    const submissions = feedback(({ submitted }) => submitted === true);
    expect(submissions.length).toBeGreaterThan(1);
    expect(await walked('s', submissions.length)).toEqual(submissions);
    const errors = feedback(({ status }) => ['error', 'timeout', 'infrastructure'].includes(String(status)));
    expect(await walked('e', errors.length)).toEqual(errors);
    expect(await walked('n', 2)).toEqual(['#turn-1', '#turn-2']);
    const trained = await walked('t', 2);
    for (const hash of trained) {
      expect(await opened.page.locator(`${hash} mark.trained`).count()).toBeGreaterThan(0);
    }
    const focused = await opened.page.evaluate('document.activeElement.id');
    expect(`#${focused}`).toBe(`${trained[1]}-name`);
    const best = executions.filter(({ score_test: score }) => score !== null);
    const lower = (await textOf(opened.page.locator('figcaption'))).includes('lower is better');
    const scores = best.map(({ score_test: score }) => Number(score));
    const top = best[scores.indexOf(lower ? Math.min(...scores) : Math.max(...scores))];
    expect(await walked('b', 1)).toEqual([`#turn-${Number(top?.['feedback_turn'])}`]);
    await opened.page.keyboard.press('?');
    expect(await opened.page.getByRole('dialog', { name: 'Keys and marks' }).isVisible()).toBe(true);
    await opened.page.keyboard.press('Escape');
    expect(await opened.page.getByRole('dialog').count()).toBe(0);
    await opened.close();
  });

  it('leads from a point of the score curve to its turn, by Enter as by a click', async () => {
    const opened = await openPage(page);
    const points = opened.page.locator('.point');
    expect(await points.count()).toBeGreaterThan(1);
    const hrefs = await points.evaluateAll((all) => all.map((point) => point.getAttribute('href')));
    await points.last().focus();
    await opened.page.keyboard.press('Enter');
    expect(await opened.page.evaluate<string>('location.hash')).toBe(hrefs.at(-1));
    await points.first().click();
    expect(await opened.page.evaluate<string>('location.hash')).toBe(hrefs[0]);
    expect(await opened.page.locator('.scores line.threshold').count()).toBeGreaterThan(2);
    await opened.close();
  });

  it('draws better scores higher, whichever way the metric goes', async () => {
    const scored = `select trajectory_id as id, task_id, count(score_test) as n from '${run}/corpus/data/executions/*.parquet'
      group by all having count(distinct score_test) > 1`;
    for (const [task, best] of [
      ['sample-parcel-hours', Math.min],
      ['sample-frost-damage', Math.max],
    ] as const) {
      const [found = {}] = await duckRows(
        `select id from (${scored}) where task_id = '${task}' order by n desc, id`,
      );
      const opened = await openPage(await viewPage(run, String(found['id']), `${task}.html`));
      const points = await opened.page.locator('.point').evaluateAll((all) =>
        all.flatMap((point) => {
          const score = / score (-?[\d.]+)/.exec(point.getAttribute('aria-label') ?? '')?.[1];
          return score === undefined
            ? []
            : [{ score: Number(score), y: Number(point.querySelector('circle')?.getAttribute('cy')) }];
        }),
      );
      expect(points.length).toBeGreaterThan(1);
      const top = Math.min(...points.map(({ y }) => y));
      expect(points.find(({ y }) => y === top)?.score).toBe(best(...points.map(({ score }) => score)));
      await opened.close();
    }
  });

  it('opens at the turn that its address names, and shows special tokens only when asked', async () => {
    const own = await openPage(page);
    const linked = await own.page.context().newPage();
    await linked.goto(`${pathToFileURL(page).href}#turn-5`);
    await linked.locator('#turn-5.target').waitFor();
    await linked.waitForFunction('document.activeElement.id === "turn-5-name"');
    await linked.close();
    await own.page.evaluate('location.hash = "#turn-5"');
    await own.page.locator('#turn-5.target').waitFor();
    const stop = own.page.locator('#turn-5').getByText('<|im_end|>').first();
    const shown = own.page.locator('#turn-5 .kind-template').first();
    expect(await shown.isVisible()).toBe(false);
    await own.page.getByLabel('Special tokens').check();
    expect(await shown.isVisible()).toBe(true);
    expect(await stop.isVisible()).toBe(true);
    await own.close();
  });

  it('names landmarks, and a heading for every turn', async () => {
    const opened = await openPage(page);
    for (const role of ['main', 'navigation', 'complementary', 'search', 'banner'] as const) {
      expect(await opened.page.getByRole(role).count(), role).toBeGreaterThan(0);
    }
    const turns = await opened.page.locator('.turn').count();
    expect(await opened.page.getByRole('heading', { level: 3, name: /^Turn \d+/ }).count()).toBe(turns);
    const named = await opened.page
      .getByRole('button')
      .evaluateAll((all) =>
        all.every((button) => (button.getAttribute('aria-label') ?? button.textContent ?? '').trim() !== ''),
      );
    expect(named).toBe(true);
    await opened.close();
  });

  it('says whether its words come from the log, and why not', async () => {
    const source = async (): Promise<string> => {
      const opened = await openPage(await viewPage(run, id, 'other.html'));
      const text = await textOf(opened.page.locator('.source'));
      await opened.close();
      return text;
    };
    expect(await source()).toMatch(/^Words from the source log .* hash is still/);

    const location = join(run, 'location.json');
    const kept = readFileSync(location, 'utf8');
    const { input_root: root } = JSON.parse(kept) as { input_root: string };
    const log = join(root, String(row['source_path']));
    // a copy of the inputs in which one letter of the log is another
    const moved = join(home, 'moved', String(row['source_path']));
    mkdirSync(join(moved, '..'), { recursive: true });
    for (const name of readdirSync(join(log, '..')))
      copyFileSync(join(log, '..', name), join(moved, '..', name));
    writeFileSync(moved, readFileSync(log, 'utf8').replace(/[A-Za-z]{6}/, 'Edited'));
    writeFileSync(location, JSON.stringify({ ...JSON.parse(kept), input_root: join(home, 'moved') }));
    expect(await source()).toMatch(/^Words from the tables, not from the source log: its source/);
    renameSync(location, `${location}.away`);
    expect(await source()).toContain('location.json is gone');
    renameSync(`${location}.away`, location);
    writeFileSync(location, kept);
  });

  it('names every input that has the same turns', async () => {
    const messages = [
      { role: 'user', content: 'Say it.' },
      { role: 'assistant', content: 'It.' },
    ];
    const logs = [
      { id: 'one', messages },
      { id: 'two', messages },
    ];
    const twice = await runChats(home, { name: 'twice', logs });
    const [trajectory] = await duckRows(
      `select trajectory_id from '${twice}/corpus/data/trajectories/*.parquet'`,
    );
    const opened = await openPage(await viewPage(twice, String(trajectory?.['trajectory_id'])));
    const equal = opened.page.locator('details.equal');
    await equal.locator('summary').click();
    expect(await textOf(equal)).toContain('2 inputs have these very turns');
    expect(await equal.locator('li').allTextContents()).toEqual([
      expect.stringContaining('kept'),
      expect.stringContaining('duplicate'),
    ]);
    await opened.close();
  });

  it.each(['light', 'dark'] as const)('is pictured for people, %s', async (colorScheme) => {
    const opened = await openPage(page, { colorScheme, viewport: { width: 1500, height: 1100 } });
    await opened.page.screenshot({ path: artifactPath(`view-${colorScheme}.png`) });
    expect(opened.consoleErrors).toEqual([]);
    await opened.close();
  });
});
