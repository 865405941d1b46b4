import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { POLICY_SECTION } from '../../../src/report/policy/policy-figures.js';
import { STATS_SECTIONS } from '../../../src/report/stats/corpus-stats.js';
import type { Figure } from '../../../src/report/stats/figure.js';
import { artifactPath, describeInBrowser, type OpenPage, openPage } from '../../browser.js';
import { temporaryFolder, trajmill } from '../../pipeline/child-run.js';
import { drawn, expectQuiet, figuresShown, filterBy } from './open-report.js';

const home = temporaryFolder();
const run = join(home, 'demo');
afterAll(() => rmSync(home, { recursive: true, force: true }));

describeInBrowser('the report of the sample logs', () => {
  let open: OpenPage;
  let figures: readonly Figure[] = [];
  beforeAll(async () => {
    const { code, stderr } = await trajmill(['run', 'pipelines/demo.yaml', '--out', run]);
    expect([code, stderr.match(/warning:.*/)]).toEqual([0, null]);
    figures = JSON.parse((await trajmill(['stats', run, '--json'])).stdout).figures;
    open = await openPage(join(run, 'report.html'));
    await drawn(open.page);
  });
  afterAll(async () => {
    await open.close();
  });

  it('lies beside the corpus after a run, and opens from there without a word or a request', () => {
    expectQuiet(open);
  });

  it.each([...STATS_SECTIONS, POLICY_SECTION].map(({ name }) => name))(
    'shows the figures of stats, section %s',
    async (section) => {
      const expected = figures
        .filter((figure) => figure.section === section)
        .map(({ key, figure, value, n }) => [key, figure, value, n]);
      expect(await figuresShown(open.page, section)).toEqual(expected);
    },
  );

  it('has every section of stats', () => {
    const sections = [...STATS_SECTIONS, POLICY_SECTION].map(({ name }) => name);
    expect(figures.filter(({ section }) => !sections.includes(section))).toEqual([]);
  });

  it('lists each rejected record with its source and message', async () => {
    const rejects = readFileSync(join(run, 'rejects.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rejects.length).toBeGreaterThan(1);
    for (const { code, source, message } of rejects) {
      const list = open.page.locator(`details[data-id="list-rejected/${code}"]`);
      if ((await list.getAttribute('open')) === null) await list.locator('summary').click();
      await list.locator('table').waitFor();
      const text = await list.textContent();
      expect(text).toContain(source);
      expect(text).toContain(message);
    }
  });

  it('names tokenizer and template by their hashes', async () => {
    const { body, plan_id } = JSON.parse(readFileSync(join(run, 'plan.json'), 'utf8'));
    const text = await open.page.locator('#lineage-parts').textContent();
    for (const hash of [plan_id, body.tokenizer_sha256, body.template_sha256]) expect(text).toContain(hash);
  });

  it('gives each chart a name, and a table that a disclosure opens', async () => {
    const panels = open.page.locator('article.panel:has(svg)');
    await panels.evaluateAll((all) => {
      for (const panel of all)
        (
          panel.querySelector('details:not([open]) > summary') as unknown as { click(): void } | null
        )?.click();
    });
    await expect
      .poll(() => open.page.locator('article.panel:has(svg) details:not(:has(table))').count())
      .toBe(0);
    const told = await panels.evaluateAll((all) =>
      all.map((panel) => ({
        names: [...panel.querySelectorAll('svg[role=img]')].map(
          (svg) => svg.getAttribute('aria-label')?.length ?? 0,
        ),
        caption: panel.querySelector('details caption')?.textContent?.length ?? 0,
        rows: panel.querySelectorAll('details tbody tr').length,
      })),
    );
    expect(told.length).toBeGreaterThan(14);
    for (const { names, caption, rows } of told) {
      expect(names.length).toBeGreaterThan(0);
      expect(Math.min(...names)).toBeGreaterThan(10);
      expect(caption).toBeGreaterThan(3);
      expect(rows).toBeGreaterThan(0);
    }
    expectQuiet(open);
  });

  it('has one heading for the page, headings without gaps, and landmarks with names', async () => {
    const levels = await open.page
      .locator('h1, h2, h3, h4')
      .evaluateAll((all) => all.map((heading) => Number(heading.tagName.slice(1))));
    expect(levels.filter((level) => level === 1)).toEqual([1]);
    levels.forEach((level, i) => {
      expect(level - (levels[i - 1] ?? 0)).toBeLessThanOrEqual(1);
    });
    for (const selector of ['header', 'main', 'nav[aria-label]', '[role=search][aria-label]']) {
      expect(await open.page.locator(selector).count()).toBe(1);
    }
    const unlabelled = await open.page
      .locator('select')
      .evaluateAll((all) => all.filter((select) => select.closest('label')?.textContent === '').length);
    expect(unlabelled).toBe(0);
  });

  it('says in words how much a filter leaves', async () => {
    const { page } = open;
    expect(await page.locator('#shown').getAttribute('role')).toBe('status');
    expect(await page.textContent('#shown')).toBe('Shown: 20 of 20 trajectories and 2 of 2 rejected records');
    await filterBy(page, 'task', 'sample-parcel-hours');
    expect(await page.textContent('#shown')).toBe('Shown: 5 of 20 trajectories and 0 of 2 rejected records');
    await page.click('#reset');
    await drawn(page);
    expect(await page.textContent('#shown')).toBe('Shown: 20 of 20 trajectories and 2 of 2 rejected records');
  });

  it('opens all that is closed for paper, and closes it again', async () => {
    const { page } = open;
    const closed = (): Promise<number> => page.locator('details:not([open])').count();
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = false; })');
    await expect.poll(closed).toBeGreaterThan(20);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    expect(await closed()).toBe(0);
    expect(await page.locator('details table').count()).toBeGreaterThan(20);
    await page.setViewportSize({ width: 760, height: 1000 });
    await page.screenshot({ path: artifactPath('report-print.png') });
    await page.evaluate('window.dispatchEvent(new Event("afterprint"))');
    await page.emulateMedia({ media: 'screen' });
    await expect.poll(closed).toBeGreaterThan(20);
    expectQuiet(open);
  });

  it.each([
    ['light', 1360],
    ['dark', 1360],
    ['light', 390],
    ['dark', 390],
  ] as const)('fits the window in %s at %i pixels', async (colorScheme, width) => {
    const other = await openPage(join(run, 'report.html'), { colorScheme, viewport: { width, height: 900 } });
    await drawn(other.page);
    await other.page.screenshot({ path: artifactPath(`report-${colorScheme}-${width}.png`), fullPage: true });
    expect(await other.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expectQuiet(other);
    await other.close();
  });

  it('is used by the keyboard alone', async () => {
    const other = await openPage(join(run, 'report.html'));
    const { page } = other;
    await drawn(page);
    const focused = (): Promise<string> =>
      page.evaluate('document.activeElement.id || document.activeElement.textContent');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the figures');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('main');
    // on from there: the first thing to open is the table of the first chart
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('From read to kept as a table');
    await page.keyboard.press('Enter');
    await page.locator('#funnel-chart details[open] table').waitFor();
    await page.focus('#filter-task');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    // the most frequent task comes first
    await expect.poll(() => page.inputValue('#filter-task')).toBe('sample-frost-damage');
    await drawn(page);
    expect(await page.textContent('#shown')).toBe('Shown: 7 of 20 trajectories and 1 of 2 rejected records');
    // what was open stays open, and the focus where it was
    expect(await page.locator('#funnel-chart details[open]').count()).toBe(1);
    expect(await focused()).toBe('filter-task');
    expectQuiet(other);
    await other.close();
  });
});
