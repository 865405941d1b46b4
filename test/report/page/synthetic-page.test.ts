import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReportFacts } from '../../../src/report/page/report-facts.js';
import { corpusStats, STATS_SECTIONS } from '../../../src/report/stats/corpus-stats.js';
import type { CorpusFacts } from '../../../src/report/stats/facts.js';
import { artifactPath, describeInBrowser, type OpenPage } from '../../browser.js';
import { charts, drawn, expectQuiet, figuresShown, filterBy, openFacts } from './open-report.js';
import { syntheticFacts } from './synthetic.js';

/** The part of a corpus whose rows name this task or model. */
function partOf(facts: CorpusFacts, column: 'task_id' | 'model', value: string): CorpusFacts {
  const runs = facts.runs.filter((run) => run[column] === value);
  const ids = new Set(runs.map((run) => run.trajectory_id));
  return {
    ...facts,
    runs,
    trajectories: facts.trajectories.filter((row) => row[column] === value),
    prefixes: facts.prefixes.filter((row) => ids.has(row.trajectory_id)),
    rejects: {},
  };
}

describeInBrowser('the filters of the report', () => {
  const all = syntheticFacts({ trajectories: 60, tasks: 5, executions: 3 });
  let open: OpenPage;
  let before: Record<string, string> = {};
  beforeAll(async () => {
    open = await openFacts(all);
    before = await charts(open.page);
  });
  afterAll(async () => {
    await open.close();
  });
  const clear = async (): Promise<void> => {
    await open.page.click('#reset');
    await drawn(open.page);
  };

  it.each([
    ['task', 'task-1'],
    ['model', 'model-3'],
    ['outcome', 'best:silver'],
    ['outcome', 'any:no_submission'],
    ['scaffold', 'scaffold 1'],
  ])('draw every chart anew, by %s %s', async (name, value) => {
    // all but the lineage and the lists are charts
    expect(Object.keys(before).length).toBeGreaterThan(16);
    await filterBy(open.page, name, value);
    const after = await charts(open.page);
    const same = Object.keys(before).filter((id) => before[id] === after[id]);
    expect(same).toEqual([]);
    await clear();
    expect(await charts(open.page)).toEqual(before);
    expectQuiet(open);
  });

  it.each([
    ['task', 'task_id', 'task-2'],
    ['model', 'model', 'model-1'],
  ] as const)('give the figures of the part, by %s', async (name, column, value) => {
    await filterBy(open.page, name, value);
    const expected = corpusStats(partOf(all.facts, column, value));
    for (const { name: section } of STATS_SECTIONS) {
      const own = expected.filter((figure) => figure.section === section);
      expect(await figuresShown(open.page, section)).toEqual(
        own.map(({ key, figure, value: exact, n }) => [key, figure, exact, n]),
      );
    }
    expectQuiet(open);
    await clear();
  });

  it('keep what was chosen in a chart', async () => {
    const { page } = open;
    await page.selectOption('#scores-chart select[name=x]', 'turn');
    await page.selectOption('#reward-groups select[name=by]', 'model');
    const chosen = await charts(page);
    expect(await page.locator('#reward-groups svg').textContent()).toContain('model-3');
    await filterBy(page, 'task', 'task-1');
    expect(await page.inputValue('#scores-chart select[name=x]')).toBe('turn');
    expect(await page.locator('#reward-groups svg').textContent()).toContain('model-3');
    expect((await charts(page))['reward-groups']).not.toBe(chosen['reward-groups']);
    await clear();
  });
});

describeInBrowser('the charts of the report', () => {
  /** Texts of a chart: its names, then its values, in the order of the rows. */
  const textsOf = ({ page }: OpenPage, id: string): Promise<string[]> =>
    page.locator(`#${id} svg text`).evaluateAll((all) => all.map((text) => text.textContent ?? ''));

  it('shows the most frequent flags of many, the most frequent first, with shares and observations', async () => {
    const facts = syntheticFacts({ trajectories: 30 });
    const trajectories = facts.trajectories.map((row, i) => ({
      ...row,
      flags: [`rare_${String.fromCharCode(97 + (i % 25))}`, ...(i % 3 === 0 ? ['zz_common'] : [])],
    }));
    const open = await openFacts({ ...facts, trajectories, facts: { ...facts.facts, trajectories } });
    const texts = await textsOf(open, 'flags-chart');
    const flags = texts.filter((text) => /^(rare_|zz_)/.test(text));
    expect(flags).toHaveLength(20);
    expect(flags[0]).toBe('zz_common');
    expect(texts.find((text) => text.endsWith('%   n = 30'))).toBe('33.3%   n = 30');
    expect(await open.page.locator('#flags-chart .note').textContent()).toContain(
      'The 20 largest of 26 rows',
    );
    await open.close();
  });

  it('names outcomes as words and from worst to best, with the windows behind each share', async () => {
    const facts = syntheticFacts({ trajectories: 40, tasks: 5 });
    const open = await openFacts(facts);
    expect(await textsOf(open, 'outcomes-chart')).toContain('no submission');
    const texts = await textsOf(open, 'reward-groups');
    const order = ['error', 'no submission', 'below medal', 'bronze', 'silver', 'gold'];
    const paid = facts.facts.runs.flatMap((run) => run.windows.filter(({ reward }) => reward !== null));
    const counts = order.map(
      (name) => paid.filter(({ outcome }) => outcome.replaceAll('_', ' ') === name).length,
    );
    expect(counts.every((n) => n > 0)).toBe(true);
    expect(texts.filter((text) => order.includes(text))).toEqual(order);
    expect(texts.filter((text) => text.startsWith('n = '))).toEqual(counts.map((n) => `n = ${n}`));
    await open.close();
  });

  it('tells the tokens of windows where a corpus has no training rows', async () => {
    const open = await openFacts(POOR['no training rows'] ?? NOTHING);
    const tokens = POOR['no training rows']?.lengths.reduce((sum, row) => sum + row.n_tokens, 0) ?? 0;
    expect(tokens).toBeGreaterThan(0);
    expect(await open.page.textContent('#summary-tiles')).toContain(
      `${tokens.toLocaleString('en-US')}in windows`,
    );
    expect(await open.page.locator('#token-lengths figcaption').textContent()).toContain(
      'Tokens of a window',
    );
    expect(await open.page.locator('#token-lengths .field').isVisible()).toBe(false);
    await open.close();
  });
});

