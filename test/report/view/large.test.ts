import { rmSync, statSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { describeInBrowser, openPage } from '../../browser.js';
import { temporaryFolder } from '../../pipeline/child-run.js';
import { runChats, viewPage } from './chat-log.js';
import { markedRows, referenceTokenizer } from './independent-marks.js';

const home = temporaryFolder();
afterAll(() => rmSync(home, { recursive: true, force: true }));

const TURNS = 2000;
const FILLER = 20_000;

/** A chat of 2,000 turns and 20 MB: short replies, long observations. */
function longChat() {
  const line = (i: number, k: number): string => `step ${i} line ${k}: loss ${((i * 7 + k) % 997) / 997}\n`;
  const messages: Record<string, unknown>[] = [{ role: 'user', content: 'Run it two thousand times.' }];
  for (let i = 1; i < TURNS; i++) {
    if (i % 2 === 1) {
      messages.push({ role: 'assistant', content: `Reply number ${i}.` });
      continue;
    }
    let content = '';
    for (let k = 0; content.length < FILLER; k++) content += line(i, k);
    messages.push({ role: 'user', content: i === 1500 ? `${content}the needle in the hay` : content });
  }
  return { messages };
}

describeInBrowser('a trajectory of 2,000 turns and 20 MB', () => {
  it('opens, jumps to its last turn and is searched, with few turns drawn', async () => {
    const run = await runChats(home, { name: 'long', logs: [longChat()] });
    const [row] = await markedRows(run, 'sft', referenceTokenizer('qwen3'));
    const path = await viewPage(run, row?.trajectory ?? '');
    expect(statSync(path).size).toBeGreaterThan(19e6);

    const times: string[] = [];
    const timed = async (what: string, act: () => Promise<void>): Promise<void> => {
      const start = performance.now();
      await act();
      times.push(`${what} ${Math.round(performance.now() - start)} ms`);
    };
    const start = performance.now();
    const { page, consoleErrors, pageErrors, close } = await openPage(path);
    await page.locator('#turn-0 .words:visible').first().waitFor();
    times.push(`open ${Math.round(performance.now() - start)} ms`);
    expect(await page.locator('.turn').count()).toBe(TURNS);
    const drawn = (): Promise<number> => page.locator('.turn .words').count();
    expect(await drawn()).toBeLessThan(200);

    await timed('last turn', async () => {
      await page.keyboard.press('G');
      await page
        .locator(`#turn-${TURNS - 1} .words:visible`)
        .first()
        .waitFor();
    });
    expect(await page.evaluate('location.hash')).toBe(`#turn-${TURNS - 1}`);
    const onScreen = (box: string): Promise<unknown> =>
      page.evaluate(
        `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(${box}.getBoundingClientRect())`,
      );
    const lastTurn = `document.getElementById('turn-${TURNS - 1}')`;
    await expect.poll(() => onScreen(lastTurn)).toBe(true);

    await timed('search', async () => {
      await page.keyboard.press('/');
      await page.keyboard.type('needle in the hay');
      await page.keyboard.press('Enter');
      await page.getByText('1 of 1').waitFor();
      await page.waitForFunction('CSS.highlights.get("found")?.size === 1');
    });
    expect(await page.evaluate('location.hash')).toBe('#turn-1500');
    const place = '[...CSS.highlights.get("found")][0]';
    expect(await page.evaluate(`String(${place})`)).toBe('needle in the hay');
    await expect.poll(() => onScreen(place)).toBe(true);
    expect(await drawn()).toBeLessThan(300);
    expect([consoleErrors, pageErrors]).toEqual([[], []]);
    console.info(`2,000 turns, ${Math.round(statSync(path).size / 1e6)} MB: ${times.join(', ')}`);
    await close();
  });
});
