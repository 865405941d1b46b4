import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ReportViewer } from '../../../src/browser/report/data.js';
import type { ReportFacts } from '../../../src/report/page/report-facts.js';
import { renderReport } from '../../../src/report/page/report-page.js';
import { type OpenPage, openPage } from '../../browser.js';
import { manifestOf } from './synthetic.js';

/** Figures as [key, figure, value, n], the value to the last digit. */
export type ShownFigure = readonly [key: string, figure: string, value: number | null, n: number];

/** Waits until every part of the page has been drawn. */
export async function drawn(page: Page): Promise<void> {
  await page.waitForSelector('html[data-ready]');
}

/** Writes the page of some facts, opens it and waits for it. */
export async function openFacts(
  facts: ReportFacts,
  viewer: ReportViewer | null = null,
): Promise<OpenPage & { readonly file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'trajmill-page-'));
  const file = join(folder, 'report.html');
  writeFileSync(file, renderReport({ manifest: manifestOf(facts), plan: null }, facts, { viewer }));
  const open = await openPage(file);
  await drawn(open.page);
  const close = async (): Promise<void> => {
    await open.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...open, close, file };
}

/** Whatever the page complained of, or asked the network for. */
export function expectQuiet({ consoleErrors, pageErrors, requests }: OpenPage): void {
  expect({ consoleErrors, pageErrors, requests }).toEqual({
    consoleErrors: [],
    pageErrors: [],
    requests: [],
  });
}

/** Chooses in one of the filters, and waits for the charts. */
export async function filterBy(page: Page, name: string, value: string): Promise<void> {
  await page.selectOption(`#filter-${name}`, value);
  await drawn(page);
}

/** The figures that stand in the page under a section of the statistics. */
export async function figuresShown(page: Page, section: string): Promise<ShownFigure[]> {
  const summary = page.locator(`[data-stats="${section}"] summary`);
  if ((await summary.count()) === 0) return [];
  const details = page.locator(`[data-stats="${section}"] details`);
  if ((await details.getAttribute('open')) === null) await summary.click();
  await details.locator('table').waitFor();
  const rows = await page
    .locator(`[data-stats="${section}"] tbody tr`)
    .evaluateAll((all) =>
      all.map((row) => [
        row.children[0]?.textContent ?? '',
        row.children[1]?.textContent ?? '',
        row.children[2]?.querySelector('data')?.getAttribute('value') ?? '',
        row.children[4]?.querySelector('data')?.getAttribute('value') ?? '',
      ]),
    );
  return rows.map(([key = '', figure = '', value = '', n = '']) => [
    key,
    figure,
    value === '' ? null : Number(value),
    Number(n),
  ]);
}

/** A digest of every chart of the page, by the id of its panel. */
export async function charts(page: Page): Promise<Record<string, string>> {
  const pairs = await page
    .locator('article.panel')
    .evaluateAll((panels) =>
      panels.map((panel) => [
        panel.id,
        [...panel.querySelectorAll('svg')].map((svg) => svg.outerHTML).join(''),
      ]),
    );
  const drawnOnes = pairs.filter(([, markup]) => markup !== '');
  return Object.fromEntries(
    drawnOnes.map(([id, markup = '']) => [id, createHash('sha256').update(markup).digest('hex')]),
  );
}
