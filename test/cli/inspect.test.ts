import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileInspection } from '../../src/cli/inspect-file.js';
import { describeWithShared, sharedFile } from '../shared.js';
import { cli, temporaryFolder } from './harness.js';

const KEY_ID = 'AKIAQ7ZZ0PLM4KXVB2TD';

function writeChat(folder: string): string {
  const messages = [
    { role: 'user', content: `use ${KEY_ID} please` },
    { role: 'assistant', content: 'done' },
  ];
  const path = join(folder, 'chat.jsonl');
  writeFileSync(path, `${JSON.stringify({ messages })}\n`);
  return path;
}

async function inspectJson(...argv: string[]): Promise<FileInspection[]> {
  const { code, out, err } = await cli(['inspect', ...argv, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as FileInspection[];
}

describe('inspect', () => {
  it('shows a chat, and no secret of it', async () => {
    const [file] = await inspectJson(writeChat(temporaryFolder()));
    expect(file).toMatchObject({ format: 'openai-messages', rejects: [] });
    expect(file?.trajectories).toHaveLength(1);
    expect(file?.trajectories[0]).toMatchObject({
      n_turns: 2,
      secrets_masked: { 'aws-key-id': 1 },
      executions: [],
      windows: [],
    });
    expect(JSON.stringify(file)).not.toContain(KEY_ID);
  });

  it('rejects are results, not errors, and hold no secret', async () => {
    const folder = temporaryFolder();
    const path = join(folder, `${'x'}.json`);
    writeFileSync(path, `{"note": "${KEY_ID}"}`);
    const [file] = await inspectJson(path);
    expect(file).toMatchObject({ format: null, trajectories: [] });
    expect(file?.rejects[0]?.code).toBe('unknown_format');
    expect(JSON.stringify(file)).not.toContain(KEY_ID);
    const { code, out } = await cli(['inspect', path]);
    expect(code).toBe(0);
    expect(out).toContain('rejected  unknown_format');
  });

  it('a file that is missing, or a folder, is one line and 2, and nothing is printed for the others', async () => {
    const folder = temporaryFolder();
    const chat = writeChat(folder);
    for (const [path, message] of [
      [join(folder, 'nope.json'), 'no such file'],
      [folder, 'is a folder'],
    ] as const) {
      const { code, out, err } = await cli(['inspect', chat, path]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(new RegExp(`^trajmill: .*${message}.*\n$`));
    }
  });

  it('a pipe is one line that says how to hand its content over, and is not waited for', async () => {
    const pipe = join(temporaryFolder(), 'pipe.jsonl');
    execFileSync('mkfifo', [pipe]);
    for (const command of ['inspect', 'tokens']) {
      const { code, out, err } = await cli([command, pipe]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toBe(
        `trajmill: ${pipe}: is no regular file; give its content on standard input, named -\n`,
      );
    }
  });

  it.skipIf(process.getuid?.() === 0)('a file that cannot be read is 74', async () => {
    const chat = writeChat(temporaryFolder());
    chmodSync(chat, 0);
    expect((await cli(['inspect', chat])).code).toBe(74);
  });

  it('an unknown format is 2 and names the known ones', async () => {
    const { code, err } = await cli(['inspect', writeChat(temporaryFolder()), '--format', 'openai']);
    expect(code).toBe(2);
    expect(err).toContain('openai-messages');
  });

  it('takes the thresholds of a task file', async () => {
    const { code, err } = await cli(['inspect', writeChat(temporaryFolder()), '--tasks', 'nope.yaml']);
    expect(code).toBe(2);
    expect(err).toContain('nope.yaml');
  });
});

describeWithShared('inspect of real logs', () => {
  const MLE_DOJO = 'logs/mle_dojo/random-acts-of-pizza_agent_trajectory.json';

  it('shows the MLE-Dojo run with its scores, windows and anchors', async () => {
    const [file] = await inspectJson(sharedFile(MLE_DOJO));
    const trajectory = file?.trajectories[0];
    expect(file?.format).toBe('mle-dojo');
    expect(trajectory?.task_id).toBe('random-acts-of-pizza');
    const scores = trajectory?.executions.flatMap(({ score }) => (score === null ? [] : [score.toFixed(4)]));
    expect(scores).toEqual(['0.5564', '0.5988', '0.6226']);
    expect(trajectory?.windows.map(({ outcome, reward }) => `${outcome} ${reward}`)).toEqual([
      'error -1',
      'error -1',
      'below_medal -0.4',
      'below_medal -0.2',
      'below_medal -0.2',
    ]);
    expect(trajectory?.anchors).toMatchObject({
      whole: { reason: 'not_complete' },
      initial: { reason: 'first_solution_failed' },
      best: { reason: 'kept', anchor_turn: 20 },
    });
  });

  it('prints the same for people', async () => {
    const { code, out } = await cli(['inspect', sharedFile(MLE_DOJO)]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /action-10\s+19-20\s+experiment\s+execute_code\s+ok\s+[\d.]+\s+0\.62257\d+\s+test\s+graded\s+none/,
    );
    expect(out).toMatch(/best\s+20\s+0\.62257\d+\s+best of 3 submissions/);
  });

  it('says of a companion whose it is', async () => {
    const path = sharedFile('logs/mle_dojo/random-acts-of-pizza_env_history.json');
    const [file] = await inspectJson(path);
    expect(file).toMatchObject({
      trajectories: [],
      sidecar_of: 'random-acts-of-pizza_agent_trajectory.json',
    });
  });

  it('shows self-reported scores as such: ungraded windows', async () => {
    const [file] = await inspectJson(sharedFile('logs/aide_journal/translucent-spaniel_journal.json'));
    const trajectory = file?.trajectories[0];
    const scales = new Set(trajectory?.executions.map(({ score_scale }) => score_scale));
    expect([...scales].filter((scale) => scale !== null)).toEqual(['self_reported']);
    expect(trajectory?.windows.some(({ outcome }) => outcome === 'ungraded')).toBe(true);
    expect(
      trajectory?.windows.every(({ outcome, reward }) => (reward === null) === (outcome === 'ungraded')),
    ).toBe(true);
  });
});
