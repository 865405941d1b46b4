import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli, temporaryFolder } from './harness.js';

const NASTY = '\u202egpj\u001b[2J\u009b1A';
const ESCAPED = '\\u202egpj\\u001b[2J\\u009b1A';
/** Line breaks are ours; anything else of this kind came out of a name. */
const OBEYED = /(?!\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const chat = (role: string): string =>
  `${JSON.stringify({
    id: NASTY,
    task_id: NASTY,
    model: NASTY,
    messages: [
      { role: 'user', content: NASTY },
      { role, content: NASTY },
    ],
  })}\n`;

function folderWithLog(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, `${NASTY}.jsonl`), chat('assistant') + chat(NASTY));
  return cwd;
}

it.each([
  ['inspect', `${NASTY}.jsonl`],
  ['inspect', `${NASTY}.jsonl`, '--json'],
  ['tokens', `${NASTY}.jsonl`, '--limit', '2'],
  ['tokens', `${NASTY}.jsonl`, '--limit', '2', '--json'],
])('no name of a log turns or clears what `%s` shows (%#)', async (...argv) => {
  const { code, out, err } = await cli(argv, { cwd: folderWithLog() });
  expect(code, err).toBe(0);
  expect(out).not.toMatch(OBEYED);
  expect(err).not.toMatch(OBEYED);
  // the refused role is told, once escaped; JSON escapes once more what it quotes
  expect((out + err).replaceAll('\\\\', '\\')).toContain(ESCAPED.slice(0, 12));
});

it('JSON holds the names as they stand in the log', async () => {
  const { out } = await cli(['inspect', `${NASTY}.jsonl`, '--json'], { cwd: folderWithLog() });
  const [inspected] = JSON.parse(out) as {
    file: string;
    trajectories: { task_id: string; model: string }[];
  }[];
  expect(inspected?.file).toBe(`${NASTY}.jsonl`);
  expect(inspected?.trajectories[0]).toMatchObject({ model: NASTY });
});

it('a fault and a warning show such names escaped, and keep their own line breaks', async () => {
  const cwd = folderWithLog();
  const missing = await cli(['inspect', `x${NASTY}`], { cwd });
  expect(missing).toMatchObject({ code: 2, err: `trajmill: x${ESCAPED}: no such file\n` });

  writeFileSync(join(cwd, 'two.yaml'), 'version: 1\ncolour: red\nsede: 1\n');
  const two = await cli(['run', 'two.yaml'], { cwd });
  expect(two.err.trimEnd().split('\n')).toHaveLength(2);
});
