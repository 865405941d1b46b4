import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';

const CANDIDATES = [
  process.env['TRAJMILL_CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executable = CANDIDATES.find((path) => path !== '' && existsSync(path)) ?? null;

const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** A page that is open in Chromium, with all it complained of and all it asked for. */
export interface OpenPage {
  readonly page: Page;
  /** errors and warnings of the console, among them breaches of the content security policy */
  readonly consoleErrors: readonly string[];
  /** exceptions that nothing caught */
  readonly pageErrors: readonly string[];
  /** every request but the one for the page itself */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

let running: Promise<Browser> | null = null;

function browser(): Promise<Browser> {
  if (executable === null) throw new Error('no Chromium was found');
  running ??= chromium.launch({ executablePath: executable, headless: true, args: SWITCHES });
  return running;
}

/** Opens a file or an http address in a fresh context. */
export async function openPage(fileOrUrl: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const url = /^https?:/.test(fileOrUrl) ? fileOrUrl : pathToFileURL(fileOrUrl).href;
  const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const consoleErrors: string[] = [];
  const pageErrors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) consoleErrors.push(message.text());
  });
  page.on('pageerror', (error) => pageErrors.push(String(error)));
  page.on('request', (request) => {
    const isPage = request.isNavigationRequest() && request.frame() === page.mainFrame();
    if (!isPage || request.url().split('#')[0] !== url.split('#')[0]) requests.push(request.url());
  });
  await page.goto(url, { waitUntil: 'load' });
  return { page, consoleErrors, pageErrors, requests, close: () => context.close() };
}

/** A suite that needs Chromium. Without one it is skipped by its name, with what to install. */
export function describeInBrowser(name: string, suite: () => void): void {
  if (executable === null) {
    console.warn(`skipped without Chromium (install it or set TRAJMILL_CHROMIUM): ${name}`);
    describe.skip(name, suite);
    return;
  }
  describe(name, () => {
    beforeAll(async () => void (await browser()));
    afterAll(async () => {
      const open = running;
      running = null;
      await (await open)?.close();
    });
    suite();
  });
}

/** Where a picture for people goes: artifacts/<name>.png, which git ignores. Nothing is asserted on it. */
export function artifactPath(name: string): string {
  const folder = fileURLToPath(new URL('../artifacts', import.meta.url));
  mkdirSync(folder, { recursive: true });
  return join(folder, name);
}
