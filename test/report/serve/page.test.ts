import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedQuestions } from '../../../src/report/query/question-files.js';
import { QUERY_VIEWS } from '../../../src/report/query/view-list.js';
import { type RunningServer, serveCorpus } from '../../../src/report/serve/server.js';
import { artifactPath, describeInBrowser, type OpenPage, openPage } from '../../browser.js';
import { temporaryFolder } from '../../pipeline/child-run.js';
import { corpusAt, LIMITS, makeCorpus, storedRows } from '../query/corpus.js';

describeInBrowser('the query page in a browser', () => {
  const home = temporaryFolder();
  let server: RunningServer;
  let opened: OpenPage;
  let paid = new Map<string, number>();

  beforeAll(async () => {
    const source = await corpusAt(await makeCorpus(home));
    for (const { task_id, reward } of await storedRows(source, 'windows')) {
      if (reward !== null) paid.set(String(task_id), (paid.get(String(task_id)) ?? 0) + 1);
    }
    paid = new Map([...paid].sort());
    const pages = {
      report: async () => '<!doctype html><title>Report</title><p>the report</p>',
      view: async (id: string) => `<!doctype html><title>View</title><p>${id}</p>`,
    };
    server = await serveCorpus({ pages, source, limits: { ...LIMITS, rows: 50 }, port: 0 });
    opened = await openPage(server.url.replace('/?', '/query?'));
  });
  afterAll(async () => {
    await opened.close();
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });

  const run = async (sql: string): Promise<void> => {
    await opened.page.fill('#sql', sql);
    await opened.page.click('#run');
    await opened.page.waitForSelector('#run:enabled');
  };
  const cells = (): Promise<string[][]> =>
    opened.page.$$eval('#result tbody tr', (rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
    );

  it('comes from the token, which does not stay in the address', async () => {
    expect(new URL(opened.page.url()).pathname).toBe('/query');
    expect(opened.page.url()).not.toContain('token');
    expect(await opened.page.evaluate('document.cookie')).toBe('');
    await opened.page.reload();
    expect(await opened.page.title()).toBe('Query: trajmill');
  });

  it('lists every question, and every view with its columns', async () => {
    const titles = await opened.page.$$eval('[data-question]', (items) =>
      items.map((item) => item.textContent),
    );
    expect(titles).toEqual(namedQuestions().map(({ title }) => title));
    const views = await opened.page.$$eval('[data-view]', (items) =>
      items.map((item) => item.getAttribute('data-view')),
    );
    expect(views).toEqual(QUERY_VIEWS.map(({ name }) => name));
    await opened.page.click('[data-view="windows"] summary');
    expect(await opened.page.textContent('[data-view="windows"]')).toContain('how that execution ended');
  });

  it('answers a named question with what the rows say', async () => {
    await opened.page.click('[data-question="reward-by-task"]');
    expect(await opened.page.inputValue('#sql')).toContain('FROM windows');
    await opened.page.click('#run');
    await opened.page.waitForSelector('#result table');
    const rows = await cells();
    expect(rows.map(([task, , n]) => [task, Number(n)])).toEqual([...paid]);
    expect(await opened.page.textContent('#status')).toContain(`${paid.size} rows in`);
    expect(opened.page.url()).toContain('#reward-by-task');
    await opened.page.screenshot({ path: artifactPath('query-page.png') });
    await opened.page.emulateMedia({ colorScheme: 'dark' });
    await opened.page.screenshot({ path: artifactPath('query-page-dark.png') });
  });

  it('follows an address that names another question, and says which one is in the editor', async () => {
    const { page } = opened;
    const marked = (): Promise<string[]> =>
      page.$$eval('[data-question][aria-current]', (all) => all.map((each) => each.textContent ?? ''));
    await page.evaluate('location.hash = "#splits"');
    await page.waitForSelector('#question:text-is("Splits")');
    expect(await page.inputValue('#sql')).toContain('FROM sft');
    expect(await marked()).toEqual(['Splits']);
    await page.fill('#sql', 'SELECT 1 AS one');
    expect(await page.textContent('#question')).toBe('SQL of your own');
    expect([await marked(), await page.textContent('#description')]).toEqual([[], '']);
  });

  it('gives the parameters of a question as fields', async () => {
    await opened.page.click('[data-question="longest-rows"]');
    await opened.page.fill('input[name="top"]', '2');
    await opened.page.click('#run');
    await opened.page.waitForSelector('#result tbody tr:nth-child(2):last-child');
    await run('SELECT $word AS w');
    expect(await cells()).toEqual([['NULL']]);
    await opened.page.fill('input[name="word"]', "it's");
    await opened.page.click('#run');
    await opened.page.waitForSelector('#result td:text-is("it\'s")');
  });

  it('shows a mistake in the SQL as one line that says where', async () => {
    await run('SELECT wrong FROM windows');
    expect(await opened.page.textContent('#fault')).toMatch(/^line 1, column 8: Binder Error/);
    expect(await cells()).toEqual([]);
    await run('SELECT 1 AS one');
    expect(await opened.page.textContent('#fault')).toBe('');
  });

  it('is used by the keyboard alone', async () => {
    await opened.page.focus('.skip');
    await opened.page.keyboard.press('Enter');
    await opened.page.focus('#sql');
    await opened.page.keyboard.press('ControlOrMeta+a');
    await opened.page.keyboard.type('SELECT 40 + 2 AS answer');
    await opened.page.keyboard.press('Control+Enter');
    await opened.page.waitForSelector('#result td:text-is("42")');
    await opened.page.focus('[data-question="flags"]');
    await opened.page.keyboard.press('Enter');
    expect(await opened.page.inputValue('#sql')).toContain('unnest(flags)');
    expect(await opened.page.evaluate('document.activeElement.id')).toBe('sql');
    await opened.page.keyboard.press('Tab');
    expect(await opened.page.evaluate('document.activeElement.id')).toBe('run');
  });

  it('says how many rows are behind those that it shows, and links trajectories', async () => {
    await run('SELECT range FROM range(1234)');
    expect(await cells()).toHaveLength(50);
    expect(await opened.page.textContent('#status')).toContain('The first 50 of 1,234 rows');
    await run('SELECT trajectory_id FROM sft ORDER BY ALL LIMIT 1');
    const href = await opened.page.getAttribute('#result td a', 'href');
    expect(href).toMatch(/^\/view\/[0-9a-f]{64}$/);
  });

  it('downloads the whole answer in each format', async () => {
    await opened.page.fill('#sql', 'SELECT range AS n FROM range(3000)');
    for (const format of ['csv', 'json', 'parquet']) {
      const [download] = await Promise.all([
        opened.page.waitForEvent('download'),
        opened.page.click(`[data-format="${format}"]`),
      ]);
      expect(download.suggestedFilename()).toBe(`query.${format}`);
      const bytes = await readFile(await download.path());
      if (format === 'csv') expect(bytes.toString().split('\r\n')).toHaveLength(3002);
      else if (format === 'json') expect(JSON.parse(bytes.toString())).toHaveLength(3000);
      else expect(bytes.subarray(0, 4).toString()).toBe('PAR1');
      await opened.page.waitForSelector('#run:enabled');
    }
  });

  it('stops a query', async () => {
    await opened.page.fill(
      '#sql',
      'SELECT count(*) FROM range(100000000) a, range(10000000) b WHERE a.range * b.range = -1',
    );
    await opened.page.click('#run');
    await opened.page.click('#stop');
    await opened.page.waitForSelector('#status:text-is("Stopped")');
    await run('SELECT 5 AS five');
    expect(await cells()).toEqual([['5']]);
  });

  it('shows hostile values and names as text, which loads and runs nothing', async () => {
    const hostile = [
      '<img src="http://evil.example/x" onerror="window.hit = 1">',
      '<script>window.hit = 1</script>',
      '</textarea><svg onload="window.hit = 1">',
      'javascript:window.hit=1',
    ];
    const columns = hostile.map((text) => `'${text}' AS "${text.replaceAll('"', '""')}"`).join(', ');
    const before = opened.requests.length;
    await run(`SELECT ${columns}, '${hostile[3]}' AS trajectory_id`);
    expect(await cells()).toEqual([[...hostile, hostile[3]]]);
    const heads = await opened.page.$$eval('#result th', (items) => items.map((item) => item.textContent));
    expect(heads).toEqual([...hostile, 'trajectory_id']);
    await run(`SELECT "${hostile[1]}" FROM windows`);
    expect(await opened.page.textContent('#fault')).toContain('<script>');
    expect(await opened.page.$$('#app img, #app script, #app svg, #result a')).toEqual([]);
    expect(await opened.page.evaluate("'hit' in window")).toBe(false);
    const asked = opened.requests.slice(before);
    expect(asked.every((url) => url === `http://127.0.0.1:${server.port}/api/query`)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('complained of nothing but the mistakes that were made', () => {
    expect(opened.pageErrors).toEqual([]);
    // a browser notes every answer of status 400
    expect(opened.consoleErrors.filter((text) => !/status of 400/.test(text))).toEqual([]);
    expect(
      opened.requests.every(
        (url) => url.startsWith(`http://127.0.0.1:${server.port}/`) || url.startsWith('blob:'),
      ),
    ).toBe(true);
  });
});
