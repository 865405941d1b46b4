import { expect, it } from 'vitest';
import type { ReportFacts } from '../../../src/report/page/report-facts.js';
import { describeInBrowser } from '../../browser.js';
import { drawn, expectQuiet, openFacts } from './open-report.js';
import { syntheticFacts } from './synthetic.js';

const TASK = '<script>window.hacked = 1</script>';
const MODEL = '"><img src=x onerror="window.hacked = 2">';
const SCAFFOLD = "</script><style>*{display:none}</style><!--' onclick='window.hacked = 3";
const SOURCE = 'javascript:window.hacked=4//../../<b>logs</b>.jsonl';
const MESSAGE = '<iframe src="http://127.0.0.1:9/"></iframe>&lt;b&gt;\u202e\u0000';

/** A corpus whose every name is an attempt. */
function hostileFacts(): ReportFacts {
  const { facts, ...rest } = syntheticFacts({ trajectories: 10, tasks: 1 });
  const [record] = facts.tasks.values();
  if (record === undefined) throw new Error('no task');
  const named = <T>(rows: readonly T[]): T[] =>
    rows.map((row) => ({ ...row, task_id: TASK, model: MODEL, scaffold: SCAFFOLD, source_path: SOURCE }));
  return {
    facts: {
      ...facts,
      runs: named(facts.runs),
      trajectories: named(facts.trajectories),
      prefixes: facts.prefixes.map((row) => ({ ...row, source_path: SOURCE })),
      tasks: new Map([[TASK, { ...record, task_id: TASK, metric: MODEL, domain: TASK }]]),
    },
    trajectories: named(rest.trajectories).map((row) => ({
      ...row,
      detail: MESSAGE,
      source_format: SCAFFOLD,
      flags: [TASK, '__proto__'],
    })),
    rows: named(rest.rows),
    lengths: named(rest.lengths),
    policy: [],
    rejects: (rest.rejects ?? []).map((reject) => ({ ...reject, source: SOURCE, message: MESSAGE })),
  };
}

describeInBrowser('hostile names in the report', () => {
  it('stay text wherever they stand, and run, load and hide nothing', async () => {
    const open = await openFacts(hostileFacts());
    const { page } = open;
    const elements = (): Promise<unknown> =>
      page.evaluate(
        '["script", "style", "img", "iframe", "b"].map((tag) => document.querySelectorAll(tag).length)',
      );
    // the data, the script and the style of the page itself
    const own = [2, 1, 0, 0, 0];
    expect(await elements()).toEqual(own);
    for (const name of ['task', 'model', 'scaffold']) {
      await page.selectOption(`#filter-${name}`, { index: 1 });
      await drawn(page);
    }
    expect(await page.inputValue('#filter-task')).toBe(TASK);
    expect(await page.inputValue('#filter-model')).toBe(MODEL);
    expect(await page.inputValue('#filter-scaffold')).toBe(SCAFFOLD);
    await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
    await expect.poll(() => page.locator('details table').count()).toBeGreaterThan(20);
    const text = (await page.textContent('main')) ?? '';
    for (const name of [TASK, MODEL, SCAFFOLD, SOURCE, '<iframe src="http://127.0.0.1:9/"></iframe>']) {
      expect(text).toContain(name);
    }
    for (const panel of await page.locator('article.panel:has(svg)').all()) await panel.hover();
    expect(await elements()).toEqual(own);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('[onclick], [onerror], [href^="javascript:"]').count()).toBe(0);
    expectQuiet(open);
    await open.close();
  });

  it('could not run even as markup: the policy of the page lets its own script run alone', async () => {
    const open = await openFacts(hostileFacts());
    const { page } = open;
    const refused: string[] = [];
    page.on('requestfailed', (request) => refused.push(`${request.url()} ${request.failure()?.errorText}`));
    await page.evaluate(`
      document.body.insertAdjacentHTML('beforeend', '<img src="http://127.0.0.1:9/x.png" onerror="window.hacked = 1">');
      const script = document.createElement('script');
      script.textContent = 'window.hacked = 2';
      document.body.append(script);
      const link = document.createElement('a');
      link.href = 'javascript:window.hacked = 3';
      document.body.append(link);
      link.click();
    `);
    const fetched = await page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')");
    await page.waitForTimeout(200);
    expect(fetched).toBe('refused');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(open.consoleErrors.join('\n')).toMatch(/Content Security Policy/);
    expect(refused).toEqual(['http://127.0.0.1:9/x.png csp']);
    expect(open.requests).toEqual(['http://127.0.0.1:9/x.png']);
    await open.close();
  });
});

describeInBrowser('a trajectory in the report', () => {
  it('links to its page where there is one, and shows the command where there is none', async () => {
    const facts = syntheticFacts({ trajectories: 10 });
    const [first] = facts.trajectories.filter(({ decision }) => decision === 'filtered');
    if (first === undefined) throw new Error('nothing filtered');
    const id = first.trajectory_id;
    const open = await openFacts(facts, { pattern: 'view/{id}.html', ids: [id] });
    const { page } = open;
    const list = page.locator('details[data-id="list-filtered/below_threshold"]');
    await list.locator('summary').click();
    await list.locator('table').waitFor();
    expect(
      await list.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href'))),
    ).toEqual([`view/${id}.html`]);
    const button = list.locator('button.id').first();
    await button.click();
    await expect.poll(() => page.textContent('#command code')).toMatch(/^trajmill view DIR [0-9a-f]{64}$/);
    expect(await page.textContent('#command code')).toContain((await button.textContent()) ?? 'none');
    await open.close();
  });

  it('links to the server that shows the report', async () => {
    const facts = syntheticFacts({ trajectories: 10 });
    const open = await openFacts(facts, { pattern: 'view/{id}', ids: null });
    const list = open.page.locator('details[data-id="list-kept/"]');
    await list.locator('summary').click();
    await list.locator('table').waitFor();
    const links = await list.locator('a').all();
    expect(links.length).toBe(8);
    for (const link of links) expect(await link.getAttribute('href')).toMatch(/^view\/[0-9a-f]{64}$/);
    await open.close();
  });
});