describeInBrowser('a corpus of 10,000 trajectories', () => {
  it('opens with every figure, in a page that says what it leaves out of a chart', async () => {
    const facts = syntheticFacts({ trajectories: 10_000 });
    const open = await openFacts(facts);
    const { page } = open;
    const timings = await page.evaluate<[number, number]>(
      '[performance.getEntriesByType("navigation")[0].loadEventEnd, performance.now()]',
    );
    console.log(
      `10,000 trajectories: shown after ${timings.map(Math.round).join(' ms, all charts drawn by ')} ms`,
    );
    expect(await page.textContent('#shown')).toBe(
      'Shown: 10,000 of 10,000 trajectories and 2 of 2 rejected records',
    );
    const windows = facts.facts.runs.reduce((sum, run) => sum + run.windows.length, 0);
    expect(await page.textContent('#summary-tiles')).toContain(windows.toLocaleString('en-US'));
    expect(await page.textContent('#scores-chart')).toMatch(
      /Drawn: 240 of 10,000 trajectories with scores, 6 of 40 tasks/,
    );
    const expected = STATS_SECTIONS.find(({ name }) => name === 'outcomes')?.figures(facts.facts) ?? [];
    expect(expected.length).toBeGreaterThan(100);
    expect(await figuresShown(page, 'outcomes')).toEqual(
      expected.map(({ key, figure, value, n }) => [key, figure, value, n]),
    );
    const list = page.locator('details[data-id="list-filtered/below_threshold"]');
    await list.locator('summary').click();
    await list.locator('table').waitFor();
    expect(await list.locator('tbody tr').count()).toBe(100);
    expect(await list.locator('caption').textContent()).toContain('100 of 2,000 records');
    await list.locator('button', { hasText: 'more' }).click();
    expect(await list.locator('tbody tr').count()).toBe(200);
    await page.screenshot({ path: artifactPath('report-10000.png') });
    expectQuiet(open);
    await open.close();
  });
});

/** The same corpus with less in it. */
const NOTHING: ReportFacts = {
  facts: { ...syntheticFacts({ trajectories: 0 }).facts, rejects: {} },
  trajectories: [],
  rows: [],
  lengths: [],
  policy: [],
  rejects: [],
};

function without(change: (facts: ReportFacts) => Partial<ReportFacts>): ReportFacts {
  const facts = syntheticFacts({ trajectories: 12, tasks: 3 });
  return { ...facts, ...change(facts) };
}

const POOR: Readonly<Record<string, ReportFacts>> = {
  'nothing at all': NOTHING,
  'rejected records alone': {
    ...NOTHING,
    facts: { ...NOTHING.facts, rejects: { torn_line: 3 } },
    rejects: null,
  },
  'no windows': without(({ facts }) => ({
    facts: { ...facts, runs: facts.runs.map((run) => ({ ...run, windows: [] })) },
    lengths: [],
  })),
  'no scores': without(({ facts }) => ({
    facts: {
      ...facts,
      runs: facts.runs.map((run) => ({
        ...run,
        executions: run.executions.map((each) => ({ ...each, score_test: null, score_validation: null })),
      })),
    },
  })),
  'no tasks and no models': without(({ facts, ...rest }) => {
    const bare = <T>(rows: readonly T[]): T[] =>
      rows.map((row) => ({ ...row, task_id: null, model: null, scaffold: null }));
    return {
      facts: { ...facts, runs: bare(facts.runs), trajectories: bare(facts.trajectories), tasks: new Map() },
      trajectories: bare(rest.trajectories),
      rows: bare(rest.rows),
      lengths: bare(rest.lengths),
    };
  }),
  'no training rows': without(({ facts }) => ({ facts: { ...facts, prefixes: [] }, rows: [] })),
  'one trajectory': syntheticFacts({ trajectories: 1, executions: 1 }),
};

describeInBrowser('a poor corpus', () => {
  it.each(Object.keys(POOR))('with %s has sentences in place of empty charts', async (name) => {
    const facts = POOR[name];
    if (facts === undefined) throw new Error(name);
    const open = await openFacts(facts);
    const blank = await open.page
      .locator('.panel-body')
      .evaluateAll(
        (all) =>
          all.filter(
            (body) => body.querySelector('svg') === null && (body.textContent ?? '').trim().length < 15,
          ).length,
      );
    expect(blank).toBe(0);
    // shapes without a place are what a chart of nothing looks like
    const broken = await open.page
      .locator('svg')
      .evaluateAll((all) => all.filter((svg) => /NaN|Infinity|undefined/.test(svg.outerHTML)).length);
    expect(broken).toBe(0);
    if (name === 'nothing at all') expect(await open.page.locator('svg').count()).toBe(0);
    else expect(await open.page.locator('svg').count()).toBeGreaterThan(0);
    expectQuiet(open);
    await open.close();
  });
});
