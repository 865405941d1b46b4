import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, temporaryFolder } from './harness.js';

const KEY_ID = 'AKIAQ7ZZ0PLM4KXVB2TD';

function chat(): string {
  const path = join(temporaryFolder(), 'chat.jsonl');
  const messages = [
    { role: 'user', content: `say \u001b[2J hi, ${KEY_ID}` },
    { role: 'assistant', content: 'hi there' },
  ];
  writeFileSync(path, `${JSON.stringify({ messages })}\n`.repeat(2));
  return path;
}

interface ShownRow {
  readonly n_tokens: number;
  readonly n_trained: number;
  readonly runs: readonly { readonly trained: boolean; readonly tokens: number; readonly text: string }[];
}

describe('tokens', () => {
  it('marks exactly what is trained, and shows neither a secret nor a control character', async () => {
    const { code, out } = await cli(['tokens', chat()]);
    expect(code).toBe(0);
    expect(out.match(/«[^»]*»/g)).toEqual(['«hi there<|im_end|>»']);
    expect(out).toContain('[masked-aws-key-id-1]');
    expect(out).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it('gives the runs as JSON; they add up to the row', async () => {
    const { out } = await cli(['tokens', chat(), '--policy', 'trl', '--limit', '2', '--json']);
    const rows = JSON.parse(out) as ShownRow[];
    expect(rows).toHaveLength(2);
    for (const { n_tokens, n_trained, runs } of rows) {
      const count = (list: ShownRow['runs']) => list.reduce((sum, { tokens }) => sum + tokens, 0);
      const trained = runs.filter((run) => run.trained);
      expect([count(runs), count(trained)]).toEqual([n_tokens, n_trained]);
      expect(trained.map(({ text }) => text).join('')).toContain('hi there<|im_end|>\n');
    }
  });

  it('shows one turn alone, with the counts of the whole row', async () => {
    const whole = JSON.parse((await cli(['tokens', chat(), '--json'])).out) as ShownRow[];
    const turn = JSON.parse((await cli(['tokens', chat(), '--turn', '1', '--json'])).out) as ShownRow[];
    expect(turn[0]?.n_tokens).toBe(whole[0]?.n_tokens);
    const text = turn[0]?.runs.map((run) => run.text).join('');
    expect(text).toBe('<|im_start|>assistant\n<think>\n\n</think>\n\nhi there<|im_end|>\n');
    const { code, err } = await cli(['tokens', chat(), '--turn', 'x']);
    expect([code, err]).toEqual([2, expect.stringContaining('whole number from 0')]);
  });

  it('tells a template the day that it asks for, and refuses what is none', async () => {
    const template = join(temporaryFolder(), 'dated.jinja');
    writeFileSync(
      template,
      "{{ strftime_now('%d %b %Y') }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}",
    );
    const { out } = await cli(['tokens', chat(), '--template', template, '--date', '2025-07-04']);
    expect(out).toContain('04 Jul 2025<|im_start|>user');
    const { code, err } = await cli(['tokens', chat(), '--date', '2025-02-30']);
    expect([code, err]).toEqual([2, expect.stringContaining('YYYY-MM-DD')]);
  });

  it('uses colour in place of marks on a terminal', async () => {
    const { out } = await cli(['tokens', chat()], { terminal: true });
    expect(out).toContain('\u001b[32mhi there\u001b[39m');
    expect(out).toContain('\u001b[32m\u001b[4m<|im_end|>\u001b[24m\u001b[39m');
    expect(out).not.toContain('«');
  });
});
